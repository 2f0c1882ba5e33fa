import { isActive, type NetworkParams } from '../../params/network.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { divide, low64, multiplyDivide } from '../kernel/math.js';
import type { PoolTerms } from '../pools/columns.js';
import type { RewardRun } from './reward-runs.js';

/** Source of a payment to a provider: block subsidy, its share for loan tokens, commissions, or the pool's owner. */
export type PaymentKind = 'coinbase' | 'loan' | 'commission' | 'custom';

/** Payment to a provider for one block, in satoshis. */
export interface Payment extends TokenAmount {
  readonly kind: PaymentKind;
}

/** Precision of a share of the pool before Bayfront Gardens: one part in 10,000. */
const OLD_PARTS = 10_000n;

/** Payments of each block of a run to an owner of `shares` shares, in the order in which they are paid. @see docs/protocol/defi.md 2.9 */
export function paymentsOf(
  { begin, totalLiquidity, reward, loanReward, custom, commissionA, commissionB }: RewardRun,
  shares: bigint,
  { tokenA, tokenB }: Pick<PoolTerms, 'tokenA' | 'tokenB'>,
  params: NetworkParams,
): Payment[] {
  const payments: Payment[] = [];
  const early = isActive(params, 'bayfrontGardens', begin) ? multiplyDivide : oldPart;
  pay(payments, 'coinbase', 0, early(reward, shares, totalLiquidity));
  pay(payments, 'loan', 0, multiplyDivide(loanReward, shares, totalLiquidity));
  pay(payments, 'commission', tokenA, early(commissionA, shares, totalLiquidity));
  pay(payments, 'commission', tokenB, early(commissionB, shares, totalLiquidity));
  for (const { tokenId, amount } of custom) pay(payments, 'custom', tokenId, multiplyDivide(amount, shares, totalLiquidity));
  return payments;
}

function pay(payments: Payment[], kind: PaymentKind, tokenId: number, amount: bigint): void {
  if (amount !== 0n) payments.push({ kind, tokenId, amount });
}

/** Provider's part of an amount until Bayfront Gardens: its share is rounded down to hundredths of a percent. */
function oldPart(amount: bigint, shares: bigint, totalLiquidity: bigint): bigint {
  const weight = BigInt.asUintN(32, divide(low64(shares * OLD_PARTS), totalLiquidity));
  return low64(amount * weight) / OLD_PARTS;
}
