import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { struct, u32, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { type TokenAmount, tokenAmount } from '../kernel/amounts.js';
import { multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getVault } from '../vaults/columns.js';
import { type Auction, type AuctionBatch, type AuctionBid, auctionBatches, auctionBids, auctionOf } from './columns.js';

/** A bid: script of the bidder, and satoshis of the token of the loan that the batch covers. */
export interface AuctionBidBody {
  readonly vaultId: Hash256;
  /** Index of the batch. */
  readonly index: number;
  readonly from: Uint8Array;
  readonly amount: TokenAmount;
}

/** Part by which a bid must exceed the previous one, scaled by COIN. */
const LEAST_RAISE = COIN / 100n;

/** Bids for a batch of a liquidated vault; the previous bidder is refunded immediately. @see docs/protocol/defi.md 3.12 */
export const auctionBid = customTx<AuctionBidBody>({
  type: 'I',
  name: 'AuctionBid',
  since: 'fortCanning',
  codec: struct<AuctionBidBody>({ vaultId: hash256, index: u32, from: varBytes, amount: tokenAmount }),
  apply(context, { vaultId, index, from, amount }) {
    const { view, accounts, vaultHistoryRecorder } = context;
    if (vaultHistoryRecorder) vaultHistoryRecorder.vaultId = vaultId;
    requireShape(context);
    requireAuth(context, from, 'token');
    const { auction, batch } = requireBatch(context, vaultId, index);
    if (batch.loan.tokenId !== amount.tokenId) throw new TxRejected('Bid token does not match auction one');
    const best = view.get(auctionBids, { vaultId, index });
    if (best) {
      requireRaise(context, best, amount.amount);
      materialiseRewards(view, best.owner, context);
      accounts.add(best.owner, best.amount);
    } else requireFirstBid(context, auction, batch, amount.amount);
    materialiseRewards(view, from, context);
    accounts.sub(from, amount);
    view.put(auctionBids, { vaultId, index }, { owner: from, amount });
  },
});

interface OpenBatch {
  readonly auction: Auction;
  readonly batch: AuctionBatch;
}

/** @throws {TxRejected} */
function requireBatch({ view, height }: TxContext, vaultId: Hash256, index: number): OpenBatch {
  const vault = getVault(view, vaultId);
  if (!vault) throw new TxRejected(`Vault <${formatHash(vaultId)}> not found`);
  if (!vault.isUnderLiquidation) throw new TxRejected('Cannot bid to vault which is not under liquidation');
  const found = auctionOf(view, vaultId, height);
  if (!found) throw new TxRejected(`No auction data to vault ${formatHash(vaultId)}`);
  const batch = view.get(auctionBatches, { vaultId, index });
  if (!batch) throw new TxRejected(`No batch to vault/index ${formatHash(vaultId)}/${index}`);
  return { auction: found[1], batch };
}

/** @throws {TxRejected} */
function requireFirstBid({ height, params }: TxContext, { penalty }: Auction, { loan }: AuctionBatch, amount: bigint): void {
  if (multiplyAmounts(loan.amount, COIN + penalty) > amount) {
    throw new TxRejected(`First bid should include liquidation penalty of ${(penalty * 100n) / COIN}%`);
  }
  if (isActive(params, 'fortCanningMuseum', height) && penalty !== 0n && amount === loan.amount) {
    throw new TxRejected('First bid should be higher than batch one');
  }
}

/** @throws {TxRejected} */
function requireRaise({ height, params }: TxContext, best: AuctionBid, amount: bigint): void {
  if (multiplyAmounts(best.amount.amount, COIN + LEAST_RAISE) > amount) {
    throw new TxRejected('Bid override should be at least 1% higher than current one');
  }
  if (isActive(params, 'fortCanningMuseum', height) && amount === best.amount.amount) {
    throw new TxRejected('Bid override should be higher than last one');
  }
}

/** Custom transactions on auctions. */
export const auctionTypes: readonly AnyCustomTx[] = [auctionBid];
