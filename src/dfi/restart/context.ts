import type { Hash256 } from '../../primitives/hash.js';
import { NULL_HASH } from '../../primitives/hash.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import type { BlockEventContext } from '../context/block-event.js';
import type { Balances } from '../kernel/amounts.js';

/** Where a restart is carried out, on a view of its own. The histories keep what it did even if it fails. */
export interface RestartContext extends BlockEventContext {
  /** Token of DUSD before the restart. */
  readonly dollar: number;
}

/** Type byte that the histories show for what a restart locks. */
export const TOKEN_LOCK = '?'.charCodeAt(0);

/**
 * Tells the history of a vault, under a number of its own. Such records name no transaction.
 * @param owner of the vault where it is about what is owed; by default about its collateral
 */
export function noteVault(
  { history }: RestartContext,
  category: number,
  record: { readonly vaultId: Hash256; readonly differences: Balances; readonly owner?: Uint8Array },
): void {
  const { vaultId, differences, owner = EMPTY_BYTES } = record;
  const txn = history.takeEventTxn();
  history.vaults?.addChange({ vaultId, owner, differences }, { txid: NULL_HASH, category, txn });
}
