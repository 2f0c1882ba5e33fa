import { sha256d } from '../crypto/hash.js';
import { equalBytes } from '../util/bytes.js';
import { type Hash256, NULL_HASH } from './hash.js';

export interface MerkleRoot {
  readonly root: Hash256;
  /** True if two neighbours are equal other than by duplication of an odd tail: another list of leaves has the same root (CVE-2012-2459). */
  readonly mutated: boolean;
}

const HASH_BYTES = 32;
/** Shared buffer for two neighbours to hash. */
const pair = Buffer.alloc(2 * HASH_BYTES);

/** Merkle root of Bitcoin: an odd level repeats its last node. The null hash without leaves. */
export function merkleRoot(leaves: readonly Hash256[]): MerkleRoot {
  if (leaves.length === 0) return { root: NULL_HASH, mutated: false };
  let mutated = false;
  let level = leaves;
  while (level.length > 1) {
    const next: Hash256[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Hash256;
      const right = level[i + 1];
      if (right && equalBytes(left, right)) mutated = true;
      pair.set(left, 0);
      pair.set(right ?? left, HASH_BYTES);
      next.push(sha256d(pair));
    }
    level = next;
  }
  return { root: level[0] as Hash256, mutated };
}
