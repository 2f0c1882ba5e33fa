import { formatHash } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { Wallet } from '../wallet.js';

/**
 * Takes a transaction of its own into the wallet and sends it. It is on disk before anyone else hears of it; where the mempool
 * refuses it, it stays in the wallet until it gets through, or is given up.
 * @throws {WalletNotWritten} with nothing sent
 * @see docs/protocol/wallet.md 2.13
 */
export function commitTransaction(wallet: Wallet, tx: Transaction, notes: ReadonlyMap<string, string>): void {
  const { mempool, settings, relay, log } = wallet.deps;
  const isNew = wallet.txs.get(tx.txid) === undefined;
  const wtx = wallet.tracker.take(tx, undefined, { notes });
  try {
    wallet.commit();
  } catch (error) {
    // The caller is told that nothing was sent, so it must not be sent later either.
    if (isNew) wallet.txs.remove(wtx);
    throw error;
  }
  if (!settings.broadcast) return;
  const verdict = mempool.accept(wtx.tx, { absurdFee: settings.maxFee });
  if (verdict.status === 'accepted') {
    relay?.announce(wtx.tx);
    return;
  }
  const reason = verdict.status === 'rejected' ? verdict.reason : verdict.status;
  log.warn('the mempool refused a transaction of the wallet', { txid: formatHash(tx.txid), reason });
}
