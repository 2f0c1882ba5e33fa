import { type HistoryKey, historyByOwner } from '../../../dfi/accounts/history-columns.js';
import { wholeHistoryKeys } from '../../../dfi/accounts/history-queries.js';
import { type PastRewards, TipRewardCounts } from '../../../dfi/rewards/queries.js';
import { equalBytes } from '../../../util/bytes.js';
import type { Steps } from '../../../util/slicer.js';
import { UNBOUNDED } from '../../format/page.js';
import { accountsOf } from './lines.js';
import type { HistoryQuery } from './query.js';
import type { Page } from './request.js';
import { Walk } from './walk.js';

/** Number of all rewards between the records of a query's owners: from each record up to the next. */
export function* countRewards(query: HistoryQuery, tip: number): Steps<number> {
  const { rewards, selection, filter, keepsReversed } = query;
  if (!rewards) return 0;
  if (selection === 'all' && !filter.categories && !keepsReversed) return yield* countOfAll(query, rewards, tip);
  const whole: Page = { highest: tip, lowest: 0, txn: UNBOUNDED, isPart: false, start: 0, limit: UNBOUNDED };
  let found = 0;
  for (const account of accountsOf(selection)) {
    for (const { window } of new Walk(query, account, whole).steps()) {
      if (window) found += yield* rewards.count(window.owner, window.begin, window.end, filter.tokenId);
      yield;
    }
  }
  return found;
}

/**
 * Number of all rewards between the records of all accounts. As `defid` does, it counts the rewards from a record up to the tip once more
 * where the next record has another owner, which is nearly everywhere. This needs neither the records nor their changes.
 */
function* countOfAll({ view, filter }: HistoryQuery, rewards: PastRewards, tip: number): Steps<number> {
  const toTip = new TipRewardCounts(view, rewards.params, tip, filter.tokenId);
  let found = 0;
  let last: HistoryKey | undefined;
  for (const key of wholeHistoryKeys(view, { height: tip, txn: UNBOUNDED })) {
    const { owner, height } = key;
    if (last && equalBytes(last.owner, owner)) {
      rewards.reverse(owner, view.get(historyByOwner, last)?.differences ?? []);
      if (last.height > height) found += yield* rewards.count(owner, height, last.height, filter.tokenId);
    } else {
      rewards.restart();
      found += yield* toTip.count(owner, height);
    }
    last = key;
    yield;
  }
  return found;
}
