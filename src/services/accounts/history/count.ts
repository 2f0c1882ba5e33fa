import { historyByOwner } from '../../../dfi/accounts/history-columns.js';
import { blockHistory, countHistory, type HistoryFilter, historyOwners, passesFilter } from '../../../dfi/accounts/history-queries.js';
import type { StateView } from '../../../storage/view.js';
import { equalBytes, toHex } from '../../../util/bytes.js';
import type { Slicer, Steps } from '../../../util/slicer.js';
import { isMine } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { accountsOf } from './lines.js';
import type { HistoryQuery } from './query.js';
import { countRewards } from './reward-count.js';
import { paymentsOf, type WalletPayment } from './wallet-payments.js';

type IsRecorded = (payment: WalletPayment) => boolean;

/** Number of lines in a history; without rewards the time does not grow with the number of records. @see docs/protocol/accounts.md 5.8 */
export async function countLines(query: HistoryQuery, tip: number, slicer: Slicer): Promise<number> {
  const { view, selection, filter, wallet } = query;
  const owners = selection === 'mine' ? await slicer.run(ownersOf(view, wallet)) : accountsOf(selection);
  const records = owners.reduce((sum, owner) => sum + countHistory(view, owner, filter), 0);
  const lines = records + (await slicer.run(countRewards(query, tip)));
  return query.showsPayments && wallet ? lines + (await slicer.run(countPayments(query, wallet, tip))) : lines;
}

function* ownersOf(view: StateView, wallet: Wallet | undefined): Steps<Uint8Array[]> {
  const own: Uint8Array[] = [];
  if (!wallet) return own;
  for (const owner of historyOwners(view)) {
    if (isMine(wallet, owner)) own.push(owner);
    yield;
  }
  return own;
}

/** Counts payments up to the tip whose transaction has no record among those of the accounts counted so far. */
function* countPayments({ view, selection, filter }: HistoryQuery, wallet: Wallet, tip: number): Steps<number> {
  if (typeof selection === 'string') {
    const mine = selection === 'mine';
    const isRecorded = recordedAmong(view, filter, (owner) => !mine || isMine(wallet, owner));
    return yield* count(paymentsOf(wallet, undefined, mine), isRecorded, tip);
  }
  let sum = 0;
  for (const [i, account] of selection.entries()) {
    const counted = selection.slice(0, i + 1);
    const isRecorded = (payment: WalletPayment): boolean => counted.some((owner) => hasRecord(view, filter, owner, payment));
    sum += yield* count(paymentsOf(wallet, account, false), isRecorded, tip);
  }
  return sum;
}

function* count(payments: Iterable<WalletPayment>, isRecorded: IsRecorded, tip: number): Steps<number> {
  let found = 0;
  for (const payment of payments) {
    // `defid` leaves out payments of disconnected blocks, but only of those above the tip.
    if (payment.height <= tip && !isRecorded(payment)) found += 1;
    yield;
  }
  return found;
}

function hasRecord(view: StateView, filter: HistoryFilter, owner: Uint8Array, { height, index, wtx }: WalletPayment): boolean {
  const key = { owner, height, txn: index };
  const record = view.get(historyByOwner, key);
  return record !== undefined && equalBytes(record.txid, wtx.tx.txid) && passesFilter(filter, { key, record });
}

/** Tests payments against records; the records of each block are read once. */
function recordedAmong(view: StateView, filter: HistoryFilter, isCounted: (owner: Uint8Array) => boolean): IsRecorded {
  const blocks = new Map<number, ReadonlySet<string>>();
  const recordedIn = (height: number): ReadonlySet<string> => {
    let txids = blocks.get(height);
    if (!txids) {
      const counted = [...blockHistory(view, height)].filter((entry) => isCounted(entry.key.owner) && passesFilter(filter, entry));
      txids = new Set(counted.map(({ record }) => toHex(record.txid)));
      blocks.set(height, txids);
    }
    return txids;
  };
  return ({ height, wtx }) => recordedIn(height).has(wtx.key);
}
