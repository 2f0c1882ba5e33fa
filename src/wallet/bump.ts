import { signalsReplaceable } from '../mempool/replacement.js';
import { formatHash } from '../primitives/hash.js';
import { type Transaction, virtualSize } from '../primitives/transaction.js';
import { type Destination, destinationOf } from '../script/address.js';
import { NodeError } from '../util/errors.js';
import { BuildFailed, type BuiltTransaction, buildTransaction, type Recipient } from './builder.js';
import { sendOwn } from './commit.js';
import { chooseFeeRate, type EstimateMode } from './fees.js';
import { Ownership } from './ownership.js';
import { debitOf, spendableOutputs } from './trust.js';
import type { Wallet } from './wallet.js';
import type { WalletTx } from './wallet-tx.js';

/** How a replacement is to be paid for. */
export interface BumpWish {
  readonly confirmTarget: number | undefined;
  readonly estimateMode: EstimateMode;
  /** The replacement can be replaced again. */
  readonly replaceable: boolean;
}

export interface Bumped {
  readonly tx: Transaction;
  readonly oldFee: bigint;
  readonly newFee: bigint;
}

/** What a replacement pays more than what it replaces, at least: satoshis per 1,000 virtual bytes. */
const WALLET_INCREMENTAL_RATE = 5_000n;

/** @throws {NodeError} if a transaction cannot be replaced. @see spec: wallet 3.6 */
export function checkBumpable(wallet: Wallet, wtx: WalletTx): void {
  const { chain, mempool } = wallet.deps;
  const refuse = (message: string): NodeError => new NodeError('wallet', message);
  if (wallet.txs.childrenOf(wtx).size > 0) throw new NodeError('invalid-parameter', 'Transaction has descendants in the wallet');
  if (mempool.pool.spendersOf(wtx.tx).size > 0) throw new NodeError('invalid-parameter', 'Transaction has descendants in the mempool');
  if (wtx.depth(chain) !== 0) throw refuse('Transaction has been mined, or is conflicted with a mined transaction');
  if (!signalsReplaceable(wtx.tx)) throw refuse('Transaction is not BIP 125 replaceable');
  const other = wtx.notes.get('replaced_by_txid');
  if (other !== undefined) {
    throw refuse(`Cannot bump transaction ${formatHash(wtx.tx.txid)} which was already bumped by transaction ${other}`);
  }
  const allOwn = wtx.tx.vin.every(({ prevout }) => {
    const parent = wallet.txs.get(prevout.txid);
    return parent !== undefined && wallet.outputsOf(parent)[prevout.vout] === Ownership.Spendable;
  });
  if (!allOwn) throw refuse("Transaction contains inputs that don't belong to this wallet");
}

/**
 * Replaces a transaction by one that pays a higher rate, from the same inputs and perhaps more.
 * @throws {NodeError}
 */
export function bumpFee(wallet: Wallet, wtx: WalletTx, wish: BumpWish): Bumped {
  checkBumpable(wallet, wtx);
  const oldFee = debitOf(wallet, wtx, spendableOutputs) - wtx.tx.vout.reduce((sum, { value }) => sum + value, 0n);
  const { recipients, change } = splitOutputs(wallet, wtx);
  const inputs = wtx.tx.vin.map(({ prevout }) => prevout);
  const feeRate = replacementRate(wallet, wtx, oldFee, wish);
  const built = build(wallet, recipients, change, { feeRate, inputs, replaceable: wish.replaceable });
  const notes = new Map(wtx.notes);
  notes.set('replaces_txid', formatHash(wtx.tx.txid));
  // Both marks are written with the new transaction, before anyone hears of it.
  wtx.notes.set('replaced_by_txid', formatHash(built.tx.txid));
  wallet.txs.save(wtx);
  sendOwn(wallet, built.tx, notes);
  return { tx: built.tx, oldFee, newFee: built.fee };
}

function splitOutputs(wallet: Wallet, { tx }: WalletTx): { readonly recipients: Recipient[]; readonly change: Destination | undefined } {
  const recipients: Recipient[] = [];
  let change: Destination | undefined;
  for (const { scriptPubKey, value, tokenId } of tx.vout) {
    if (wallet.isChange(scriptPubKey)) change = destinationOf(scriptPubKey);
    else recipients.push({ script: scriptPubKey, amount: value, tokenId, paysFee: false });
  }
  return { recipients, change };
}

/** What relay wants of a replacement, or what the fee should be by now, whichever is more. */
function replacementRate(wallet: Wallet, { tx }: WalletTx, oldFee: bigint, wish: BumpWish): bigint {
  const { incrementalRelayFeeRate } = wallet.deps.mempool.policy;
  const step = incrementalRelayFeeRate > WALLET_INCREMENTAL_RATE ? incrementalRelayFeeRate : WALLET_INCREMENTAL_RATE;
  const least = (oldFee * 1000n) / BigInt(virtualSize(tx)) + 1n + step;
  const { rate } = chooseFeeRate(wallet, { ...wish });
  return rate > least ? rate : least;
}

function build(
  wallet: Wallet,
  recipients: readonly Recipient[],
  change: Destination | undefined,
  {
    feeRate,
    inputs,
    replaceable,
  }: { readonly feeRate: bigint; readonly inputs: readonly Transaction['vin'][number]['prevout'][]; readonly replaceable: boolean },
): BuiltTransaction {
  try {
    // More coins may be needed, but only such as are safe from being replaced themselves.
    return buildTransaction(wallet, recipients, { feeRate, inputs, changeDestination: change, minDepth: 1, replaceable });
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    wallet.commit();
    throw new NodeError('wallet', `Unable to create transaction: ${error.message}`);
  }
}
