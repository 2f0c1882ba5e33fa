import type { AccountHistoryRecord } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { toHex } from '../../../util/bytes.js';
import type { Slicer } from '../../../util/slicer.js';
import { UNBOUNDED } from '../../format/page.js';
import { type EntryForm, formatHistoryEntry, formatReward } from './entry-format.js';
import type { HistoryQuery } from './query.js';
import type { Page, Selection } from './request.js';
import { budgetOf, rewind, type WalkedLine, walkHistory } from './walk.js';
import { formatPayment, paymentsOf, type WalletPayment } from './wallet-payments.js';

/** Line of a listed history: a record, a reward, or a payment sent or received by the wallet. */
type Line = WalkedLine | { readonly payment: WalletPayment };

/** History record of a line. */
export function formatLine(line: Line, form: EntryForm): AccountHistoryRecord {
  if ('entry' in line) return formatHistoryEntry(line.entry, form);
  return 'reward' in line ? formatReward(line.reward, form) : formatPayment(line.payment, form);
}

/** Accounts to walk one after the other; undefined means all accounts, or all of the wallet's, at once. */
export function accountsOf(selection: Selection): readonly (Uint8Array | undefined)[] {
  return typeof selection === 'string' ? [undefined] : selection;
}

/** Lines of a page, newest block first. @see docs/protocol/accounts.md 5.7 */
export async function listLines(query: HistoryQuery, page: Page, slicer: Slicer): Promise<Line[]> {
  const lines = new Lines();
  const seen = new Set<string>();
  for (const account of accountsOf(query.selection)) {
    if (account) rewind(query, account, page);
    for (const line of walkHistory(query, account, page)) {
      await slicer.pause();
      lines.add('entry' in line ? line.entry.key.height : line.reward.height, line);
      if ('entry' in line) seen.add(toHex(line.entry.record.txid));
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

function isOnPage({ height, index }: WalletPayment, { highest, lowest, txn }: Page): boolean {
  if (height < lowest || height > highest) return false;
  return txn === UNBOUNDED || height !== highest || index <= txn;
}

/** Lines grouped by height; insertion order within a height. */
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
