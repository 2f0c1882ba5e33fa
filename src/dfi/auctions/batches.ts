import { COIN } from '../../primitives/amount.js';
import { minBigint } from '../../util/numbers.js';
import { BalanceSum, type Balances, type TokenAmount, toBalances } from '../kernel/amounts.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';
import type { VaultAssets } from '../loans/ratio.js';

/** Part of a loan to be auctioned, with the collateral for it. */
export interface BatchParts {
  readonly loan: TokenAmount;
  readonly collaterals: Balances;
}

/** Approximate upper limit for the value of a batch's collateral, in satoshis of a dollar. */
const BATCH_VALUE = 10_000n * COIN;

/**
 * Divides the collateral of a vault among its loans, and large loans into batches of 10,000 dollars.
 * @param loans with interest; a token that is missing here gets no batch
 * @see docs/protocol/defi.md 3.13
 */
export function divideIntoBatches(assets: VaultAssets, held: Balances, loans: Balances): readonly BatchParts[] {
  const builder = new BatchBuilder(held);
  const owed = new Map(loans.map(({ tokenId, amount }) => [tokenId, amount]));
  let loansLeft = assets.totalLoans;
  let collateralsLeft = assets.totalCollaterals;
  for (const { tokenId, amount: value } of assets.loans) {
    const share = minBigint(BigInt.asUintN(64, divideAmounts(value, assets.totalLoans)), loansLeft);
    const worth = minBigint(BigInt.asUintN(64, multiplyAmounts(share, assets.totalCollaterals)), collateralsLeft);
    const amount = owed.get(tokenId);
    if (amount !== undefined) {
      for (const part of partsOf(amount, worth)) builder.sell({ tokenId, amount: part.amount }, multiplyAmounts(part.share, share));
    }
    loansLeft -= value;
    collateralsLeft -= worth;
  }
  return builder.finish();
}

interface LoanPart {
  readonly amount: bigint;
  /** Part of the loan, scaled by COIN. */
  readonly share: bigint;
}

/** Divides a loan by the value of its collateral. The last part gets the rest of the share, but not always all of the amount. */
function partsOf(loan: bigint, worth: bigint): readonly LoanPart[] {
  if (worth <= BATCH_VALUE) return [{ amount: loan, share: COIN }];
  const parts: LoanPart[] = [];
  let share = divideAmounts(BATCH_VALUE, worth);
  let amount = multiplyAmounts(loan, share);
  let rest = loan;
  for (let left = COIN; left > 0n; left -= share) {
    share = minBigint(share, left);
    amount = minBigint(amount, rest);
    parts.push({ amount, share });
    rest -= amount;
  }
  return parts;
}

/** Batches in the making, and the collateral that is not yet in one of them. */
class BatchBuilder {
  readonly #held: Balances;
  readonly #left: Map<number, bigint>;
  readonly #batches: { readonly loan: TokenAmount; readonly collaterals: BalanceSum }[] = [];

  constructor(held: Balances) {
    this.#held = held;
    this.#left = new Map(held.map(({ tokenId, amount }) => [tokenId, amount]));
  }

  /** Adds a batch. @param share part of the initial collateral, scaled by COIN */
  sell(loan: TokenAmount, share: bigint): void {
    const collaterals = new BalanceSum();
    for (const { tokenId, amount } of this.#held) {
      const left = this.#left.get(tokenId) ?? 0n;
      const taken = minBigint(multiplyAmounts(amount, share), left);
      collaterals.add({ tokenId, amount: taken });
      this.#left.set(tokenId, left - taken);
    }
    this.#batches.push({ loan, collaterals });
  }

  /** Distributes what rounding left over, and returns the batches. */
  finish(): readonly BatchParts[] {
    for (const { tokenId, amount } of toBalances(this.#left)) this.#distribute(tokenId, amount);
    return this.#batches.map(({ loan, collaterals }) => ({ loan, collaterals: collaterals.list() }));
  }

  /** Divides a rest evenly among the batches that contain the token, the remainder by single satoshis; without one, to the first batch. */
  #distribute(tokenId: number, rest: bigint): void {
    const [first] = this.#batches;
    const recipients = this.#batches.filter(({ collaterals }) => collaterals.get(tokenId) > 0n);
    const count = BigInt(recipients.length);
    if (count === 0n) {
      first?.collaterals.add({ tokenId, amount: rest });
      return;
    }
    recipients.forEach(({ collaterals }, i) => {
      collaterals.add({ tokenId, amount: rest / count + (BigInt(i) < rest % count ? 1n : 0n) });
    });
  }
}
