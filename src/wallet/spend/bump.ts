import { firstMintedOutput } from '../../dfi/accounts/transactions.js';
import { feeForSize, feeRateOf } from '../../mempool/fee-rate.js';
import { dustThreshold } from '../../mempool/policy.js';
import { signalsReplaceable } from '../../mempool/replacement.js';
import { formatHash } from '../../primitives/hash.js';
import { SEQUENCE_NOT_FINAL, type Transaction, type TxOut, virtualSize } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import { customTxPayload } from '../../script/custom-tx.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { debitOf, spendableOutputs } from '../coins/trust.js';
import { destinationIn } from '../destination.js';
import { Ownership } from '../keys/ownership.js';
import { WalletNotWritten } from '../store/file-errors.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';
import { BuildFailed, type BuildOptions, type BuiltTransaction, type Recipient } from './build-request.js';
import { buildTransaction } from './builder.js';
import { commitTransaction } from './commit.js';
import { chooseFeeRate, discardFeeRate, type EstimateMode, formatFee, leastFeeRate } from './fees.js';
import { InputSizes } from './input-size.js';
import { signAll } from './signing.js';

/** Options of a replacement transaction. */
export interface BumpOptions {
  /** Blocks. */
  readonly confirmTarget: number | undefined;
  readonly estimateMode: EstimateMode;
  /** The replacement signals replaceability too. */
  readonly replaceable: boolean;
}

/** A replacement that was sent. Fees in satoshis. */
export interface Bumped {
  readonly tx: Transaction;
  readonly oldFee: bigint;
  readonly newFee: bigint;
}

/** Minimum by which a replacement raises the fee rate, satoshis per 1,000 virtual bytes. */
const WALLET_INCREMENTAL_RATE = 5_000n;

/** @throws {NodeError} if a transaction cannot be replaced. @see docs/protocol/wallet.md 3.6 */
function checkBumpable(wallet: Wallet, wtx: WalletTx): void {
  const { chain, mempool } = wallet.deps;
  const refuse = (message: string): NodeError => new NodeError('wallet', message);
  if (wallet.txs.childrenOf(wtx).size > 0) throw invalidParameter('Transaction has descendants in the wallet');
  // A transaction that has left the mempool counts as mined, even if its outputs are spent there.
  const pooled = mempool.pool.get(wtx.tx.txid);
  if (pooled && pooled.descendants.count > 1) throw invalidParameter('Transaction has descendants in the mempool');
  if (wtx.depth(chain) !== 0) throw refuse('Transaction has been mined, or is conflicted with a mined transaction');
  if (!signalsReplaceable(wtx.tx)) throw refuse('Transaction is not BIP 125 replaceable');
  const other = wtx.notes.get('replaced_by_txid');
  if (other !== undefined) {
    throw refuse(`Cannot bump transaction ${formatHash(wtx.tx.txid)} which was already bumped by transaction ${other}`);
  }
  const allOwn = wtx.tx.vin.every(({ prevout }) => {
    const parent = wallet.txs.get(prevout.txid);
    return parent !== undefined && wallet.outputOwnership(parent)[prevout.vout] === Ownership.Spendable;
  });
  if (!allOwn) throw refuse("Transaction contains inputs that don't belong to this wallet");
  // `defid` pays these outputs from its coins too, so that the replacement pays the account's amount as its fee.
  if (firstMintedOutput(wtx.tx) < wtx.tx.vout.length) throw refuse('Transaction has outputs that an account pays for');
}

/**
 * Replaces a transaction by one with a higher fee rate, from the same inputs and further ones if needed.
 * @throws {NodeError}
 */
export function bumpFee(wallet: Wallet, wtx: WalletTx, options: BumpOptions): Bumped {
  checkBumpable(wallet, wtx);
  const oldFee = debitOf(wallet, wtx, spendableOutputs) - wtx.tx.vout.reduce((sum, { value }) => sum + value, 0n);
  const { recipients, ...change } = splitOutputs(wallet, wtx);
  const inputs = wtx.tx.vin.map(({ prevout }) => prevout);
  const feeRate = replacementRate(wallet, wtx, oldFee, options);
  const built = build(wallet, recipients, { feeRate, inputs, replaceable: options.replaceable, ...change });
  replace(wallet, wtx, built.tx);
  return { tx: built.tx, oldFee, newFee: built.fee };
}

/** Sends the replacement; the notes of both transactions are stored first. @throws {WalletNotWritten}; then nothing has changed */
function replace(wallet: Wallet, old: WalletTx, tx: Transaction): void {
  const notes = new Map(old.notes);
  notes.set('replaces_txid', formatHash(old.tx.txid));
  old.note('replaced_by_txid', formatHash(tx.txid));
  wallet.txs.save(old);
  try {
    commitTransaction(wallet, tx, { notes });
  } catch (error) {
    if (error instanceof WalletNotWritten) {
      // Otherwise the transaction could never be replaced.
      old.dropNote('replaced_by_txid');
      wallet.txs.save(old);
    }
    throw error;
  }
}

/**
 * Replaces a transaction by the same one with less change.
 * @param total fee of the replacement, satoshis
 * @throws {NodeError}
 */
export function bumpToTotal(wallet: Wallet, wtx: WalletTx, total: bigint, replaceable: boolean): Bumped {
  checkBumpable(wallet, wtx);
  const { chain } = wallet.deps;
  const at = requireOneChange(wallet, wtx);
  const spent = wtx.tx.vin.map(({ prevout }) => wallet.txs.get(prevout.txid)?.tx.vout[prevout.vout] as TxOut);
  const size = new InputSizes(wallet.keys, chain.params.txFormat).transactionSize(wtx.tx, spent, false);
  if (size === undefined) throw new NodeError('invalid-address', 'Transaction contains inputs that cannot be signed');
  const oldFee = spent.reduce((sum, { value }) => sum + value, 0n) - wtx.tx.vout.reduce((sum, { value }) => sum + value, 0n);
  checkTotal(wallet, wtx, { total, oldFee, size });
  const { vout, fee } = withLessChange(wallet, wtx.tx, at, total, oldFee);
  const vin = wtx.tx.vin.map(({ prevout, sequence }) => ({
    prevout,
    scriptSig: EMPTY_BYTES,
    sequence: replaceable ? sequence : Math.max(sequence, SEQUENCE_NOT_FINAL),
    witness: [],
  }));
  const { version, lockTime } = wtx.tx;
  const tx = signAll(wallet, { version, vin, vout, lockTime }, spent);
  if (!tx) throw new NodeError('wallet', "Can't sign transaction.");
  replace(wallet, wtx, tx);
  return { tx, oldFee, newFee: fee };
}

/** Index of the only change output. @throws {NodeError} */
function requireOneChange(wallet: Wallet, { tx }: WalletTx): number {
  const found = [...tx.vout.keys()].filter((i) => wallet.isChange(tx.vout[i]?.scriptPubKey ?? EMPTY_BYTES));
  const [at] = found;
  if (found.length > 1) throw new NodeError('wallet', 'Transaction has multiple change outputs');
  if (at === undefined) throw new NodeError('wallet', 'Transaction does not have a change output');
  return at;
}

interface TotalFee {
  readonly total: bigint;
  readonly oldFee: bigint;
  /** Virtual bytes. */
  readonly size: number;
}

function checkTotal(wallet: Wallet, { tx }: WalletTx, { total, oldFee, size }: TotalFee): void {
  const { mempool, settings } = wallet.deps;
  const oldPart = feeForSize(feeRateOf(oldFee, virtualSize(tx)), size);
  const step = feeForSize(mempool.policy.incrementalRelayFeeRate, size);
  if (total < oldPart + step) {
    const parts = `(oldFee ${formatFee(oldPart)} + incrementalFee ${formatFee(step)})`;
    throw invalidParameter(`Insufficient totalFee, must be at least ${formatFee(oldPart + step)} ${parts}`);
  }
  const required = feeForSize(leastFeeRate(wallet), size);
  if (total < required) throw invalidParameter(`Insufficient totalFee (cannot be less than required fee ${formatFee(required)})`);
  if (total > settings.maxFee) {
    const limit = `(cannot be higher than -maxtxfee ${formatFee(settings.maxFee)})`;
    throw new NodeError('wallet', `Specified or calculated fee ${formatFee(total)} is too high ${limit}`);
  }
  const rate = feeRateOf(total, size);
  const least = mempool.minimumFeeRate();
  if (rate >= least) return;
  throw new NodeError(
    'wallet',
    `New fee rate (${formatFee(rate)}) is lower than the minimum fee rate (${formatFee(least)}) to get into the mempool -- the totalFee ` +
      `value should be at least ${formatFee(feeForSize(least, size))} to add transaction`,
  );
}

/** Subtracts the rise of the fee from the change output; removes that if it would be dust. */
function withLessChange(
  wallet: Wallet,
  tx: Transaction,
  at: number,
  total: bigint,
  oldFee: bigint,
): { readonly vout: readonly TxOut[]; readonly fee: bigint } {
  const { txFormat } = wallet.deps.chain.params;
  const change = tx.vout[at] as TxOut;
  const more = total - oldFee;
  if (change.value < more) throw new NodeError('wallet', 'Change output is too small to bump the fee');
  const left = { ...change, value: change.value - more };
  const dust = dustThreshold(left, tx.version, { dustRelayFeeRate: discardFeeRate(wallet) }, txFormat);
  if (left.value > dust) return { vout: tx.vout.with(at, left), fee: total };
  return { vout: tx.vout.filter((_, i) => i !== at), fee: total + left.value };
}

interface SplitOutputs extends Pick<BuildOptions, 'changeDestination' | 'changePosition'> {
  readonly recipients: readonly Recipient[];
}

/**
 * Payments and change of a transaction. The outputs of a custom transaction keep their positions, as it has no effect unless its message
 * is the first; `defid` puts change at a random position, and then the mempool rejects the replacement, or it transfers nothing.
 */
function splitOutputs(wallet: Wallet, { tx }: WalletTx): SplitOutputs {
  const isCustom = customTxPayload(tx) !== undefined;
  const recipients: Recipient[] = [];
  let changeDestination: Destination | undefined;
  for (const [i, { scriptPubKey, value, tokenId }] of tx.vout.entries()) {
    const mayBeChange = !isCustom || i === tx.vout.length - 1;
    if (mayBeChange && wallet.isChange(scriptPubKey)) changeDestination = destinationIn(wallet, scriptPubKey);
    else recipients.push({ script: scriptPubKey, amount: value, tokenId, paysFee: false });
  }
  return { recipients, changeDestination, changePosition: isCustom ? recipients.length : undefined };
}

/** The larger of the minimum rate of a replacement and the present rate for the options. */
function replacementRate(wallet: Wallet, { tx }: WalletTx, oldFee: bigint, options: BumpOptions): bigint {
  const { incrementalRelayFeeRate } = wallet.deps.mempool.policy;
  const step = incrementalRelayFeeRate > WALLET_INCREMENTAL_RATE ? incrementalRelayFeeRate : WALLET_INCREMENTAL_RATE;
  const least = (oldFee * 1000n) / BigInt(virtualSize(tx)) + 1n + step;
  const { rate } = chooseFeeRate(wallet, { ...options });
  return rate > least ? rate : least;
}

function build(wallet: Wallet, recipients: readonly Recipient[], options: BuildOptions): BuiltTransaction {
  try {
    // Added coins must be confirmed, as BIP125 requires.
    return buildTransaction(wallet, recipients, { ...options, minDepth: 1 });
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    wallet.commit();
    throw new NodeError('wallet', `Unable to create transaction: ${error.message}`);
  }
}
