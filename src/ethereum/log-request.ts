import type { LogFilter } from '../dfi/evm/log-index.js';
import { WordSet, type Words } from '../evm/word-map.js';
import { readWord } from '../evm/words.js';
import type { JsonValue } from '../util/json.js';
import { type BlockTag, parseBlockTag } from './block-tag.js';
import { readList, readMembers } from './members.js';
import { Unreadable } from './unreadable.js';
import { parseAddress, parseHash } from './values.js';

/** Logs that a caller asks for. */
export interface LogRequest extends LogFilter {
  readonly blockHash: Uint8Array | undefined;
  readonly from: BlockTag | undefined;
  readonly to: BlockTag | undefined;
}

type Topics = readonly Words[];

const RANGE = { fromBlock: parseBlockTag, toBlock: parseBlockTag } as const;
/** An array in the place of the object may leave it out. */
const OMISSIBLE = ['address'] as const;
/** No account has it: an address has 160 bits. */
const NO_ADDRESS = 1n << 160n;

/** Reads the object of `eth_getLogs`. @throws {Unreadable} @see docs/protocol/evm-engine.md 10.7 */
export function parseLogRequest(value: JsonValue, isStrict: boolean): LogRequest {
  const readers = { address: readAddresses, blockHash: parseHash, ...RANGE, topics: topicsReader(isStrict, 'LogRequestTopics') };
  const { address, blockHash, fromBlock, toBlock, topics } = readMembers(value, { name: 'GetLogsRequest', readers, omissible: OMISSIBLE });
  return { ...filterOf(address, topics, isStrict), blockHash, from: fromBlock, to: toBlock };
}

/** Reads the object of `eth_newFilter`. @throws {Unreadable} */
export function parseNewFilter(value: JsonValue, isStrict: boolean): LogRequest {
  const readers = { address: readAddresses, ...RANGE, topics: topicsReader(isStrict, 'LogRequestTopics') };
  const { address, fromBlock, toBlock, topics } = readMembers(value, { name: 'NewFilterRequest', readers, omissible: OMISSIBLE });
  return { ...filterOf(address, topics, isStrict), blockHash: undefined, from: fromBlock, to: toBlock };
}

/** Reads the addresses and topics of a subscription. @throws {Unreadable} */
export function parseLogFilter(value: JsonValue, isStrict: boolean): LogFilter {
  const readers = { address: readAddresses, topics: topicsReader(isStrict, 'SubscriptionParamsTopics') };
  const { address, topics } = readMembers(value, { name: 'SubscriptionParams', readers, omissible: OMISSIBLE });
  return filterOf(address, topics, isStrict);
}

/** An empty list of addresses matches any; in `defid` it matches none. */
function filterOf(addresses: readonly bigint[] | undefined, topics: Topics = [], isStrict: boolean): LogFilter {
  if (isStrict && addresses?.length === 0) return { addresses: new WordSet([NO_ADDRESS]), topics };
  return { addresses: new WordSet(addresses), topics };
}

/** One address, or a list. */
function readAddresses(value: JsonValue): readonly bigint[] {
  try {
    return Array.isArray(value) ? readList(value, parseAddress) : [parseAddress(value)];
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const [one, many] = [textOf(() => parseAddress(value)), textOf(() => readList(value, parseAddress))];
    throw new Unreadable(`OneOrMany could not deserialize any variant:\n  One: ${one}\n  Many: ${many}`, 'followed');
  }
}

function textOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof Unreadable) return error.text;
    throw error;
  }
  return '';
}

/**
 * Reader of topics. In a flat list nulls are dropped, so that later topics move forward; in a nested list one without values matches any.
 * Lists that mix hashes and lists are read too, unlike in `defid`: clients send them for events with alternatives.
 * @param name of the type in errors
 */
function topicsReader(isStrict: boolean, name: string): (value: JsonValue) => Topics {
  return (value) => {
    try {
      const list = readList(value, (item) => (Array.isArray(item) ? readList(item, readTopic) : readTopic(item)));
      const nested = list.filter((item) => typeof item === 'object').length;
      if (isStrict && nested > 0 && nested < list.length) throw new Unreadable('mixed');
      if (nested === 0) return topicsOf(list as readonly (bigint | undefined)[]).map((topic) => new WordSet([topic]));
      return list.map((item) => new WordSet(topicsOf(typeof item === 'object' ? item : [item])));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      throw new Unreadable(`data did not match any variant of untagged enum ${name}`, 'followed');
    }
  };
}

function readTopic(value: JsonValue): bigint | undefined {
  return value === null ? undefined : readWord(parseHash(value), 0);
}

function topicsOf(list: readonly (bigint | undefined)[]): bigint[] {
  return list.filter((topic) => topic !== undefined);
}
