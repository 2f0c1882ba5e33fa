import type { AccountHistoryRecord } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import { accountHistory, type HistoryEntry, type HistoryFilter, passesFilter, wholeHistory } from '../../dfi/queries/history.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Slicer } from '../../util/slicer.js';
import { isMine } from '../../wallet/own-accounts.js';
import type { Wallet } from '../../wallet/wallet.js';
import { type EntryForm, formatHistoryEntry } from './history-entry.js';
import { type Page, type Selection, UNBOUNDED } from './history-request.js';
import { ownHistory } from './own-history.js';
import { formatPayment, paymentsOf, type WalletPayment } from './wallet-payments.js';

/** What is listed of a history, and from where. */
export interface HistoryQuery {
  readonly view: StateView;
  readonly selection: Selection;
  readonly filter: HistoryFilter;
  /** Undefined: nothing is mine, and there are no payments beside the records. */
  readonly wallet: Wallet | undefined;
  /** Payments of the wallet are listed too. */
  readonly showsPayments: boolean;
}

/** One line of a listed history: a record, or an output that the wallet paid or got. */
type Line = { readonly entry: HistoryEntry } | { readonly payment: WalletPayment };

export function formatLine(line: Line, form: EntryForm): AccountHistoryRecord {
  return 'entry' in line ? formatHistoryEntry(line.entry, form) : formatPayment(line.payment, form);
}

/** Accounts that are looked through one after the other; undefined stands for all, or all of the wallet's, at once. */
export function accountsOf(selection: Selection): readonly (Uint8Array | undefined)[] {
  return typeof selection === 'string' ? [undefined] : selection;
}

/** @see spec: accounts 5.7 */
export async function listLines(query: HistoryQuery, page: Page, slicer: Slicer): Promise<Line[]> {
  const lines = new Lines();
  const seen = new Set<string>();
  for (const account of accountsOf(query.selection)) {
    for (const entry of entriesOf(query, account, page)) {
      await slicer.pause();
      lines.add(entry.key.height, { entry });
      seen.add(toHex(entry.record.txid));
    }
    if (!query.showsPayments || !query.wallet) continue;
    let budget = budgetOf(page);
    for (const payment of paymentsOf(query.wallet, account, query.selection === 'mine')) {
      await slicer.pause();
      if (seen.has(payment.wtx.key) || !isOnPage(payment, page)) continue;
      lines.add(payment.height, { payment });
      budget = (budget - 1) >>> 0;
      if (budget === 0) break;
    }
  }
  return lines.newestFirst().slice(page.start, page.start + page.limit);
}

/** The sum has 32 bits in the reference: with no limit, a start lets only so many be collected. */
function budgetOf({ limit, start }: Page): number {
  return (limit + start) >>> 0;
}

function isOnPage({ height, index }: WalletPayment, { highest, lowest, txn }: Page): boolean {
  if (height < lowest || height > highest) return false;
  return txn === UNBOUNDED || height !== highest || index <= txn;
}

/** Records that count, until there are enough of them: of the wallet's accounts, each time that another one follows, anew. */
function* entriesOf(query: HistoryQuery, account: Uint8Array | undefined, page: Page): Generator<HistoryEntry> {
  const { view, selection, filter, wallet } = query;
  const mine = selection === 'mine';
  if (mine && !wallet) return;
  const from = { height: page.highest, txn: page.txn };
  const history = account
    ? accountHistory(view, account, from)
    : mine && wallet
      ? ownHistory(view, (owner) => isMine(wallet, owner), page.highest)
      : wholeHistory(view, from);
  let budget = budgetOf(page);
  let shown = 0;
  let lastOwner: Uint8Array | undefined;
  for (const entry of history) {
    const { owner, height } = entry.key;
    // What would come later stands behind all that can be shown.
    if (height < page.lowest || (mine && shown >= page.limit + page.start)) return;
    if (filter.categories && !filter.categories.has(entry.record.category)) continue;
    const isNext = lastOwner === undefined || !equalBytes(owner, lastOwner);
    lastOwner = owner;
    if (mine && isNext) budget = budgetOf(page);
    else if (mine && budget === 0) continue;
    if (passesFilter(filter, entry)) {
      yield entry;
      shown += 1;
      budget = (budget - 1) >>> 0;
    }
    if (budget === 0 && !mine) return;
  }
}

/** Lines by height, at each height in the order in which they came. */
class Lines {
  readonly #byHeight = new Map<number, Line[]>();

  add(height: number, line: Line): void {
    const others = this.#byHeight.get(height);
    if (others) others.push(line);
    else this.#byHeight.set(height, [line]);
  }

  newestFirst(): Line[] {
    return [...this.#byHeight].sort(([a], [b]) => b - a).flatMap(([, lines]) => lines);
  }
}
