import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';

/** Entries of a locator at distance one, below the first. */
const LINEAR_ENTRIES = 10;

/** Locator: hashes from `top` down to genesis, first one by one, then at distances that double. At most 42 for any possible chain. */
export function locatorOf(top: BlockIndexEntry): Hash256[] {
  const hashes: Hash256[] = [];
  let step = 1;
  let at: BlockIndexEntry | undefined = top;
  while (at) {
    hashes.push(at.hash);
    if (at.height === 0) break;
    at = at.ancestor(Math.max(at.height - step, 0));
    if (hashes.length > LINEAR_ENTRIES) step *= 2;
  }
  return hashes;
}

/** Fork point of a locator's chain and ours: its first block that is on the active chain; genesis if there is none. */
export function findFork(chain: Pick<Chain, 'entry' | 'isActive' | 'tip' | 'genesis'>, locator: readonly Hash256[]): BlockIndexEntry {
  for (const hash of locator) {
    const entry = chain.entry(hash);
    if (entry && chain.isActive(entry)) return entry;
    // The sender is ahead of us on our chain.
    if (entry && entry.ancestor(chain.tip.height) === chain.tip) return chain.tip;
  }
  return chain.genesis;
}

/** Last block that two chains have in common. */
export function lastCommonAncestor(a: BlockIndexEntry, b: BlockIndexEntry): BlockIndexEntry {
  const height = Math.min(a.height, b.height);
  let left = a.ancestor(height) ?? a;
  let right = b.ancestor(height) ?? b;
  while (left !== right && left.parent && right.parent) {
    left = left.parent;
    right = right.parent;
  }
  return left;
}
