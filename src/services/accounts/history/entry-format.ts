import type { AccountHistoryRecord } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { HistoryEntry } from '../../../dfi/accounts/history-queries.js';
import { categoryName } from '../../../dfi/execution/registry.js';
import type { Reward } from '../../../dfi/rewards/queries.js';
import { formatHash } from '../../../primitives/hash.js';
import type { StateView } from '../../../storage/view.js';
import { formatTokenAmount, type TokenNaming } from '../../format/amounts.js';
import { formatOwner } from '../../format/owner.js';
import type { AccountsModules } from '../modules.js';

/** Context for showing history entries. */
export interface EntryForm {
  readonly chain: Pick<AccountsModules['chain'], 'params' | 'entryAt'>;
  readonly view: StateView;
  readonly naming: TokenNaming;
}

const REWARD_TYPES = { coinbase: 'Coinbase', loan: 'LoanTokenDEXReward', custom: 'Pool' } as const;

/** Pseudo entry for a reward of a pool. @see docs/protocol/accounts.md 5.5 */
export function formatReward({ owner, height, pool, kind, tokenId, amount }: Reward, form: EntryForm): AccountHistoryRecord {
  const { chain, view, naming } = form;
  const block = chain.entryAt(height);
  return {
    owner: formatOwner(owner, chain.params),
    blockheight: height,
    blockhash: block && formatHash(block.hash),
    blocktime: block?.time,
    type: kind === 'commission' ? 'Commission' : 'Rewards',
    rewardtype: kind === 'commission' ? undefined : REWARD_TYPES[kind],
    poolid: String(pool),
    amounts: { amounts: [formatTokenAmount(view, { tokenId, amount }, naming)] },
  };
}

/** Stored history entry. @see docs/protocol/accounts.md 5.5 */
export function formatHistoryEntry({ key, record }: HistoryEntry, form: EntryForm): AccountHistoryRecord {
  const { chain, view, naming } = form;
  const block = chain.entryAt(key.height);
  return {
    owner: formatOwner(key.owner, chain.params),
    blockheight: key.height,
    blockhash: block && formatHash(block.hash),
    blocktime: block?.time,
    type: categoryName(record.category),
    txn: key.txn,
    txid: formatHash(record.txid),
    amounts: { amounts: record.differences.map((each) => formatTokenAmount(view, each, naming)) },
  };
}
