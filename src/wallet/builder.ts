import { randomInt } from 'node:crypto';
import { TxInvalid } from '../consensus/errors.js';
import { ancestorsWithinLimits } from '../mempool/limits.js';
import { dustThreshold } from '../mempool/policy.js';
import { isActive } from '../params/network.js';
import { formatAmount } from '../primitives/amount.js';
import type { OutPoint } from '../primitives/outpoint.js';
import {
  makeTransaction,
  type Transaction,
  type TransactionFields,
  TX_VERSION_TOKENS,
  type TxIn,
  type TxOut,
  transactionWeight,
  txOutSize,
  virtualSize,
} from '../primitives/transaction.js';
import { type Destination, scriptOf } from '../script/address.js';
import type { AddressType } from '../script/multisig.js';
import { witnessProgram } from '../script/script.js';
import { WitnessHashes } from '../script/sighash.js';
import { completeSignature } from '../script/sign.js';
import { SignatureData } from '../script/signature-data.js';
import { TransactionSigner } from '../script/signer.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { destinationOfKey } from './address-type.js';
import { type InputCoin, type Random, shuffled } from './coin-selection.js';
import { availableCoins, type WalletCoin } from './coins.js';
import { chooseFeeRate, discardFeeRate, type FeeWish, feeForSize, longTermFeeRate } from './fees.js';
import { chooseCoins } from './funding.js';
import { InputSizes } from './input-size.js';
import type { ReservedKey } from './key-pool.js';
import { Ownership } from './ownership.js';
import { pointKey } from './transactions.js';
import type { Wallet } from './wallet.js';

/** Who gets how much. */
export interface Recipient {
  readonly script: Uint8Array;
  /** Satoshis. */
  readonly amount: bigint;
  readonly tokenId: number;
  /** The fee is taken from what it gets. */
  readonly paysFee: boolean;
}

/** How a transaction is to be made. */
export interface BuildOptions extends FeeWish {
  readonly changeDestination?: Destination | undefined;
  readonly changeType?: AddressType | undefined;
  /** Index of the change output; undefined leaves it to chance. */
  readonly changePosition?: number | undefined;
  /** Inputs that it has in any case. */
  readonly inputs?: readonly OutPoint[];
  /** Others may be added to them; by default they may. */
  readonly addsInputs?: boolean;
  readonly spendWatched?: boolean;
  readonly avoidPartialSpends?: boolean;
  /** Leave out coins of used addresses. */
  readonly avoidReuse?: boolean;
  readonly minDepth?: number;
  /** Without signatures. */
  readonly unsigned?: boolean;
}

export interface BuiltTransaction {
  readonly tx: Transaction;
  readonly fee: bigint;
  /** -1 without change. */
  readonly changePosition: number;
}

/** A transaction could not be made; the words are those that callers hear. */
export class BuildFailed extends Error {
  override name = 'BuildFailed';

  constructor(
    message: string,
    /** The fee that it would have taken, as far as was found out. */
    readonly fee = 0n,
  ) {
    super(message);
  }
}

/** Least that is left of a change output which the fee is taken from. */
const MIN_FINAL_CHANGE = 500_000n;
/** Bytes of a transaction beside inputs and outputs. */
const FIXED_SIZE = 11;
/** Input of a nested witness key, where nothing is known about the change. */
const USUAL_INPUT_SIZE = 91;
const MAX_WEIGHT = 400_000;
const SEQUENCE_FINAL_MINUS_ONE = 0xfffffffe;
const SEQUENCE_REPLACEABLE = 0xfffffffd;
/** A tip that is older says little about the height at which the transaction will be mined. */
const RECENT_TIP_SEC = 8 * 3600;

const secureRandom: Random = (below) => randomInt(below);

/**
 * Makes a transaction that pays recipients from the wallet's coins: chooses coins, adds change, finds the fee and signs. The change
 * key leaves the pool only if that succeeds; the caller commits.
 * @throws {BuildFailed}
 * @see spec: wallet 2.11, 2.12
 */
export function buildTransaction(
  wallet: Wallet,
  recipients: readonly Recipient[],
  options: BuildOptions = {},
  random = secureRandom,
): BuiltTransaction {
  checkRecipients(recipients);
  const change = ChangeOutput.reserve(wallet, recipients, options);
  try {
    const built = new Build(wallet, recipients, options, change.script, random).run();
    change.keep();
    return built;
  } catch (error) {
    change.giveBack();
    throw error;
  }
}

function checkRecipients(recipients: readonly Recipient[]): void {
  for (const { amount, tokenId } of recipients) {
    if (amount < 0n) throw new BuildFailed('Transaction amounts must not be negative');
    if (tokenId !== 0) throw new BuildFailed('Unexpected token type set for recipient. Only native DFI token type expected.');
  }
  if (recipients.length === 0) throw new BuildFailed('Transaction must have at least one recipient');
}

/** Where change goes, with the key that is reserved for it. */
class ChangeOutput {
  private constructor(
    private readonly wallet: Wallet,
    readonly script: Uint8Array,
    private readonly reserved: ReservedKey | undefined,
  ) {}

  static reserve(wallet: Wallet, recipients: readonly Recipient[], { changeDestination, changeType }: BuildOptions): ChangeOutput {
    if (changeDestination) return new ChangeOutput(wallet, scriptOf(changeDestination), undefined);
    if (!wallet.canGiveAddresses(true)) {
      throw new BuildFailed("Can't generate a change-address key. No keys in the internal keypool and can't generate any keys.");
    }
    const reserved = wallet.keyChain.reserve(true);
    if (!reserved) throw new BuildFailed('Keypool ran out, please call keypoolrefill first');
    const type = changeType ?? usualChangeType(wallet, recipients);
    return new ChangeOutput(wallet, scriptOf(destinationOfKey(reserved.entry.publicKey, type)), reserved);
  }

  keep(): void {
    if (this.reserved) this.wallet.keyPool.keep(this.reserved);
  }

  giveBack(): void {
    if (this.reserved) this.wallet.keyPool.giveBack(this.reserved);
  }
}

/** @see spec: wallet 1.8 */
function usualChangeType({ deps: { settings } }: Wallet, recipients: readonly Recipient[]): AddressType {
  if (settings.changeType) return settings.changeType;
  if (settings.addressType === 'legacy') return 'legacy';
  // Change that looks like the payment does not stand out.
  return recipients.some(({ script }) => witnessProgram(script)) ? 'bech32' : settings.addressType;
}

interface Attempt {
  readonly coins: readonly InputCoin[];
  readonly vout: readonly TxOut[];
  /** -1 without. */
  readonly changePosition: number;
  /** Fee with what was too little for a change output. */
  readonly fee: bigint;
}

class Build {
  readonly #sizes: InputSizes;
  readonly #version: number;
  readonly #paysFee: number;
  readonly #replaceable: boolean;
  readonly #wish: FeeWish;
  readonly #discardRate: bigint;
  readonly #changePosition: number | undefined;

  constructor(
    private readonly wallet: Wallet,
    private readonly recipients: readonly Recipient[],
    private readonly options: BuildOptions,
    private readonly changeScript: Uint8Array,
    private readonly random: Random,
  ) {
    const { chain, settings } = wallet.deps;
    this.#sizes = new InputSizes(wallet.keys, chain.params.txFormat);
    this.#version = isActive(chain.params, 'amk', chain.tip.height) ? TX_VERSION_TOKENS : 2;
    this.#paysFee = recipients.filter(({ paysFee }) => paysFee).length;
    this.#replaceable = options.replaceable ?? settings.replaceable;
    this.#wish = { ...options, replaceable: this.#replaceable };
    this.#discardRate = discardFeeRate(wallet);
    this.#changePosition = options.changePosition;
  }

  run(): BuiltTransaction {
    const attempt = this.#settle();
    const vin = shuffled(attempt.coins, this.random).map(({ point }) => this.#input(point));
    const fields = { version: this.#version, vin, vout: attempt.vout, lockTime: this.#lockTime() };
    const tx = this.#finish(fields, attempt);
    const { settings } = this.wallet.deps;
    if (attempt.fee > settings.maxFee) throw new BuildFailed('Fee exceeds maximum configured by -maxtxfee', attempt.fee);
    if (settings.rejectLongChains) this.#checkChain(tx, attempt.fee);
    return { tx, fee: attempt.fee, changePosition: attempt.changePosition };
  }

  /** The mempool would not take a transaction at the end of too many others. */
  #checkChain(tx: Transaction, fee: bigint): void {
    const { mempool } = this.wallet.deps;
    try {
      ancestorsWithinLimits(tx, virtualSize(tx), mempool.pool, mempool.limits);
    } catch (error) {
      if (error instanceof TxInvalid) throw new BuildFailed('Transaction has too long of a mempool chain', fee);
      throw error;
    }
  }

  /** Finds coins and fee that fit each other. */
  #settle(): Attempt {
    const coins = this.#availableCoins();
    const rate = chooseFeeRate(this.wallet, this.#wish);
    let fee = 0n;
    let kept: readonly InputCoin[] | undefined;
    let exact = this.#paysFee === 0 && !this.options.inputs?.length;
    for (;;) {
      const attempt = this.#attempt(coins, fee, kept, exact, rate.rate);
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
      if (kept && this.#paysFee === 0) throw new BuildFailed('Transaction fee and change calculation failed', needed);
      const paid = this.#takeFromChange(attempt, needed);
      if (paid) return paid;
      // What recipients get less is known now: the same coins will do.
      if (this.#paysFee > 0) kept = attempt.coins;
      fee = needed;
      exact = false;
    }
  }

  #attempt(
    available: readonly WalletCoin[],
    fee: bigint,
    kept: readonly InputCoin[] | undefined,
    exact: boolean,
    feeRate: bigint,
  ): Attempt | undefined {
    const vout = this.#payments(fee);
    const amount = this.recipients.reduce((sum, recipient) => sum + recipient.amount, 0n);
    const target = this.#paysFee > 0 ? amount : amount + fee;
    const funding = kept ? { coins: kept, isExact: false } : this.#choose(available, target, vout, exact, feeRate);
    if (!funding) return undefined;
    const total = funding.coins.reduce((sum, { out }) => sum + out.value, 0n);
    const rest = total - target;
    const change = this.#changeOf(rest);
    if (rest <= 0n) return { coins: funding.coins, vout, changePosition: -1, fee };
    if (funding.isExact || change.value < this.#dustOf(change)) return { coins: funding.coins, vout, changePosition: -1, fee: fee + rest };
    const position = this.#changePosition ?? this.random(vout.length + 1);
    if (position > vout.length) throw new BuildFailed('Change index out of range', fee);
    return { coins: funding.coins, vout: [...vout.slice(0, position), change, ...vout.slice(position)], changePosition: position, fee };
  }

  /** The payments, less the fee where recipients pay it; the first of them also pays what does not divide. */
  #payments(fee: bigint): TxOut[] {
    const share = this.#paysFee > 0 ? fee / BigInt(this.#paysFee) : 0n;
    let remainder = this.#paysFee > 0 ? fee % BigInt(this.#paysFee) : 0n;
    return this.recipients.map(({ script, amount, paysFee, tokenId }) => {
      const value = paysFee ? amount - share - remainder : amount;
      if (paysFee) remainder = 0n;
      const out = { value, scriptPubKey: script, tokenId };
      const { mempool, chain } = this.wallet.deps;
      if (value < dustThreshold(out, this.#version, mempool.policy, chain.params.txFormat))
        throw new BuildFailed(dustText(paysFee && fee > 0n, value), fee);
      return out;
    });
  }

  #choose(available: readonly WalletCoin[], target: bigint, vout: readonly TxOut[], exact: boolean, feeRate: bigint) {
    const preset = this.#preset();
    if (!preset) return undefined;
    if (this.options.inputs?.length && this.options.addsInputs === false) {
      const total = preset.reduce((sum, { out }) => sum + out.value, 0n);
      return total >= target ? { coins: preset, isExact: false } : undefined;
    }
    const { settings } = this.wallet.deps;
    const groupByAddress = this.options.avoidPartialSpends ?? settings.avoidPartialSpends;
    const costs = exact ? this.#exactCosts(vout, feeRate) : undefined;
    const request = { target, coins: available, preset, exact: costs, groupByAddress };
    return chooseCoins(this.wallet, request, this.random, (coin) => this.#inputCoin(coin));
  }

  #exactCosts(vout: readonly TxOut[], feeRate: bigint) {
    const { txFormat } = this.wallet.deps.chain.params;
    const change = this.#changeOf(0n);
    const spendSize = this.#sizes.inputSize(change, false) ?? USUAL_INPUT_SIZE;
    const fixedSize = vout.reduce((sum, out) => sum + txOutSize(out, this.#version, txFormat), FIXED_SIZE);
    const changeSize = txOutSize(change, this.#version, txFormat);
    return {
      feeRate,
      longTermFeeRate: longTermFeeRate(this.wallet, this.#wish),
      costOfChange: feeForSize(this.#discardRate, spendSize) + feeForSize(feeRate, changeSize),
      fixedFee: feeForSize(feeRate, fixedSize),
    };
  }

  /** Inputs that were asked for. @returns undefined if the wallet does not know one of them, or how to spend it */
  #preset(): InputCoin[] | undefined {
    const found: InputCoin[] = [];
    for (const point of this.options.inputs ?? []) {
      const out = this.wallet.txs.get(point.txid)?.tx.vout[point.vout];
      const inputSize = out && this.#sizes.inputSize(out, false);
      if (!out || inputSize === undefined) return undefined;
      found.push({ point, out, inputSize });
    }
    return found;
  }

  #availableCoins(): WalletCoin[] {
    const { spendWatched = false, avoidReuse = false, minDepth = 0 } = this.options;
    const query = { onlySafe: true, minAmount: 1n, tokenId: 0, spendWatched, includeUsed: !avoidReuse, minDepth };
    return availableCoins(this.wallet, query).filter(({ spendable }) => spendable);
  }

  #inputCoin({ wtx, vout }: WalletCoin): InputCoin {
    const out = wtx.tx.vout[vout] as TxOut;
    const foreign = this.wallet.outputsOf(wtx)[vout] === Ownership.Watched;
    return { point: { txid: wtx.tx.txid, vout }, out, inputSize: this.#sizes.inputSize(out, foreign) };
  }

  #changeOf(value: bigint): TxOut {
    return { value, scriptPubKey: this.changeScript, tokenId: 0 };
  }

  #dustOf(out: TxOut): bigint {
    return dustThreshold(out, this.#version, { dustRelayFeeRate: this.#discardRate }, this.wallet.deps.chain.params.txFormat);
  }

  #sizeOf({ coins, vout, fee }: Attempt): number {
    const vin = coins.map(({ point }) => this.#input(point));
    const fields = { version: this.#version, vin, vout, lockTime: 0 };
    const spent = coins.map(({ out }) => out);
    const size = this.#sizes.transactionSize(fields, spent, this.options.spendWatched ?? false);
    if (size === undefined) throw new BuildFailed('Signing transaction failed', fee);
    return size;
  }

  /** Where so much is left over that a change output pays: the fee of the transaction with one. */
  #feeWithChange({ changePosition, fee }: Attempt, size: number, rate: bigint): bigint | undefined {
    if (changePosition !== -1 || this.#paysFee > 0) return undefined;
    const change = this.#changeOf(0n);
    // Two bytes more for a longer count of outputs.
    const larger = size + txOutSize(change, this.#version, this.wallet.deps.chain.params.txFormat) + 2;
    const needed = feeForSize(rate, larger);
    return fee >= needed + this.#dustOf(change) ? needed : undefined;
  }

  #giveSurplusToChange(attempt: Attempt, needed: bigint): Attempt {
    if (attempt.changePosition === -1 || this.#paysFee > 0 || attempt.fee === needed) return attempt;
    return { ...attempt, vout: this.#withChange(attempt, attempt.fee - needed), fee: needed };
  }

  #takeFromChange(attempt: Attempt, needed: bigint): Attempt | undefined {
    if (attempt.changePosition === -1 || this.#paysFee > 0) return undefined;
    const missing = needed - attempt.fee;
    const { value } = attempt.vout[attempt.changePosition] as TxOut;
    if (value < MIN_FINAL_CHANGE + missing) return undefined;
    return { ...attempt, vout: this.#withChange(attempt, -missing), fee: needed };
  }

  #withChange({ vout, changePosition }: Attempt, more: bigint): TxOut[] {
    return vout.map((out, i) => (i === changePosition ? { ...out, value: out.value + more } : out));
  }

  #input(prevout: OutPoint): TxIn {
    const sequence = this.#replaceable ? SEQUENCE_REPLACEABLE : SEQUENCE_FINAL_MINUS_ONE;
    return { prevout, scriptSig: EMPTY_BYTES, sequence, witness: [] };
  }

  /** Mostly the tip, so that no one gains by mining the transaction in place of one that is in it. */
  #lockTime(): number {
    const { chain, clock } = this.wallet.deps;
    if (chain.isInitialDownload() || chain.tip.time < clock.seconds() - RECENT_TIP_SEC) return 0;
    const { height } = chain.tip;
    return this.random(10) === 0 ? Math.max(0, height - this.random(100)) : height;
  }

  #finish(fields: TransactionFields, { coins, fee }: Attempt): Transaction {
    const { chain } = this.wallet.deps;
    const outOf = new Map(coins.map(({ point, out }) => [pointKey(point), out]));
    const spent = fields.vin.map(({ prevout }) => outOf.get(pointKey(prevout)) as TxOut);
    const format = chain.params.txFormat;
    if (this.options.unsigned) {
      const filled = this.#sizes.filled(fields, spent, this.options.spendWatched ?? false);
      if (filled && transactionWeight(filled) > MAX_WEIGHT) throw new BuildFailed('Transaction too large', fee);
      return makeTransaction(fields, format);
    }
    const signed = signAll(this.wallet, fields, spent);
    if (!signed) throw new BuildFailed('Signing transaction failed', fee);
    if (transactionWeight(signed) > MAX_WEIGHT) throw new BuildFailed('Transaction too large', fee);
    return signed;
  }
}

function dustText(feeWasTaken: boolean, value: bigint): string {
  if (!feeWasTaken) return 'Transaction amount too small';
  if (value < 0n) return 'The transaction amount is too small to pay the fee';
  return 'The transaction amount is too small to send after the fee has been deducted';
}

/** Signs every input. @returns undefined if one cannot be signed */
export function signAll({ keys, deps: { chain } }: Wallet, fields: TransactionFields, spent: readonly TxOut[]): Transaction | undefined {
  const format = chain.params.txFormat;
  const hashes = new WitnessHashes(fields, format);
  const vin: TxIn[] = [];
  for (const [i, input] of fields.vin.entries()) {
    const { value, scriptPubKey } = spent[i] as TxOut;
    const data = new SignatureData();
    const signer = new TransactionSigner({ tx: fields, format, input: i, value, hashes });
    if (!completeSignature(keys, signer, scriptPubKey, data)) return undefined;
    vin.push({ ...input, scriptSig: data.scriptSig, witness: data.witness });
  }
  return makeTransaction({ ...fields, vin }, format);
}

/** A fee with as many decimals as it needs, and at least two. */
export function formatFee(fee: bigint): string {
  return formatAmount(fee).replace(/0{1,6}$/, '');
}
