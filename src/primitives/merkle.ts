import { writeSha256d } from '../crypto/hash.js';
import { finish, type Steps } from '../util/slicer.js';
import { HASH_BYTES, type Hash256, NULL_HASH } from './hash.js';

export interface MerkleRoot {
  readonly root: Hash256;
  /** True if two neighbours are equal other than by duplication of an odd tail: another list of leaves has the same root (CVE-2012-2459). */
  readonly mutated: boolean;
}

/** Shared buffer for two neighbours to hash. */
const pair = Buffer.alloc(2 * HASH_BYTES);

/** Hashes computed between two yields. */
const HASHES_AT_ONCE = 64;

/** Merkle root of Bitcoin: an odd level repeats its last node. The null hash without leaves. */
export function merkleRoot(leaves: readonly Hash256[]): MerkleRoot {
  return finish(merkleSteps(leaves));
}

/** {@link merkleRoot} in steps. */
export function merkleSteps(leaves: readonly Hash256[]): Steps<MerkleRoot> {
  const level = Buffer.allocUnsafe(leaves.length * HASH_BYTES);
  for (let i = 0; i < leaves.length; i++) level.set(leaves[i] as Hash256, i * HASH_BYTES);
  return reduce(level);
}

/** {@link merkleSteps} of leaves of 32 bytes each. */
export function merkleStepsOf(leaves: Uint8Array): Steps<MerkleRoot> {
  const level = Buffer.allocUnsafe(leaves.length);
  level.set(leaves);
  return reduce(level);
}

/**
 * Hashes all levels in the memory of the leaves, one after the other: a hash of the next one replaces those that it is computed from.
 */
function* reduce(level: Buffer): Steps<MerkleRoot> {
  if (level.length === 0) return { root: NULL_HASH, mutated: false };
  let mutated = false;
  for (let size = level.length / HASH_BYTES; size > 1; size = Math.ceil(size / 2)) {
    for (let i = 0; i < size; i += 2) {
      if (i > 0 && i % (2 * HASHES_AT_ONCE) === 0) yield;
      const left = i * HASH_BYTES;
      const right = i + 1 < size ? left + HASH_BYTES : left;
      for (let at = 0; at < HASH_BYTES; at++) {
        pair[at] = level[left + at] as number;
        pair[HASH_BYTES + at] = level[right + at] as number;
      }
      if (right !== left && hasEqualHalves()) mutated = true;
      writeSha256d(pair, level, (i / 2) * HASH_BYTES);
    }
  }
  return { root: Uint8Array.prototype.slice.call(level, 0, HASH_BYTES), mutated };
}

function hasEqualHalves(): boolean {
  for (let i = 0; i < HASH_BYTES; i++) if (pair[i] !== pair[HASH_BYTES + i]) return false;
  return true;
}
