import { Accounts } from '../accounts/columns.js';
import { endLiquidation } from '../auctions/closing.js';
import { type AuctionEntry, auctions, deleteAuction } from '../auctions/columns.js';
import { auctionBid } from '../auctions/transactions.js';
import { recordSnapshot } from '../auctions/vault-snapshots.js';
import type { BlockEventContext } from '../context/block-event.js';
import { BalanceChanges, LAST_EVENT_TXN } from '../context/history.js';
import { UnnamedVaultRecorder } from '../context/vault-history.js';
import { categoryByte } from '../kernel/event-types.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRecordedRewards } from '../rewards/owner-rewards.js';
import { type CollateralChange, getVault } from '../vaults/columns.js';

/**
 * Closes all auctions without a sale: bids are refunded, collateral and loans return to the vaults.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 9.7
 */
export function closeAuctions(context: BlockEventContext): void {
  const { view, height, blockHash, history } = context;
  const open = [...view.entries(auctions, { from: { height, vaultId: new Uint8Array(32) } })];
  const changes = new BalanceChanges();
  const vaultHistoryRecorder = new UnnamedVaultRecorder();
  for (const entry of open) close({ ...context, vaultHistoryRecorder }, entry, new Accounts(view, changes));
  const writer = { txid: blockHash, category: categoryByte(auctionBid), txn: LAST_EVENT_TXN };
  history.add(changes.entries(), writer);
  history.vaults?.add(vaultHistoryRecorder, [], writer);
  for (const entry of open) deleteAuction(view, entry);
}

function close(context: BlockEventContext & CollateralChange, entry: AuctionEntry, accounts: Accounts): void {
  const [{ vaultId }] = entry;
  const vault = getVault(context.view, vaultId);
  if (!vault) throw new TxRejected('Vault not found');
  endLiquidation(context, entry, vault, (_key, _batch, bid) => {
    // Recorded in the history, like the rewards materialised at the regular end of an auction.
    materialiseRecordedRewards(accounts, bid.owner, context);
    accounts.add(bid.owner, bid.amount);
    return 'returned';
  });
  // The auction is deleted later, so the snapshot includes its batches.
  recordSnapshot(context, vaultId, 0);
}
