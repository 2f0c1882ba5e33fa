import { accountHistory, type HistoryEntry, passesFilter, wholeHistory } from '../../dfi/accounts/history-queries.js';
import type { Reward } from '../../dfi/rewards/queries.js';
import { equalBytes } from '../../util/bytes.js';
import { isMine } from '../../wallet/own-accounts.js';
import type { HistoryQuery } from './history-lines.js';
import { type Page, UNBOUNDED } from './history-request.js';
import { ownHistory } from './own-history.js';

/** A record, or a reward that was paid between two of them. */
export type WalkedLine = { readonly entry: HistoryEntry } | { readonly reward: Reward };

/** The sum has 32 bits in the reference: with no limit, a start lets only so many be collected. */
export function budgetOf({ limit, start }: Page): number {
  return (limit + start) >>> 0;
}

/**
 * Records that count and the rewards between them, until there are enough. Who lists the records of an account from some height on
 * rewinds it to that height first.
 * @param account undefined: all accounts, or all of the wallet's
 */
export function* walkHistory(query: HistoryQuery, account: Uint8Array | undefined, page: Page): Generator<WalkedLine> {
  const { rewards, filter } = query;
  const walk = new Walk(query, account, page);
  for (const entry of recordsOf(query, account, page)) {
    if (walk.isOver(entry)) return;
    if (!filter.categories || filter.categories.has(entry.record.category)) yield* walk.linesOf(entry);
    rewards?.reverse(entry.key.owner, entry.record.differences);
    if (walk.isFull) return;
  }
}

function recordsOf({ view, selection, wallet }: HistoryQuery, account: Uint8Array | undefined, page: Page): Iterable<HistoryEntry> {
  const from = { height: page.highest, txn: page.txn };
  if (account) return accountHistory(view, account, from);
  if (selection !== 'mine') return wholeHistory(view, from);
  return wallet ? ownHistory(view, (owner) => isMine(wallet, owner), page.highest) : [];
}

/** Goes back to the highest block of a page. Records of that block itself are reversed here and once more when they are met. */
export function rewind({ view, rewards }: HistoryQuery, account: Uint8Array, { highest }: Page): void {
  if (!rewards) return;
  for (const { key, record } of accountHistory(view, account, { height: UNBOUNDED, txn: UNBOUNDED })) {
    if (key.height < highest) return;
    rewards.reverse(account, record.differences);
  }
}

/** How far a walk has come, and what may still be shown. */
class Walk {
  readonly #mine: boolean;
  #budget: number;
  #shown = 0;
  #lastOwner: Uint8Array | undefined;
  /** Rewards of the last owner are shown down to here. Where owners alternate, it begins at the top again. */
  #windowEnd: number;

  constructor(
    private readonly query: HistoryQuery,
    private readonly account: Uint8Array | undefined,
    private readonly page: Page,
  ) {
    this.#mine = query.selection === 'mine';
    this.#budget = budgetOf(page);
    this.#windowEnd = page.highest;
  }

  /** Enough is found. Of the wallet's accounts each may show as much. */
  get isFull(): boolean {
    return this.#budget === 0 && !this.#mine;
  }

  /** Nothing that follows can be shown. */
  isOver({ key }: HistoryEntry): boolean {
    const { lowest, limit, start } = this.page;
    const isOld = key.height < lowest;
    if (this.query.rewards) return isOld && this.account !== undefined && this.#windowEnd <= lowest;
    return isOld || (this.#mine && this.#shown >= limit + start);
  }

  *linesOf(entry: HistoryEntry): Generator<WalkedLine> {
    const { owner, height } = entry.key;
    const isNext = this.#lastOwner === undefined || !equalBytes(owner, this.#lastOwner);
    if (this.#mine && isNext) this.#budget = budgetOf(this.page);
    else if (this.#mine && this.#budget === 0) return;
    if (isNext && this.account === undefined) {
      this.query.rewards?.restart();
      this.#windowEnd = this.page.highest;
    }
    this.#lastOwner = owner;
    if (height >= this.page.lowest && passesFilter(this.query.filter, entry)) {
      yield { entry };
      this.#shown += 1;
      this.#budget = (this.#budget - 1) >>> 0;
    }
    const windowBegin = Math.max(height, this.page.lowest);
    if (this.#budget !== 0 && this.#windowEnd > windowBegin) yield* this.#rewards(owner, windowBegin);
    this.#windowEnd = windowBegin;
  }

  *#rewards(owner: Uint8Array, begin: number): Generator<WalkedLine> {
    const { rewards, filter } = this.query;
    if (!rewards) return;
    for (const reward of rewards.between(owner, begin, this.#windowEnd)) {
      if (filter.tokenId !== undefined && filter.tokenId !== reward.tokenId) continue;
      yield { reward };
      if (this.#budget > 0) this.#budget -= 1;
    }
  }
}
