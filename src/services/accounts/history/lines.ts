import type { AccountHistoryRecord } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { HistoryEntry } from '../../../dfi/accounts/history-queries.js';
import type { Reward } from '../../../dfi/rewards/queries.js';
import { toHex } from '../../../util/bytes.js';
import type { Slicer } from '../../../util/slicer.js';
import { ByHeight } from '../../format/by-height.js';
import { UNBOUNDED } from '../../format/page.js';
import { type EntryForm, formatHistoryEntry, formatReward } from './entry-format.js';
import type { HistoryQuery } from './query.js';
import type { Page, Selection } from './request.js';
import { budgetOf, type RewardWindow, rewind, Walk } from './walk.js';
import { formatPayment, paymentsOf, type WalletPayment } from './wallet-payments.js';

/** Line of a listed history: a record, a reward, or a payment sent or received by the wallet. */
type Line = { readonly entry: HistoryEntry } | { readonly reward: Reward } | { readonly payment: WalletPayment };

/** History record of a line. */
export function formatLine(line: Line, form: EntryForm): AccountHistoryRecord {
  if ('entry' in line) return formatHistoryEntry(line.entry, form);
  return 'reward' in line ? formatReward(line.reward, form) : formatPayment(line.payment, form);
}

/** Accounts to walk one after the other; undefined means all accounts, or all of the wallet's, at once. */
export function accountsOf(selection: Selection): readonly (Uint8Array | undefined)[] {
  return typeof selection === 'string' ? [undefined] : selection;
}

/** Lines of a page, newest block first. @param tip height of the tip @see docs/protocol/accounts.md 5.7 */
export async function listLines(query: HistoryQuery, page: Page, tip: number, slicer: Slicer): Promise<Line[]> {
  const lines = new ByHeight<Line>();
  const seen = new Set<string>();
  for (const account of accountsOf(query.selection)) {
    const walk = new Walk(query, account, page, account && rewind(query, account, page, tip));
    for (const { entry, window } of walk.steps()) {
      const paused = slicer.pause();
      if (paused) await paused;
      if (window) walk.spend(await addRewards(query, window, page, lines, slicer));
      if (!entry) continue;
      lines.add(entry.key.height, { entry });
      seen.add(toHex(entry.record.txid));
    }
    if (!query.showsPayments || !query.wallet) continue;
    const payments = paymentsOf(query.wallet, account, query.selection === 'mine');
    await addPayments(payments, { page, seen, lines }, slicer);
  }
  const all = await slicer.run(lines.newestFirst());
  return all.slice(page.start, page.start + page.limit);
}

/** Adds the payments that the page may contain. @param found.seen transactions that have lines already: txids in hex, wire order */
async function addPayments(
  payments: Iterable<WalletPayment>,
  { page, seen, lines }: { readonly page: Page; readonly seen: ReadonlySet<string>; readonly lines: ByHeight<Line> },
  slicer: Slicer,
): Promise<void> {
  let budget = budgetOf(page);
  for (const payment of payments) {
    await slicer.pause();
    if (seen.has(payment.wtx.key) || !isOnPage(payment, page)) continue;
    lines.add(payment.height, { payment });
    budget = (budget - 1) >>> 0;
    if (budget === 0) return;
  }
}

/** Adds the rewards of a window that the page may contain: its newest ones. @returns their number */
async function addRewards(
  { rewards, filter }: HistoryQuery,
  { owner, begin, end, top }: RewardWindow,
  { start, limit }: Page,
  lines: ByHeight<Line>,
  slicer: Slicer,
): Promise<number> {
  let found = 0;
  for (const batch of rewards?.newestFirst(owner, begin, end, top) ?? []) {
    const paused = slicer.pause();
    if (paused) await paused;
    for (const reward of batch) {
      if (filter.tokenId !== undefined && filter.tokenId !== reward.tokenId) continue;
      lines.add(reward.height, { reward });
      found += 1;
      if (found >= start + limit) return found;
    }
  }
  return found;
}

function isOnPage({ height, index }: WalletPayment, { highest, lowest, txn }: Page): boolean {
  if (height < lowest || height > highest) return false;
  return txn === UNBOUNDED || height !== highest || index <= txn;
}
