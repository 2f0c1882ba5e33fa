import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decoder } from './fuzz/decoder.js';
import { decoders } from './fuzz/decoders.js';
import { isDecoded, seedsOf } from './fuzz/fuzz.js';
import { projectRoot } from './shared.js';

/** Bytes of a record, and the fields that they encode. */
export interface Layout {
  readonly hex: string;
  readonly value: unknown;
}

type Layouts = Readonly<Record<string, Layout>>;

const MAX_BYTES = 400;
/** Formats that consensus or the database depends on. */
const PINNED = /^(column|custom|attribute)|^(transaction|header)$/;

export const layoutsPath = join(projectRoot, 'test', 'vectors', 'layouts.json');

export const pinnedDecoders: readonly Decoder[] = decoders.filter(({ name }) => PINNED.test(name) && name !== 'attribute-path');

export function recordedLayouts(): Layouts {
  return JSON.parse(readFileSync(layoutsPath, 'utf8')) as Layouts;
}

/** The value as JSON, with members sorted by name, so that the order of declaration does not matter. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Map) return [...value].map(plainValue);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && typeof member !== 'function');
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, plainValue(member)]));
}

/** One layout for each pinned format, from its longest seed below a limit. */
export function layoutsOf(): Layouts {
  return Object.fromEntries(
    pinnedDecoders.flatMap((decoder): [string, Layout][] => {
      const seeds = seedsOf(decoder).filter((seed) => isDecoded(decoder, seed));
      const [bytes] = seeds.filter(({ length }) => length <= MAX_BYTES).sort((a, b) => b.length - a.length);
      const seed = bytes ?? seeds[0];
      return seed ? [[decoder.name, { hex: Buffer.from(seed).toString('hex'), value: plainValue(decoder.decode(seed)) }]] : [];
    }),
  );
}
