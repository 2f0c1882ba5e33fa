import { feeForSize } from '../../mempool/fee-rate.js';
import { dustThreshold } from '../../mempool/policy.js';
import { type TxOut, txOutSize } from '../../primitives/transaction.js';
import { type BuildPlan, inputOf } from './build-plan.js';
import { BuildFailed } from './build-request.js';
import type { InputCoin } from './coin-selection.js';
import { CoinSource } from './coin-source.js';
import { chooseFeeRate, discardFeeRate } from './fees.js';

/** Coins, outputs and a fee that fit each other, or may yet. */
export interface Settled {
  readonly coins: readonly InputCoin[];
  readonly vout: readonly TxOut[];
  /** -1 without. */
  readonly changePosition: number;
  /** Fee with what was too little for a change output. */
  readonly fee: bigint;
}

/** Least that is left of a change output which the fee is taken from. */
const MIN_FINAL_CHANGE = 500_000n;

/**
 * Finds coins and a fee that fit each other: more coins make the transaction larger, which takes a higher fee, which may take more
 * coins.
 * @throws {BuildFailed}
 * @see docs/protocol/wallet.md 2.11
 */
export function settle(plan: BuildPlan): Settled {
  return new Settling(plan).run();
}

class Settling {
  readonly #source: CoinSource;
  readonly #payers: number;
  readonly #discardRate: bigint;

  constructor(private readonly plan: BuildPlan) {
    this.#source = new CoinSource(plan);
    this.#payers = plan.recipients.filter(({ paysFee }) => paysFee).length;
    this.#discardRate = discardFeeRate(plan.wallet);
  }

  run(): Settled {
    const { wallet, options, replaceable } = this.plan;
    const rate = chooseFeeRate(wallet, { ...options, replaceable });
    let fee = 0n;
    let kept: readonly InputCoin[] | undefined;
    let exact = this.#payers === 0 && !options.inputs?.length;
    for (;;) {
      const attempt = this.#attempt(fee, kept, exact, rate.rate);
      if (!attempt) {
        if (!exact) throw new BuildFailed('Insufficient funds', fee);
        exact = false;
        continue;
      }
      const size = this.#sizeOf(attempt);
      const needed = feeForSize(rate.rate, size);
      if (rate.isFallback && rate.rate === 0n) {
        throw new BuildFailed('Fee estimation failed. Fallbackfee is disabled. Wait a few blocks or enable -fallbackfee.', fee);
      }
      if (attempt.fee >= needed) {
        const withChange = kept ? undefined : this.#feeWithChange(attempt, size, rate.rate);
        if (withChange === undefined) return this.#giveSurplusToChange(attempt, needed);
        kept = attempt.coins;
        fee = withChange;
        exact = false;
        continue;
      }
      if (kept && this.#payers === 0) throw new BuildFailed('Transaction fee and change calculation failed', needed);
      const paid = this.#takeFromChange(attempt, needed);
      if (paid) return paid;
      // What recipients get less is known now: the same coins will do.
      if (this.#payers > 0) kept = attempt.coins;
      fee = needed;
      exact = false;
    }
  }

  #attempt(fee: bigint, kept: readonly InputCoin[] | undefined, exact: boolean, feeRate: bigint): Settled | undefined {
    const { recipients, options, random } = this.plan;
    const vout = this.#payments(fee);
    const amount = recipients.reduce((sum, recipient) => sum + recipient.amount, 0n);
    const target = this.#payers > 0 ? amount : amount + fee;
    const funding = kept ? { coins: kept, isExact: false } : this.#source.choose({ target, vout, exact, feeRate });
    if (!funding) return undefined;
    const total = funding.coins.reduce((sum, { out }) => sum + out.value, 0n);
    const rest = total - target;
    const change = this.#changeOf(rest);
    if (rest <= 0n) return { coins: funding.coins, vout, changePosition: -1, fee };
    if (funding.isExact || change.value < this.#dustOf(change)) return { coins: funding.coins, vout, changePosition: -1, fee: fee + rest };
    const position = options.changePosition ?? random(vout.length + 1);
    if (position > vout.length) throw new BuildFailed('Change index out of range', fee);
    return { coins: funding.coins, vout: [...vout.slice(0, position), change, ...vout.slice(position)], changePosition: position, fee };
  }

  /** The payments, less the fee where recipients pay it; the first of them also pays what does not divide. */
  #payments(fee: bigint): TxOut[] {
    const { recipients, wallet, version } = this.plan;
    const { mempool, chain } = wallet.deps;
    const share = this.#payers > 0 ? fee / BigInt(this.#payers) : 0n;
    let remainder = this.#payers > 0 ? fee % BigInt(this.#payers) : 0n;
    return recipients.map(({ script, amount, paysFee, tokenId }) => {
      const value = paysFee ? amount - share - remainder : amount;
      if (paysFee) remainder = 0n;
      const out = { value, scriptPubKey: script, tokenId };
      if (value < dustThreshold(out, version, mempool.policy, chain.params.txFormat)) {
        throw new BuildFailed(dustText(paysFee && fee > 0n, value), fee);
      }
      return out;
    });
  }

  #sizeOf({ coins, vout, fee }: Settled): number {
    const { plan } = this;
    const vin = coins.map(({ point }) => inputOf(plan, point));
    const fields = { version: plan.version, vin, vout, lockTime: 0 };
    const spent = coins.map(({ out }) => out);
    const size = plan.sizes.transactionSize(fields, spent, plan.options.spendWatched ?? false);
    if (size === undefined) throw new BuildFailed('Signing transaction failed', fee);
    return size;
  }

  #changeOf(value: bigint): TxOut {
    return { value, scriptPubKey: this.plan.changeScript, tokenId: 0 };
  }

  #dustOf(out: TxOut): bigint {
    const { version, wallet } = this.plan;
    return dustThreshold(out, version, { dustRelayFeeRate: this.#discardRate }, wallet.deps.chain.params.txFormat);
  }

  /** Where so much is left over that a change output pays: the fee of the transaction with one. */
  #feeWithChange({ changePosition, fee }: Settled, size: number, rate: bigint): bigint | undefined {
    if (changePosition !== -1 || this.#payers > 0) return undefined;
    const { version, wallet } = this.plan;
    const change = this.#changeOf(0n);
    // Two bytes more for a longer count of outputs.
    const larger = size + txOutSize(change, version, wallet.deps.chain.params.txFormat) + 2;
    const needed = feeForSize(rate, larger);
    return fee >= needed + this.#dustOf(change) ? needed : undefined;
  }

  #giveSurplusToChange(settled: Settled, needed: bigint): Settled {
    if (settled.changePosition === -1 || this.#payers > 0 || settled.fee === needed) return settled;
    return { ...settled, vout: withChange(settled, settled.fee - needed), fee: needed };
  }

  #takeFromChange(settled: Settled, needed: bigint): Settled | undefined {
    if (settled.changePosition === -1 || this.#payers > 0) return undefined;
    const missing = needed - settled.fee;
    const { value } = settled.vout[settled.changePosition] as TxOut;
    if (value < MIN_FINAL_CHANGE + missing) return undefined;
    return { ...settled, vout: withChange(settled, -missing), fee: needed };
  }
}

function withChange({ vout, changePosition }: Settled, more: bigint): TxOut[] {
  return vout.map((out, i) => (i === changePosition ? { ...out, value: out.value + more } : out));
}

function dustText(feeWasTaken: boolean, value: bigint): string {
  if (!feeWasTaken) return 'Transaction amount too small';
  if (value < 0n) return 'The transaction amount is too small to pay the fee';
  return 'The transaction amount is too small to send after the fee has been deducted';
}
