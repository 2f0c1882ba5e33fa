import { submit } from '../../mempool/submit.js';
import { formatHash } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { NodeError } from '../../util/errors.js';
import type { Wallet } from '../wallet.js';

export interface CommitOptions {
  /** Texts stored with the transaction, by the names of the store. */
  readonly notes?: ReadonlyMap<string, string>;
  /**
   * Submits even with `-walletbroadcast=0`, and makes a rejection an error after which the wallet has no trace of the transaction.
   * `defid` sends custom transactions in this way, as `sendrawtransaction` does. `absurdFee` is the maximum fee, satoshis.
   */
  readonly mustBeAccepted?: { readonly absurdFee: bigint };
}

/**
 * Sends a transaction that the wallet built. It is on disk before it is submitted to the mempool and announced to peers. By default a
 * rejected transaction stays in the wallet, which submits it again until it is accepted, and `-walletbroadcast=0` only stores it.
 * @throws {WalletNotWritten} before anything is sent
 * @throws {NodeError} of `submit`, with `mustBeAccepted`
 * @see docs/protocol/wallet.md 2.13, docs/protocol/accounts.md 6.4
 */
export function commitTransaction(wallet: Wallet, tx: Transaction, options: CommitOptions = {}): void {
  const { settings, relay, log } = wallet.deps;
  const { mustBeAccepted } = options;
  const forget = record(wallet, tx, options);
  try {
    wallet.commit();
  } catch (error) {
    // The caller learns that nothing was sent, so it must not be sent later either.
    forget();
    throw error;
  }
  if (!mustBeAccepted && !settings.broadcast) return;
  try {
    submit(wallet.deps, tx, mustBeAccepted?.absurdFee ?? settings.maxFee);
  } catch (error) {
    if (!mustBeAccepted && error instanceof NodeError) {
      log.warn('transaction of the wallet rejected by the mempool', { txid: formatHash(tx.txid), reason: error.message });
      return;
    }
    if (mustBeAccepted) {
      forget();
      wallet.commit();
    }
    throw error;
  }
  relay?.announce(tx);
}

/**
 * Adds the transaction to the wallet. One that must be accepted is added silently, as clients are notified of it, and its addresses
 * are marked as used, when it enters the mempool.
 * @returns a function that removes it again, unless the wallet had it before
 */
function record({ txs, tracker, outputLocks }: Wallet, tx: Transaction, { notes, mustBeAccepted }: CommitOptions): () => void {
  const isKnown = txs.get(tx.txid) !== undefined;
  if (isKnown && mustBeAccepted) return () => {};
  const locked = tx.vin.map(({ prevout }) => prevout).filter((point) => outputLocks.has(point));
  const wtx = mustBeAccepted ? tracker.addSilently(tx) : tracker.import(tx, undefined, { notes: notes ?? new Map() });
  return () => {
    if (isKnown) return;
    txs.remove(wtx);
    for (const point of locked) outputLocks.add(point);
  };
}
