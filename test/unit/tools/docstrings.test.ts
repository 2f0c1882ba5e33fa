import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { findingsBelow } from '../../tools/docstrings.js';

const found = (source: string): readonly string[] => {
  const files = { '/project/tsconfig.json': '{"compilerOptions":{"noLib":true}}', '/project/src/a.ts': source };
  return findingsBelow('/project', ['src'], createVirtualFileSystem(files)).map(({ line, name, reason }) => `${line} ${name}: ${reason}`);
};

const NEEDED: readonly (readonly [source: string, finding: string])[] = [
  ['export const LIMIT = 10;', '1 LIMIT: 10'],
  ['export const LIMIT: Limit = 10n, NEXT: bigint = LIMIT;', '1 NEXT: bigint'],
  ['\nexport function fee(size: number): Fee { return fees[size]; }', '2 fee: number'],
  ['export const fee = (tx: Tx): bigint => 1n;', '1 fee: bigint'],
  ['export async function* blocks(chain: Chain): AsyncIterable<Block> {}', '1 blocks: AsyncIterable<Block>'],
  ['export interface Program { readonly version: Version; readonly program: Uint8Array }', '1 Program: Uint8Array'],
  ['export interface Pool { add(tx: Tx): void; size(weight: Weight): number }', '1 Pool: number'],
  ['export type Rows = readonly Row[];', '1 Rows: Row[]'],
  ['export const ORDER = [first, second];', '1 ORDER: [first, second]'],
  ['export const ORDER = { first: 1, second: 2 } as const;', '1 ORDER: 1'],
  ['export class Pool {}', '1 Pool: class'],
  ['// A remark is no doc comment.\nexport class Pool {}', '2 Pool: class'],
];
for (const [source, finding] of NEEDED)
  test(`needs a doc comment: ${source.replaceAll(/\s+/g, ' ')}`, () => assert.deepEqual(found(source), [finding]));

const EXEMPT: readonly string[] = [
  '/** Satoshis. */\nexport const LIMIT = 10;',
  'const LIMIT = 10;',
  "export { LIMIT } from './limit.js';",
  'export const TIMEOUT_MS = 10;',
  'export const getBlock: Handler<GetBlockRequest, GetBlockResponse> = ({ chain }) => chain.block(10);',
  'export const handlers = { getBlock, getTip } satisfies Handlers;',
  'export const codec = struct<Scheme>({ ratio: u32 });',
  'export function isNull(hash: Hash): boolean { return hash[31] === 0; }',
  'export function at(height: number): Block { return blocks[0]; }',
  'export interface Pong { readonly nonce: bigint }',
  'export interface Timeouts { readonly connectMs: number; readonly pingMs: number }',
  'export interface Pool {\n  /** Virtual bytes. */\n  readonly size: number;\n  readonly isFull: boolean;\n}',
  "export type Status = 'open' | 'closed';",
  'export type Upgrade = (typeof UPGRADES)[number];',
];
for (const source of EXEMPT) test(`needs no doc comment: ${source.replaceAll(/\s+/g, ' ')}`, () => assert.deepEqual(found(source), []));
