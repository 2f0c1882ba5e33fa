import type { LogFilter } from '../dfi/evm/log-index.js';
import { WordSet, type Words } from '../evm/word-map.js';
import { readWord } from '../evm/words.js';
import type { JsonValue } from '../util/json.js';
import { eachInSteps, type Steps, type UnitCount } from '../util/slicer.js';
import { type BlockTag, parseBlockTag } from './block-tag.js';
import { readList, readMembers, type SteppedReader } from './members.js';
import { Unreadable } from './unreadable.js';
import { parseAddress, parseHash } from './values.js';

/** Logs that a caller asks for. */
export interface LogRequest extends LogFilter {
  readonly blockHash: Uint8Array | undefined;
  readonly from: BlockTag | undefined;
  readonly to: BlockTag | undefined;
}

type Topics = readonly Words[];
/** Undefined for null. */
type Topic = bigint | undefined;

const RANGE = { fromBlock: parseBlockTag, toBlock: parseBlockTag } as const;
/** An array in the place of the object may leave it out. */
const OMISSIBLE = ['address'] as const;
/** No account has it: an address has 160 bits. */
const NO_ADDRESS = 1n << 160n;
const ADDRESSES = { steps: readAddresses } as const;

/** Reads the object of `eth_getLogs`. @see docs/protocol/evm-engine.md 10.7 */
export const logRequestReader = {
  *steps(value: JsonValue, units: UnitCount, isStrict: boolean): Steps<LogRequest> {
    const readers = { address: ADDRESSES, blockHash: parseHash, ...RANGE, topics: topicsReader(isStrict, 'LogRequestTopics') };
    const shape = { name: 'GetLogsRequest', readers, omissible: OMISSIBLE };
    const { address, blockHash, fromBlock, toBlock, topics } = yield* readMembers(value, shape, units);
    return { ...filterOf(address, topics, isStrict), blockHash, from: fromBlock, to: toBlock };
  },
} as const;

/** Reads the object of `eth_newFilter`. */
export const newFilterReader = {
  *steps(value: JsonValue, units: UnitCount, isStrict: boolean): Steps<LogRequest> {
    const readers = { address: ADDRESSES, ...RANGE, topics: topicsReader(isStrict, 'LogRequestTopics') };
    const shape = { name: 'NewFilterRequest', readers, omissible: OMISSIBLE };
    const { address, fromBlock, toBlock, topics } = yield* readMembers(value, shape, units);
    return { ...filterOf(address, topics, isStrict), blockHash: undefined, from: fromBlock, to: toBlock };
  },
} as const;

/** Reads the addresses and topics of a subscription. */
export const logFilterReader = {
  *steps(value: JsonValue, units: UnitCount, isStrict: boolean): Steps<LogFilter> {
    const readers = { address: ADDRESSES, topics: topicsReader(isStrict, 'SubscriptionParamsTopics') };
    const { address, topics } = yield* readMembers(value, { name: 'SubscriptionParams', readers, omissible: OMISSIBLE }, units);
    return filterOf(address, topics, isStrict);
  },
} as const;

/** An empty list of addresses matches any; in `defid` it matches none. */
function filterOf(addresses: Words | undefined, topics: Topics = [], isStrict: boolean): LogFilter {
  if (isStrict && addresses?.size === 0) return { addresses: new WordSet([NO_ADDRESS]), topics };
  return { addresses: addresses ?? new WordSet(), topics };
}

/** One address, or a list. */
function* readAddresses(value: JsonValue, units: UnitCount): Steps<Words> {
  try {
    return yield* setOf(Array.isArray(value) ? yield* readList(value, parseAddress, units) : [parseAddress(value)], units);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const [one, many] = [yield* textOf(readOne(value)), yield* textOf(readList(value, parseAddress, units))];
    throw new Unreadable(`OneOrMany could not deserialize any variant:\n  One: ${one}\n  Many: ${many}`, 'followed');
  }
}

// biome-ignore lint/correctness/useYield: the other form of the value is read in steps
function* readOne(value: JsonValue): Steps<bigint> {
  return parseAddress(value);
}

function* textOf(reading: Steps<unknown>): Steps<string> {
  try {
    yield* reading;
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
function topicsReader(isStrict: boolean, name: string): SteppedReader<Topics> {
  return {
    *steps(value, units) {
      try {
        const list = yield* readList(value, { steps: readTopics }, units);
        const nested = list.filter((item) => typeof item === 'object').length;
        if (isStrict && nested > 0 && nested < list.length) throw new Unreadable('mixed');
        const topics: Words[] = [];
        for (const item of list) {
          if (nested > 0 || item !== undefined) topics.push(yield* setOf(typeof item === 'object' ? item : [item], units));
          if (units.add()) yield;
        }
        return topics;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        throw new Unreadable(`data did not match any variant of untagged enum ${name}`, 'followed');
      }
    },
  };
}

function* readTopics(value: JsonValue, units: UnitCount): Steps<Topic | readonly Topic[]> {
  return Array.isArray(value) ? yield* readList(value, readTopic, units) : readTopic(value);
}

/** Set of the words that are given. */
function* setOf(words: readonly Topic[], units: UnitCount): Steps<WordSet> {
  const set = new WordSet();
  yield* eachInSteps(words, (word) => word !== undefined && set.add(word), units);
  return set;
}

function readTopic(value: JsonValue): Topic {
  return value === null ? undefined : readWord(parseHash(value), 0);
}
