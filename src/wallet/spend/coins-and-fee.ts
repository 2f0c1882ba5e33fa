import { feeForSize } from '../../mempool/fee-rate.js';
import { dustThreshold } from '../../mempool/policy.js';
import { type TxOut, txOutSize } from '../../primitives/transaction.js';
import { type BuildPlan, inputOf } from './build-plan.js';
import { BuildFailed } from './build-request.js';
import type { InputCoin } from './coin-selection.js';
import { CoinSource } from './coin-source.js';
import { chooseFeeRate, discardFeeRate } from './fees.js';

/** Selected coins, outputs and fee of a transaction, or of an attempt at one. */
export interface CoinsAndFee {
  readonly coins: readonly InputCoin[];
  readonly vout: readonly TxOut[];
  /** Index of the change output; -1 without change. */
  readonly changePosition: number;
  /** Satoshis, including an amount that was too small for a change output. */
  readonly fee: bigint;
}

/** Minimum value of a change output after a rise of the fee was subtracted from it, satoshis. */
const MIN_FINAL_CHANGE = 500_000n;

/**
 * Selects coins and finds the fee in turns, until both fit: more coins make a larger transaction, which needs a higher fee, which
 * may need more coins.
 * @throws {BuildFailed}
 * @see docs/protocol/wallet.md 2.11
 */
export function selectCoinsAndFee(plan: BuildPlan): CoinsAndFee {
  return new CoinAndFeeSearch(plan).run();
}

class CoinAndFeeSearch {
  readonly #source: CoinSource;
  readonly #payers: number;
  readonly #discardRate: bigint;

  constructor(private readonly plan: BuildPlan) {
    this.#source = new CoinSource(plan);
    this.#payers = plan.recipients.filter(({ paysFee }) => paysFee).length;
    this.#discardRate = discardFeeRate(plan.wallet);
  }

  run(): CoinsAndFee {
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
        throw new BuildFailed('Fee estimation failed. Fallbackfee is disabled. Wait a few blocks or enable -fallbackfee.', attempt.fee);
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
      const paid = this.#subtractFromChange(attempt, needed);
      if (paid) return paid;
      // The recipients pay the higher fee, so the same coins suffice.
      if (this.#payers > 0) kept = attempt.coins;
      fee = needed;
      exact = false;
    }
  }

  #attempt(fee: bigint, kept: readonly InputCoin[] | undefined, exact: boolean, feeRate: bigint): CoinsAndFee | undefined {
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

  /** The payments, less the fee where recipients pay it; the first of those also pays the remainder of the division. */
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

  #sizeOf({ coins, vout, fee }: CoinsAndFee): number {
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

  /** Fee of the transaction with a change output, if the surplus is worth one; otherwise undefined. */
  #feeWithChange({ changePosition, fee }: CoinsAndFee, size: number, rate: bigint): bigint | undefined {
    if (changePosition !== -1 || this.#payers > 0) return undefined;
    const { version, wallet } = this.plan;
    const change = this.#changeOf(0n);
    // Two bytes for a longer count of outputs.
    const larger = size + txOutSize(change, version, wallet.deps.chain.params.txFormat) + 2;
    const needed = feeForSize(rate, larger);
    return fee >= needed + this.#dustOf(change) ? needed : undefined;
  }

  #giveSurplusToChange(attempt: CoinsAndFee, needed: bigint): CoinsAndFee {
    if (attempt.changePosition === -1 || this.#payers > 0 || attempt.fee === needed) return attempt;
    return { ...attempt, vout: withMoreChange(attempt, attempt.fee - needed), fee: needed };
  }

  /** Pays the missing fee from the change output; undefined if that is too small. */
  #subtractFromChange(attempt: CoinsAndFee, needed: bigint): CoinsAndFee | undefined {
    if (attempt.changePosition === -1 || this.#payers > 0) return undefined;
    const missing = needed - attempt.fee;
    const { value } = attempt.vout[attempt.changePosition] as TxOut;
    if (value < MIN_FINAL_CHANGE + missing) return undefined;
    return { ...attempt, vout: withMoreChange(attempt, -missing), fee: needed };
  }
}

function withMoreChange({ vout, changePosition }: CoinsAndFee, more: bigint): TxOut[] {
  return vout.map((out, i) => (i === changePosition ? { ...out, value: out.value + more } : out));
}

function dustText(feeWasSubtracted: boolean, value: bigint): string {
  if (!feeWasSubtracted) return 'Transaction amount too small';
  if (value < 0n) return 'The transaction amount is too small to pay the fee';
  return 'The transaction amount is too small to send after the fee has been deducted';
}
