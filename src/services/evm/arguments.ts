import type { EvmTopics } from '../../../gen/ts/dfi/evm/v1/evm.js';
import type { LogFilter } from '../../dfi/evm/log-index.js';
import { type BlockTag, LATEST, parseBlockTag } from '../../ethereum/block-tag.js';
import type { CallRequest } from '../../ethereum/calls/call-request.js';
import { EthereumError } from '../../ethereum/errors.js';
import { Unreadable } from '../../ethereum/unreadable.js';
import { parseAddress, parseBytes, parseHash } from '../../ethereum/values.js';
import { WordSet } from '../../evm/word-map.js';
import { readWord } from '../../evm/words.js';
import { NodeError } from '../../util/errors.js';

const MAX_WORD = (1n << 256n) - 1n;
const MAX_TOPICS = 4;
const MAX_ADDRESSES = 1_000;

/** Runs a query. An error of Ethereum's JSON-RPC becomes one of operations, with the same text. */
export async function answered<T>(query: () => T | Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    throw asNodeError(error);
  }
}

function asNodeError(error: unknown): unknown {
  if (error instanceof Unreadable) return new NodeError('invalid-parameter', error.text, { cause: error });
  if (!(error instanceof EthereumError)) return error;
  const text = error.message.replace(/^Custom error: /, '');
  if (text === 'header not found') return new NodeError('block-not-found', text, { cause: error });
  return new NodeError('misc', text === '' ? 'execution reverted' : text, { cause: error });
}

/** Reads a number, hash or word that names a block; empty for the last one. @throws {Unreadable} */
export function readTag(text: string): BlockTag {
  if (text === '') return LATEST;
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? { kind: 'hash', hash: parseHash(text) } : parseBlockTag(text);
}

/** Fields that the requests of calls have. */
interface CallFields {
  readonly to: string;
  readonly data: string;
  readonly from: string;
  readonly value: string;
  readonly gas: bigint;
  readonly gasPrice: string;
}

/** Reads a call. @throws {Unreadable} @throws {NodeError} */
export function readCall({ to, data, from, value, gas, gasPrice }: CallFields): CallRequest {
  return {
    to: given(to, parseAddress),
    data: given(data, parseBytes),
    from: given(from, parseAddress),
    value: given(value, parseWei),
    gas: gas === 0n ? undefined : gas,
    gasPrice: given(gasPrice, parseWei),
    ...UNUSED,
  };
}

const UNUSED = {
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
  input: undefined,
  nonce: undefined,
  accessList: undefined,
  type: undefined,
  chainId: undefined,
} as const;

function given<T>(text: string, parse: (text: string) => T): T | undefined {
  return text === '' ? undefined : parse(text);
}

function parseWei(text: string): bigint {
  const wei = /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (wei === undefined || wei > MAX_WORD) throw new NodeError('invalid-parameter', `invalid amount in wei: ${text.slice(0, 100)}`);
  return wei;
}

/** Reads addresses and topics. @throws {Unreadable} @throws {NodeError} */
export function readLogFilter(addresses: readonly string[], topics: readonly EvmTopics[]): LogFilter {
  if (topics.length > MAX_TOPICS) throw new NodeError('invalid-parameter', `at most ${MAX_TOPICS} topics`);
  const values = addresses.length + topics.reduce((sum, { any }) => sum + any.length, 0);
  if (values > MAX_ADDRESSES) throw new NodeError('invalid-parameter', `at most ${MAX_ADDRESSES} addresses and topics`);
  return {
    addresses: new WordSet(addresses.map(parseAddress)),
    topics: topics.map(({ any }) => new WordSet(any.map((topic) => readWord(parseHash(topic), 0)))),
  };
}
