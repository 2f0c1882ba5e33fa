import type { StateView } from '../../storage/view.js';
import { attributeAt } from '../governance/attribute-path.js';
import { storedAttributes, valueAs } from '../governance/attributes.js';
import { dexFeeOf } from '../state/dex-fees.js';
import type { PoolPair } from '../state/pools.js';

/** What a pool burns of a swap's amounts, of COIN. */
export interface DexFees {
  readonly in: bigint;
  readonly out: bigint;
}

/** Values of the attributes that say on which way a token of a pool pays. */
const DIRECTION = { both: 0, in: 1, out: 2 } as const;

/** Fees of a swap of `tokenFrom` through a pool. @see spec: defi 2.7 */
export function dexFees(view: StateView, id: number, { tokenA, tokenB }: PoolPair, tokenFrom: number): DexFees {
  const forward = tokenFrom === tokenA;
  const feeIn = dexFeeOf(view, 'in', id, tokenFrom);
  const feeOut = dexFeeOf(view, 'out', id, forward ? tokenB : tokenA);
  return {
    in: feeIn > 0n && pays(view, id, forward ? 'a' : 'b', 'in') ? feeIn : 0n,
    out: feeOut > 0n && pays(view, id, forward ? 'b' : 'a', 'out') ? feeOut : 0n,
  };
}

function pays(view: StateView, id: number, side: 'a' | 'b', way: 'in' | 'out'): boolean {
  const key = attributeAt(`v0/poolpairs/${id}/token_${side}_fee_direction`);
  const direction = valueAs(storedAttributes(view), key, 'direction') ?? DIRECTION.both;
  return direction === DIRECTION.both || direction === DIRECTION[way];
}
