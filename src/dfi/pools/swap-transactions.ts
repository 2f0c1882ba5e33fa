import { type Codec, i64, list, struct, varBytes } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type ExpectedReads } from '../context/custom-tx.js';
import type { PoolPrice } from './curve.js';
import { type Swap, swapTokens } from './swap.js';

const swapFields = {
  from: varBytes,
  tokenFrom: varInt32,
  amountFrom: i64,
  to: varBytes,
  tokenTo: varInt32,
  maxPrice: struct<PoolPrice>({ integer: i64, fraction: i64 }),
};

const swapBody: Codec<Swap> = struct<Swap>(swapFields);

/** Swap in the pool of two tokens. @see docs/protocol/defi.md 2.7 */
export const poolSwap = customTx<Swap>({
  type: 's',
  name: 'PoolSwap',
  since: 'bayfront',
  codec: swapBody,
  reads: swapReads,
  apply(context, swap) {
    requireAuth(context, swap.from);
    swapTokens(context.accounts, swap, [], context);
  },
});

export interface CompositeSwap extends Swap {
  /** Pool ids in order; empty for the pool of the two tokens. */
  readonly path: readonly number[];
}

/** Swap along a path of pools. @see docs/protocol/defi.md 2.7 */
export const compositeSwap = customTx<CompositeSwap>({
  type: 'i',
  name: 'PoolSwap',
  since: 'fortCanning',
  codec: struct<CompositeSwap>({ ...swapFields, path: list(varInt32) }),
  reads: swapReads,
  apply(context, swap) {
    requireAuth(context, swap.from);
    swapTokens(context.accounts, swap, swap.path, context);
  },
});

function swapReads({ from, tokenFrom, to, tokenTo }: Swap): ExpectedReads {
  const balances = [
    { owner: from, tokenId: tokenFrom },
    { owner: to, tokenId: tokenTo },
  ];
  return { balances };
}

/** Custom transactions that swap through pools. */
export const poolSwapTypes: readonly AnyCustomTx[] = [poolSwap, compositeSwap];
