import { accountHistory, type HistoryEntry, passesFilter, wholeHistory } from '../../../dfi/accounts/history-queries.js';
import { equalBytes } from '../../../util/bytes.js';
import { isMine } from '../../../wallet/custom-tx/own-accounts.js';
import { UNBOUNDED } from '../../format/page.js';
import { ownHistory } from './own-history.js';
import type { HistoryQuery } from './query.js';
import type { Page } from './request.js';

/** Blocks from `begin` up to, but excluding, `end`, whose rewards belong between two records of an owner. */
export interface RewardWindow {
  readonly owner: Uint8Array;
  readonly begin: number;
  readonly end: number;
  /** The page has no rewards from this block on. */
  readonly top: number;
}

/** Stored record, or a place between two records where rewards belong; neither after a record that is not listed. */
export interface Step {
  readonly entry?: HistoryEntry;
  readonly window?: RewardWindow;
}

const NOTHING: Step = {};

/** Number of lines to collect. `defid` sums in 32 bits: without a limit, a `start` above 0 reduces the number to `start - 1`. */
export function budgetOf({ limit, start }: Page): number {
  return (limit + start) >>> 0;
}

/**
 * Walk over the records that pass the filter and the rewards between them, until there are enough lines. To list an account from a height
 * below the tip, rewind it to that height first.
 */
export class Walk {
  readonly #mine: boolean;
  #budget: number;
  #shown = 0;
  #lastOwner: Uint8Array | undefined;
  /** Rewards of the last owner were listed down to this height. It is reset to the top whenever the owner changes. */
  #windowEnd: number;

  /**
   * @param account undefined for all accounts, or all of the wallet's
   * @param windowEnd height of the last record above the page, or of the tip
   */
  constructor(
    private readonly query: HistoryQuery,
    private readonly account: Uint8Array | undefined,
    private readonly page: Page,
    windowEnd = page.highest,
  ) {
    this.#mine = query.selection === 'mine';
    this.#budget = budgetOf(page);
    this.#windowEnd = windowEnd;
  }

  /** Steps of the walk. The caller reports the rewards of a window with {@link spend} before it asks for the next step. */
  *steps(): Generator<Step> {
    const { rewards, filter } = this.query;
    for (const entry of recordsOf(this.query, this.account, this.page)) {
      if (!entry) {
        yield NOTHING;
        continue;
      }
      if (this.#isOver(entry)) return;
      if (!filter.categories || filter.categories.has(entry.record.category)) yield* this.#stepsOf(entry);
      else yield NOTHING;
      rewards?.reverse(entry.key.owner, entry.record.differences);
      if (this.#isFull) return;
    }
  }

  /** Reduces the number of lines that are still needed. */
  spend(lines: number): void {
    this.#budget = Math.max(0, this.#budget - lines);
  }

  /** True if enough lines were found. With `mine`, each account has a budget of its own. */
  get #isFull(): boolean {
    return this.#budget === 0 && !this.#mine;
  }

  /** True if no later record can be listed. */
  #isOver({ key }: HistoryEntry): boolean {
    const { lowest, limit, start } = this.page;
    const isOld = key.height < lowest;
    if (this.query.rewards) return isOld && this.account !== undefined && this.#windowEnd <= lowest;
    return isOld || (this.#mine && this.#shown >= limit + start);
  }

  *#stepsOf(entry: HistoryEntry): Generator<Step> {
    const { owner, height } = entry.key;
    const isNext = this.#lastOwner === undefined || !equalBytes(owner, this.#lastOwner);
    if (this.#mine && isNext) this.#budget = budgetOf(this.page);
    else if (this.#mine && this.#budget === 0) {
      yield NOTHING;
      return;
    }
    if (isNext && this.account === undefined) {
      if (!this.query.keepsReversed) this.query.rewards?.restart();
      this.#windowEnd = this.page.highest;
    }
    this.#lastOwner = owner;
    if (height >= this.page.lowest && passesFilter(this.query.filter, entry)) {
      yield { entry };
      this.#shown += 1;
      this.#budget = (this.#budget - 1) >>> 0;
    } else yield NOTHING;
    const begin = Math.max(height, this.page.lowest);
    if (this.query.rewards && this.#budget !== 0 && this.#windowEnd > begin) {
      const end = this.#windowEnd;
      yield { window: { owner, begin, end, top: Math.min(end, this.page.highest + 1) } };
    }
    this.#windowEnd = begin;
  }
}

function recordsOf(
  { view, selection, wallet }: HistoryQuery,
  account: Uint8Array | undefined,
  page: Page,
): Iterable<HistoryEntry | undefined> {
  const from = { height: page.highest, txn: page.txn };
  if (account) return accountHistory(view, account, from);
  if (selection !== 'mine') return wholeHistory(view, from);
  return wallet ? ownHistory(view, (owner) => isMine(wallet, owner), page.highest) : [];
}

/**
 * Rewinds the rewards of an account to the highest block of a page. Records of that block are reversed here and again by the walk, unless
 * the page is a part of the whole list.
 * @param tip height of the tip
 * @returns end of the first window of the walk
 */
export function rewind({ view, rewards, filter }: HistoryQuery, account: Uint8Array, { highest, isPart }: Page, tip: number): number {
  let end = isPart ? tip : highest;
  if (!rewards) return end;
  for (const { key, record } of accountHistory(view, account, { height: UNBOUNDED, txn: UNBOUNDED })) {
    if (key.height < highest || (isPart && key.height === highest)) return end;
    rewards.reverse(account, record.differences);
    if (isPart && (!filter.categories || filter.categories.has(record.category))) end = key.height;
  }
  return end;
}
