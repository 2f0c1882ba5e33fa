import type { Chain } from '../src/chain/chain.js';
import { allBalances } from '../src/dfi/accounts/columns.js';
import { formatOwner } from '../src/services/format/owner.js';

/** Pseudo-random numbers from 0 up to 1. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Balances of the state, as clients of events keep them: by owner and token. */
export function balancesOf(chain: Chain): Map<string, bigint> {
  return new Map(
    [...allBalances(chain.state)].map(([{ owner, tokenId }, amount]) => [`${formatOwner(owner, chain.params)} ${tokenId}`, amount]),
  );
}
