import { keccak256 } from '../../crypto/keccak.js';
import { eachInSteps, finish, type Steps, UnitCount } from '../../util/slicer.js';
import type { Log } from '../state/transaction-state.js';
import { WordSet } from '../word-map.js';
import { addressBytes, wordBytes } from '../words.js';

/** Bytes of a bloom filter. */
export const BLOOM_SIZE = 256;

const BITS_PER_ITEM = 3;

/** Bloom filter of the addresses and topics of logs. @returns 256 bytes @see Ethereum yellow paper, 4.3.1 */
export function bloomOf(logs: readonly Log[]): Uint8Array {
  return finish(bloomInSteps(logs));
}

/** {@link bloomOf} with points of interruption. An item that repeats, such as the address of a contract with many logs, is hashed once. */
export function* bloomInSteps(logs: readonly Log[]): Steps<Uint8Array> {
  const bloom = new Uint8Array(BLOOM_SIZE);
  const [addresses, values] = [new WordSet(), new WordSet()];
  const add = ({ address, topics }: Log): void => {
    if (addresses.add(address)) addItem(bloom, addressBytes(address));
    for (const topic of topics) if (values.add(topic)) addItem(bloom, wordBytes(topic));
  };
  yield* eachInSteps(logs, add, new UnitCount());
  return bloom;
}

/** Adds the bits of another filter. */
export function addBloom(into: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < BLOOM_SIZE; i++) into[i] = (into[i] as number) | (other[i] as number);
}

function addItem(bloom: Uint8Array, item: Uint8Array): void {
  const hash = keccak256(item);
  for (let i = 0; i < BITS_PER_ITEM; i++) {
    const bit = (((hash[2 * i] as number) & 7) << 8) | (hash[2 * i + 1] as number);
    const at = BLOOM_SIZE - 1 - (bit >> 3);
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7));
  }
}
