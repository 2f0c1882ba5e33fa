import type { StateView } from '../../storage/view.js';
import { low64 } from '../kernel/math.js';
import { earnedUpTo } from '../pools/history-columns.js';
import type { Payment, PaymentKind } from './payments.js';

/** Scale of rewards per share: one satoshi per share is 1e16. */
export const PER_SHARE_PRECISION = 10n ** 16n;

function wrap(value: bigint): bigint {
  return BigInt.asUintN(256, value);
}

/**
 * Rewards of `shares` shares of a pool in the blocks after `start` up to, but excluding, `end`; all of these are above DF24.
 * Rounded down once for all blocks, so the sum depends on the heights at which rewards are materialised.
 * @see docs/protocol/defi.md 2.9
 */
export function earnedBetween(view: StateView, pool: number, shares: bigint, start: number, end: number): Payment[] {
  if (start >= end) return [];
  const before = earnedUpTo(view, pool, start);
  const after = earnedUpTo(view, pool, end - 1);
  const payments: Payment[] = [];
  const pay = (kind: PaymentKind, tokenId: number, from: bigint, to: bigint) => {
    const perShare = wrap(to - from);
    const amount = low64(wrap(BigInt.asUintN(64, shares) * perShare) / PER_SHARE_PRECISION);
    if (amount !== 0n) payments.push({ kind, tokenId, amount });
  };
  pay('coinbase', 0, before.coinbase, after.coinbase);
  pay('loan', 0, before.loan, after.loan);
  pay('commission', after.tokenA, before.commissionA, after.commissionA);
  pay('commission', after.tokenB, before.commissionB, after.commissionB);
  const known = new Map(before.custom.map(({ tokenId, amount }) => [tokenId, amount]));
  for (const { tokenId, amount } of after.custom) pay('custom', tokenId, known.get(tokenId) ?? 0n, amount);
  return payments;
}
