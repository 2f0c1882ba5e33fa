import { INITIAL_BASE_FEE } from '../../evm/block/fees.js';
import { Code } from '../../evm/code.js';
import { BLOOM_SIZE } from '../../evm/codec/bloom.js';
import { type EvmHeader, headerHash, MIX_HASH, NONCE } from '../../evm/codec/header.js';
import { orderedRoot } from '../../evm/codec/ordered-root.js';
import { BlockState } from '../../evm/state/block-state.js';
import { commitBlock } from '../../evm/state/commit.js';
import { decodeNumber } from '../../evm/words.js';
import { DecodeError } from '../../primitives/codec.js';
import { NULL_HASH } from '../../primitives/hash.js';
import { EVM_ADDRESS_SIZE } from '../../script/erc55.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { EMPTY_BYTES, fromHex } from '../../util/bytes.js';
import { evmBlockColumns, evmNumbersByHeight } from './block-columns.js';
import { putEvmBlock } from './blocks.js';
import { evmHistoryColumns } from './history-columns.js';
import { blockGasLimit } from './limits.js';
import { evmLogColumns } from './log-columns.js';
import { evmStateColumns } from './state-columns.js';
import { ViewState } from './view-state.js';

const MAX_U64 = (1n << 64n) - 1n;
const HASH_SIZE = 32;
const NONCE_SIZE = 8;

/** Account that exists from the start. */
interface StartAccount {
  readonly address: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code | undefined;
  readonly storage: readonly (readonly [bigint, bigint])[];
}

/** EVM block 0 of a development chain, as a file describes it: its accounts, and fields of its header that are not the usual ones. */
export interface StartState {
  readonly accounts: readonly StartAccount[];
  readonly header: Pick<EvmHeader, 'parentHash' | 'difficulty' | 'timestamp' | 'extraData' | 'baseFee' | 'seal'>;
  /** Undefined for that of governance. */
  readonly gasLimit: bigint | undefined;
}

/** Reads the JSON of a start state; members that are not known are ignored. @throws {DecodeError} @see docs/protocol/evm-engine.md 12 */
export function parseStartState(text: string): StartState {
  const json = parseObject(parseJson(text), 'the file');
  const number = (name: string) => (json[name] === undefined ? undefined : parseNumber(json[name], name));
  const bytes = (name: string, size: number) => (json[name] === undefined ? undefined : parseBytes(json[name], name, size));
  const timestamp = number('timestamp') ?? 0n;
  if (timestamp > MAX_U64) throw new DecodeError('timestamp has more than 64 bits');
  return {
    accounts: Object.entries(parseObject(json.alloc ?? {}, 'alloc')).map(([address, account]) => parseAccount(address, account)),
    header: {
      parentHash: bytes('parentHash', HASH_SIZE) ?? new Uint8Array(HASH_SIZE),
      difficulty: number('difficulty') ?? 0n,
      timestamp,
      extraData: bytes('extraData', Number.NaN) ?? EMPTY_BYTES,
      baseFee: number('baseFee') ?? INITIAL_BASE_FEE,
      seal: { mixHash: bytes('mixHash', HASH_SIZE) ?? MIX_HASH, nonce: bytes('nonce', NONCE_SIZE) ?? NONCE },
    },
    gasLimit: number('gasLimit'),
  };
}

/**
 * Replaces the EVM of a state by block 0 of a start state. It has no contracts of the network, and no later block is number 0, so none
 * are deployed. @see docs/protocol/evm-engine.md 12
 */
export function putStartState(view: WritableView, { accounts, header, gasLimit }: StartState): void {
  for (const column of [...evmStateColumns, ...evmHistoryColumns, ...evmBlockColumns, ...evmLogColumns]) {
    for (const key of keysOf(view, column)) view.delete(column, key);
  }
  const store = new ViewState(view, 0);
  const state = new BlockState(store);
  for (const { address, balance, code, storage } of accounts) state.write(address, { basic: { nonce: 0n, balance }, code, storage });
  const block: EvmHeader = {
    ...header,
    beneficiary: new Uint8Array(EVM_ADDRESS_SIZE),
    stateRoot: commitBlock(state, store),
    transactionsRoot: orderedRoot([]),
    receiptsRoot: orderedRoot([]),
    logsBloom: new Uint8Array(BLOOM_SIZE),
    number: 0n,
    gasLimit: gasLimit ?? blockGasLimit(view),
    gasUsed: 0n,
  };
  const built = { header: block, hash: headerHash(block), entries: [], burnt: 0n, priority: 0n };
  putEvmBlock(view, built, { dvmHeight: 0, dvmHash: NULL_HASH, txids: new Map() });
  // No DVM block contains it.
  view.delete(evmNumbersByHeight, 0);
}

function keysOf(view: StateView, column: (typeof evmStateColumns)[number]): unknown[] {
  return [...view.entries(column)].map(([key]) => key);
}

function parseAccount(address: string, json: unknown): StartAccount {
  const { balance, code, storage } = parseObject(json, address);
  return {
    address: decodeNumber(parseBytes(address, 'address', EVM_ADDRESS_SIZE)),
    balance: parseNumber(balance, 'balance'),
    code: code === undefined || code === null ? undefined : new Code(parseList(code)),
    storage: Object.entries(parseObject(storage ?? {}, 'storage')).map(([slot, value]) => [
      decodeNumber(parseBytes(slot, 'slot', HASH_SIZE)),
      decodeNumber(parseBytes(value, 'value of a slot', HASH_SIZE)),
    ]),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DecodeError((error as Error).message, { cause: error });
  }
}

function parseObject(json: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new DecodeError(`${name} is not an object`);
  return json as Record<string, unknown>;
}

/** Code is a list of bytes, as `defid` reads it. */
function parseList(json: unknown): Uint8Array {
  const isByte = (item: unknown) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
  if (!Array.isArray(json) || !json.every(isByte)) throw new DecodeError('code is not a list of bytes');
  return Uint8Array.from(json as number[]);
}

/** @param size bytes; NaN for any number */
function parseBytes(json: unknown, name: string, size: number): Uint8Array {
  const digits = typeof json === 'string' ? /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(json)?.[1] : undefined;
  if (digits === undefined || (!Number.isNaN(size) && digits.length !== 2 * size))
    throw new DecodeError(`${name} is not hexadecimal or has a wrong size`);
  return fromHex(digits);
}

function parseNumber(json: unknown, name: string): bigint {
  const digits = typeof json === 'string' ? /^(?:0x)?([0-9a-fA-F]{0,64})$/.exec(json)?.[1] : undefined;
  if (digits === undefined) throw new DecodeError(`${name} is not a hexadecimal number`);
  return BigInt(`0x0${digits}`);
}
