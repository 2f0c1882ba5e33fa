import { encode } from '../../primitives/codec.js';
import { type OutPoint, outPoint } from '../../primitives/outpoint.js';
import type { Transaction } from '../../primitives/transaction.js';
import { scriptOps } from '../../script/script.js';
import { classify } from '../../script/standard.js';
import type { FilterLoad } from '../wire/filterload.js';
import { LIMITS } from '../wire/limits.js';

const MAX_HASH_FUNCTIONS = 50;
const SEED_STEP = 0xfba4c795;
/** Bits of `flags` that select the update of the filter when an output matches. */
const UPDATE_MASK = 3;
const UPDATE_ALL = 1;
const UPDATE_PUBLIC_KEYS = 2;

/** Error for a filter beyond the limits of BIP37. */
export class FilterTooLarge extends RangeError {
  override name = 'FilterTooLarge';
}

/** Bloom filter of the transactions that a peer wants announced (BIP37). */
export class BloomFilter {
  readonly #data: Uint8Array;
  readonly #hashFunctions: number;
  readonly #tweak: number;
  readonly #update: number;
  /** True if the filter has bytes and nothing was inserted, so that it contains nothing, not even without hash functions. */
  #isEmpty: boolean;

  /** @throws {FilterTooLarge} if size or number of hash functions exceeds its limit */
  constructor({ data, hashFunctions, tweak, flags }: FilterLoad) {
    if (data.length > LIMITS.filterBytes || hashFunctions > MAX_HASH_FUNCTIONS) throw new FilterTooLarge('too large bloom filter');
    this.#data = Uint8Array.from(data);
    this.#hashFunctions = hashFunctions;
    this.#tweak = tweak;
    this.#update = flags & UPDATE_MASK;
    this.#isEmpty = data.length > 0 && data.every((byte) => byte === 0);
  }

  insert(element: Uint8Array): void {
    this.#isEmpty = false;
    for (const bit of this.#bitsOf(element)) this.#data[bit >> 3] = (this.#data[bit >> 3] as number) | (1 << (bit & 7));
  }

  /** Returns false only if the element was not inserted. A filter without bytes contains everything. */
  contains(element: Uint8Array): boolean {
    if (this.#isEmpty) return false;
    for (const bit of this.#bitsOf(element)) if (((this.#data[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
    return true;
  }

  *#bitsOf(element: Uint8Array): Iterable<number> {
    const size = this.#data.length * 8;
    if (size === 0) return;
    for (let i = 0; i < this.#hashFunctions; i++) yield murmur3(element, (Math.imul(i, SEED_STEP) + this.#tweak) >>> 0) % size;
  }

  /** Returns true if the peer wants a transaction. Inserts the outpoints of matching outputs, so that their spenders match too. */
  matches(tx: Transaction): boolean {
    let found = this.contains(tx.txid);
    tx.vout.forEach(({ scriptPubKey }, vout) => {
      if (!this.#matchesScript(scriptPubKey)) return;
      found = true;
      if (this.#updatesOn(scriptPubKey)) this.insert(pointBytes({ txid: tx.txid, vout }));
    });
    return found || tx.vin.some(({ prevout, scriptSig }) => this.contains(pointBytes(prevout)) || this.#matchesScript(scriptSig));
  }

  #matchesScript(script: Uint8Array): boolean {
    for (const { data, ok } of scriptOps(script)) {
      if (!ok) return false;
      if (data && data.length > 0 && this.contains(data)) return true;
    }
    return false;
  }

  #updatesOn(scriptPubKey: Uint8Array): boolean {
    if (this.#update === UPDATE_ALL) return true;
    if (this.#update !== UPDATE_PUBLIC_KEYS) return false;
    const { type } = classify(scriptPubKey);
    return type === 'pubkey' || type === 'multisig';
  }
}

function pointBytes(point: OutPoint): Uint8Array {
  return encode(outPoint, point);
}

/** MurmurHash3, 32 bits. @see Austin Appleby, public domain */
export function murmur3(bytes: Uint8Array, seed: number): number {
  let hash = seed;
  const blocks = bytes.length & ~3;
  for (let at = 0; at < blocks; at += 4) {
    const word =
      (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
    hash ^= mix(word);
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= blocks; at--) tail = (tail << 8) | (bytes[at] as number);
  hash ^= mix(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mix(word: number): number {
  const scaled = Math.imul(word, 0xcc9e2d51);
  return Math.imul((scaled << 15) | (scaled >>> 17), 0x1b873593);
}
