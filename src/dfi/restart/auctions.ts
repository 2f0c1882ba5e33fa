import { BalanceSum } from '../amounts.js';
import { giveBack, reopen } from '../auctions/settlement.js';
import type { BlockEventContext } from '../events/define.js';
import { BalanceChanges, LAST_EVENT_TXN } from '../history.js';
import { TxRejected } from '../rejected.js';
import { settleRecorded } from '../rewards.js';
import { Accounts } from '../state/accounts.js';
import { type AuctionEntry, auctionBatches, auctionBids, auctions, deleteAuction } from '../state/auctions.js';
import { getVault } from '../state/vaults.js';

/** Type byte that the history shows for what auctions pay. */
const AUCTION_BID = 'I'.charCodeAt(0);

/**
 * Ends all auctions without a sale: bidders have their bids back, vaults what they held and owed.
 * @throws {TxRejected}
 * @see spec: defi 9.7
 */
export function closeAuctions(context: BlockEventContext): void {
  const { view, height, blockHash, history } = context;
  const open = [...view.entries(auctions, { from: { height, vaultId: new Uint8Array(32) } })];
  const changes = new BalanceChanges();
  for (const entry of open) close(context, entry, new Accounts(view, changes));
  history.add(changes, { txid: blockHash, category: AUCTION_BID, txn: LAST_EVENT_TXN });
  for (const entry of open) deleteAuction(view, entry);
}

function close(context: BlockEventContext, [{ vaultId }, { batchCount }]: AuctionEntry, accounts: Accounts): void {
  const { view } = context;
  const vault = getVault(view, vaultId);
  if (!vault) throw new TxRejected('Vault not found');
  const returned = new BalanceSum();
  for (let index = 0; index < batchCount; index++) {
    const key = { vaultId, index };
    const batch = view.get(auctionBatches, key);
    if (!batch) throw new Error('an auction lacks a batch');
    const bid = view.get(auctionBids, key);
    if (bid) {
      // As where an auction ends by itself, the history shows these rewards.
      settleRecorded(accounts, bid.owner, context);
      accounts.add(bid.owner, bid.amount);
    }
    giveBack(context, key, vault, batch);
    returned.add({ tokenId: batch.loan.tokenId, amount: batch.loanInterest });
  }
  reopen(context, vaultId, vault, returned);
  // The auction is still there when the vault's history is written, and so are its batches in it.
  context.history.vaults?.addSnapshot(context, vaultId, 0);
}
