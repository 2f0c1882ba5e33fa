import type { Hash256 } from '../../primitives/hash.js';
import { NULL_HASH } from '../../primitives/hash.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import type { BlockEventContext } from '../context/block-event.js';
import type { Balances } from '../kernel/amounts.js';

/**
 * Context of a restart, of which nearly every step reads the id of DUSD. Its view is an overlay; history entries are kept even if the
 * restart fails, as in `defid`.
 */
export interface RestartContext extends BlockEventContext {
  /** Id of the DUSD token before the restart. */
  readonly dollar: number;
}

/**
 * Records a change in the history of a vault under the next event number, without txid.
 * @param owner owner of the vault, for a change of its loans; by default the change is of its collateral
 */
export function recordVaultChange(
  { history }: RestartContext,
  category: number,
  record: { readonly vaultId: Hash256; readonly differences: Balances; readonly owner?: Uint8Array },
): void {
  const { vaultId, differences, owner = EMPTY_BYTES } = record;
  const txn = history.takeEventTxn();
  history.vaults?.addChange({ vaultId, owner, differences }, { txid: NULL_HASH, category, txn });
}
