import type { AccountHistoryRecord } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { HistoryEntry } from '../../dfi/queries/history.js';
import { categoryName } from '../../dfi/tx/registry.js';
import { formatHash } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { formatOwner } from '../format/owner.js';
import { formatTokenAmount, type TokenNaming } from '../format/shown-amounts.js';
import type { AccountsModules } from './modules.js';

/** What entries are shown by. */
export interface EntryForm {
  readonly chain: Pick<AccountsModules['chain'], 'params' | 'entryAt'>;
  readonly view: StateView;
  readonly naming: TokenNaming;
}

/** A recorded entry. @see spec: accounts 5.5 */
export function formatHistoryEntry({ key, record }: HistoryEntry, { chain, view, naming }: EntryForm): AccountHistoryRecord {
  const block = chain.entryAt(key.height);
  return {
    owner: formatOwner(key.owner, chain.params),
    blockheight: key.height,
    ...(block ? { blockhash: formatHash(block.hash), blocktime: block.time } : {}),
    type: categoryName(record.category),
    txn: key.txn,
    txid: formatHash(record.txid),
    amounts: { amounts: record.differences.map((each) => formatTokenAmount(view, each, naming)) },
  };
}
