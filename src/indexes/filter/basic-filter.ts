import { sha256d } from '../../crypto/hash.js';
import { sipHash24, sipKey } from '../../crypto/siphash.js';
import type { Block } from '../../primitives/block.js';
import { encode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { byteText, concatBytes } from '../../util/bytes.js';
import { golombSet } from './golomb.js';

/** Golomb-Rice parameter: bits of the remainder. */
const P = 19;
/** Inverse of the false positive rate. */
const M = 784_931;
const OP_RETURN = 0x6a;

const set = golombSet(P);

/**
 * Scripts in the filter of a block: those of the outputs, except empty ones and OP_RETURN, and those of the spent coins.
 * @param spent scripts of the spent coins
 */
export function filterElements(block: Pick<Block, 'transactions'>, spent: Iterable<Uint8Array>): Uint8Array[] {
  const elements: Uint8Array[] = [];
  for (const { vout } of block.transactions) {
    for (const { scriptPubKey } of vout) if (scriptPubKey.length > 0 && scriptPubKey[0] !== OP_RETURN) elements.push(scriptPubKey);
  }
  for (const script of spent) if (script.length > 0) elements.push(script);
  return elements;
}

/**
 * BIP158 filter of a set of byte arrays; duplicates count once.
 * @param blockHash its first 16 bytes, in wire order, are the key
 * @returns 00 for an empty set
 */
export function basicFilter(blockHash: Hash256, elements: readonly Uint8Array[]): Uint8Array {
  const distinct = new Map<string, Uint8Array>();
  for (const element of elements) distinct.set(byteText(element), element);
  const key = sipKey(blockHash.subarray(0, 16));
  const range = distinct.size * M;
  const hash = new Uint32Array(2);
  const values = new Float64Array(distinct.size);
  let at = 0;
  for (const element of distinct.values()) {
    sipHash24(key, element, hash);
    values[at++] = scale(hash[1] as number, hash[0] as number, range);
  }
  return encode(set, values.sort());
}

/** Filter header: double SHA-256 of the filter's hash and the previous header, which commits to all filters so far. */
export function filterHeader(filter: Uint8Array, previous: Hash256): Hash256 {
  return sha256d(concatBytes(sha256d(filter), previous));
}

/** Maximum range for which sums of 16-bit products are exact. */
const EXACT_RANGE = 2 ** 37;

/** Maps a hash uniformly to the range: floor(hash × range / 2^64). */
function scale(high: number, low: number, range: number): number {
  if (range > EXACT_RANGE) return Number((((BigInt(high) << 32n) | BigInt(low)) * BigInt(range)) >> 64n);
  let carry = Math.floor(((low & 0xffff) * range) / 0x10000);
  carry = Math.floor(((low >>> 16) * range + carry) / 0x10000);
  carry = Math.floor(((high & 0xffff) * range + carry) / 0x10000);
  return Math.floor(((high >>> 16) * range + carry) / 0x10000);
}
