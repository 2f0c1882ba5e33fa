import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import type { AttributeKey } from '../attributes/key.js';
import { keyCode, typeCode } from '../attributes/lookup.js';
import { attributeAt } from '../attributes/path.js';
import { TxRejected } from '../kernel/rejected.js';
import { type PoolPair, poolOf } from './columns.js';
import { type DexFeeScope, dexFeeOf } from './fee-columns.js';

/** Parts of a swap's amounts that a pool burns, scaled by COIN. */
export interface DexFees {
  readonly in: bigint;
  readonly out: bigint;
}

/** Values of the attribute for the directions in which a token of a pool is charged. */
const DIRECTION = { both: 0, in: 1, out: 2 } as const;

const POOL = typeCode('poolpairs');
const TOKEN = typeCode('token');
const TOKEN_A_FEE = keyCode('poolpairs', 'token_a_fee_pct');
const DEX_FEE_IN = keyCode('token', 'dex_in_fee_pct');
const DEX_FEE_OUT = keyCode('token', 'dex_out_fee_pct');

/**
 * Scope of the fee that an attribute sets; undefined for other attributes. The direction attributes of a pool map to its token B, so
 * deleting one of them deletes that fee.
 * @throws {TxRejected} if the pool does not exist
 */
export function feeScope(view: StateView, { type, id, key }: AttributeKey): DexFeeScope | undefined {
  if (type === POOL) {
    const pool = poolOf(view, id);
    if (!pool) throw new TxRejected(`No such pool (${id})`);
    return { pool: id, tokenId: key === TOKEN_A_FEE ? pool.tokenA : pool.tokenB };
  }
  if (type !== TOKEN || (key !== DEX_FEE_IN && key !== DEX_FEE_OUT)) return undefined;
  return { way: key === DEX_FEE_IN ? 'in' : 'out', tokenId: id };
}

/** Fees of a swap of `tokenFrom` through a pool. @see docs/protocol/defi.md 2.7 */
export function dexFees(view: StateView, id: number, { tokenA, tokenB }: PoolPair, tokenFrom: number): DexFees {
  const forward = tokenFrom === tokenA;
  const feeIn = dexFeeOf(view, 'in', id, tokenFrom);
  const feeOut = dexFeeOf(view, 'out', id, forward ? tokenB : tokenA);
  return {
    in: feeIn > 0n && chargesFee(view, id, forward ? 'a' : 'b', 'in') ? feeIn : 0n,
    out: feeOut > 0n && chargesFee(view, id, forward ? 'b' : 'a', 'out') ? feeOut : 0n,
  };
}

/** True if a pool charges the fee of one of its tokens in the direction. */
export function chargesFee(view: StateView, id: number, side: 'a' | 'b', way: 'in' | 'out'): boolean {
  const key = attributeAt(`v0/poolpairs/${id}/token_${side}_fee_direction`);
  const direction = valueAs(storedAttributes(view), key, 'direction') ?? DIRECTION.both;
  return direction === DIRECTION.both || direction === DIRECTION[way];
}
