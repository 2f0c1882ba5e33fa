import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import { Accounts } from '../accounts/columns.js';
import { addToLive, liveKey, storedTotals } from '../attributes/live-totals.js';
import type { BlockEventContext } from '../context/block-event.js';
import { BalanceChanges, LAST_EVENT_TXN } from '../context/history.js';
import { UnnamedVaultRecorder } from '../context/vault-history.js';
import { BalanceSum, type TokenAmount } from '../kernel/amounts.js';
import { categoryByte } from '../kernel/event-types.js';
import { multiplyAmounts } from '../kernel/math.js';
import { ignoreRejection, isRejection } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';
import { addLoan } from '../loans/columns.js';
import { increaseInterest } from '../loans/interest.js';
import { addEconomy } from '../loans/totals.js';
import { swapToBurnable } from '../pools/swap.js';
import { materialiseRecordedRewards } from '../rewards/owner-rewards.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { subMinted } from '../tokens/minted.js';
import { addCollateral, type CollateralChange, getVault, putVault, type Vault } from '../vaults/columns.js';
import {
  type AuctionBatch,
  type AuctionBid,
  type AuctionEntry,
  auctionBatches,
  auctionBids,
  auctionsEndingAt,
  auctionWins,
  type BatchKey,
  deleteAuction,
} from './columns.js';
import { auctionBid } from './transactions.js';
import { recordSnapshot } from './vault-snapshots.js';

/** Informational total: interest that became principal because a batch got no bid. */
const CONSOLIDATED_INTEREST = liveKey('consolidated_interest');

/** Context of closing auctions. */
interface SettlementContext extends BlockEventContext, CollateralChange {
  /** Balances of the view. Changes of all auctions of the block are recorded together. */
  readonly accounts: Accounts;
}

/**
 * Closes the auctions that end at this height: batches with a bid are sold, the others return to their vaults. All changes are one history
 * entry per owner.
 * @see docs/protocol/defi.md 3.13
 */
export function closeAuctions(context: BlockEventContext): void {
  const { view, height, blockHash, history } = context;
  const changes = new BalanceChanges();
  const vaultHistoryRecorder = new UnnamedVaultRecorder();
  const at: SettlementContext = { ...context, accounts: new Accounts(view, changes), vaultHistoryRecorder };
  for (const entry of auctionsEndingAt(view, height)) closeAuction(at, entry);
  const writer = { txid: blockHash, category: categoryByte(auctionBid), txn: LAST_EVENT_TXN };
  history.add(changes.entries(), writer);
  history.vaults?.add(vaultHistoryRecorder, [], writer);
}

function closeAuction(context: SettlementContext, entry: AuctionEntry): void {
  const { view } = context;
  const [{ vaultId }, { penalty }] = entry;
  const vault = getVault(view, vaultId);
  if (!vault) throw new Error('an auction without a vault');
  endLiquidation(context, entry, vault, (key, batch, bid) => {
    sell(context, key, batch, bid, penalty);
    return 'sold';
  });
  deleteAuction(view, entry);
  // The history has no ratio for a vault whose collateral was returned.
  recordSnapshot(context, vaultId, 0);
}

/** Decides about a batch with a bid. */
type BidDecision = (key: BatchKey, batch: AuctionBatch, bid: AuctionBid) => 'sold' | 'returned';

/** Ends the liquidation of a vault and returns unsold batches to it. The auction and its batches stay stored. */
export function endLiquidation(
  context: CollateralChange,
  [{ vaultId }, { batchCount }]: AuctionEntry,
  vault: Vault,
  endBid: BidDecision,
): void {
  const { view } = context;
  const returned = new BalanceSum();
  for (let index = 0; index < batchCount; index++) {
    const key = { vaultId, index };
    const batch = view.get(auctionBatches, key);
    if (!batch) throw new Error('an auction lacks a batch');
    const bid = view.get(auctionBids, key);
    if (bid && endBid(key, batch, bid) === 'sold') continue;
    returnBatch(context, key, vault, batch);
    returned.add({ tokenId: batch.loan.tokenId, amount: batch.loanInterest });
  }
  if (returned.list().length > 0) addToLive(storedTotals(view), CONSOLIDATED_INTEREST, returned.list());
  putVault(view, vaultId, { ...vault, isUnderLiquidation: false });
}

/** Credits the collateral to the bidder. The bid repays the loan; interest and penalty are burnt and the rest goes to the vault, as DFI. */
function sell(
  context: SettlementContext,
  key: BatchKey,
  { loan, loanInterest, collaterals }: AuctionBatch,
  bid: AuctionBid,
  penalty: bigint,
) {
  const { view, height, accounts, params } = context;
  const { vaultId } = key;
  const { tokenId } = bid.amount;
  const price = multiplyAmounts(loan.amount, COIN + penalty);
  swapThroughVaultAccount(context, vaultId, { tokenId, amount: price - loan.amount + loanInterest }, params.scripts.burn);
  // Unlike elsewhere, the history includes these rewards, as a part of the auction's result.
  materialiseRecordedRewards(accounts, bid.owner, context);
  accounts.addAll(bid.owner, collaterals);
  const rest = bid.amount.amount - price;
  if (rest > 0n) {
    swapThroughVaultAccount(context, vaultId, { tokenId, amount: rest }, vaultId);
    const coins = { tokenId: 0, amount: accounts.balance(vaultId, 0) };
    accounts.sub(vaultId, coins);
    addCollateral(context, vaultId, coins);
  }
  ignoreRejection(() => subMinted(view, { tokenId: loan.tokenId, amount: loan.amount - loanInterest }), isRejection);
  view.put(auctionWins, { ...key, height, owner: bid.owner }, { bid: bid.amount, collaterals });
}

/**
 * Swaps an amount that a bid paid, through an account whose owner is the vault id. If the swap fails, the amount stays in that account.
 */
function swapThroughVaultAccount(context: SettlementContext, vaultAccount: Hash256, amount: TokenAmount, to: Uint8Array): void {
  if (amount.amount <= 0n) return;
  context.accounts.add(vaultAccount, amount);
  ignoreRejection(() => swapToBurnable(context.accounts, amount, { from: vaultAccount, to }, context), isRejection);
}

/** Returns an unsold batch: the vault gets the collateral and the loan back; interest becomes principal. */
function returnBatch(
  context: CollateralChange,
  { vaultId }: BatchKey,
  { scheme }: Vault,
  { loan, loanInterest, collaterals }: AuctionBatch,
): void {
  const { view } = context;
  const { tokenId, amount } = loan;
  ignoreRejection(() => addLoan(view, vaultId, loan), isRejection);
  if (tokenBySymbol(view, 'DUSD')?.id === tokenId) addEconomy(view, 'loans', { tokenId, amount: amount - loanInterest });
  if (isLoanToken(view, tokenId)) {
    ignoreRejection(() => increaseInterest(context, { vaultId, tokenId }, { scheme, added: amount }), isRejection);
  }
  for (const collateral of collaterals) addCollateral(context, vaultId, collateral);
}
