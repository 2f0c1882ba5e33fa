import { accountHistory, type HistoryEntry, passesFilter, wholeHistory } from '../../../dfi/accounts/history-queries.js';
import type { Reward } from '../../../dfi/rewards/queries.js';
import { equalBytes } from '../../../util/bytes.js';
import { isMine } from '../../../wallet/custom-tx/own-accounts.js';
import { UNBOUNDED } from '../../format/page.js';
import { ownHistory } from './own-history.js';
import type { HistoryQuery } from './query.js';
import type { Page } from './request.js';

/** Stored record, or a reward paid between two records. */
export type WalkedLine = { readonly entry: HistoryEntry } | { readonly reward: Reward };

/** Number of lines to collect. `defid` sums in 32 bits: without a limit, a `start` above 0 reduces the number to `start - 1`. */
export function budgetOf({ limit, start }: Page): number {
  return (limit + start) >>> 0;
}

/**
 * Records that pass the filter and the rewards between them, until there are enough. To list an account from a height below the
 * tip, rewind it to that height first.
 * @param account undefined for all accounts, or all of the wallet's
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

/** Rewinds the rewards of an account to the highest block of a page. Records of that block are reversed here and again by the walk. */
export function rewind({ view, rewards }: HistoryQuery, account: Uint8Array, { highest }: Page): void {
  if (!rewards) return;
  for (const { key, record } of accountHistory(view, account, { height: UNBOUNDED, txn: UNBOUNDED })) {
    if (key.height < highest) return;
    rewards.reverse(account, record.differences);
  }
}

/** Progress of a walk and its remaining budget. */
class Walk {
  readonly #mine: boolean;
  #budget: number;
  #shown = 0;
  #lastOwner: Uint8Array | undefined;
  /** Rewards of the last owner were listed down to this height. It is reset to the top whenever the owner changes. */
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

  /** True if enough lines were found. With `mine`, each account has a budget of its own. */
  get isFull(): boolean {
    return this.#budget === 0 && !this.#mine;
  }

  /** True if no later record can be listed. */
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
