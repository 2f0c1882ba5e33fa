import { type AuctionBid, auctionBids, type BatchKey } from '../../dfi/auctions/columns.js';
import { auctionBid } from '../../dfi/auctions/transactions.js';
import { encode, struct, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256, NULL_HASH } from '../../primitives/hash.js';
import type { Column, StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { messageOf } from './indexed-block.js';
import { displayHash } from './keys.js';
import type { AddRows } from './rows.js';

/** Place of a bid among those for its batch. Txids of one block are ordered by their displayed digits. */
export interface BidPlace {
  readonly height: number;
  readonly txid: Hash256;
}

/** A bid: the batch, the block and the transaction. */
export interface BidKey extends BatchKey, BidPlace {}

const batchKey = struct<BatchKey>({ vaultId: hash256, index: u32be });

/** All bids for batches, also those that were outbid, by batch and height. */
export const bids: Column<BidKey, AuctionBid> = {
  name: 'ocean/bid',
  key: struct<BidKey>({ vaultId: hash256, index: u32be, height: u32be, txid: displayHash }),
  value: auctionBids.value,
};

/** Adds the bids of a block. @see docs/protocol/ocean.md 4.6 */
export const addBids: AddRows = (view, { customTxs, entry }) => {
  for (const applied of customTxs) {
    const bid = messageOf(auctionBid, applied);
    if (!bid) continue;
    const { vaultId, index, from, amount } = bid;
    view.putNew(bids, { vaultId, index, height: entry.height, txid: applied.tx.txid }, { owner: from, amount });
  }
};

/** Place after all bids up to a height, of 32 bits. */
export function placeAfter(height: number): BidPlace {
  return { height: height + 1, txid: NULL_HASH };
}

/**
 * Bids for a batch, newest first.
 * @param before the newest one is before this place, which need not be that of a bid
 * @param lowest height of the oldest one, or less
 */
export function* bidsBefore(view: StateView, batch: BatchKey, before: BidPlace, lowest: number): Generator<readonly [BidKey, AuctionBid]> {
  const prefix = encode(batchKey, batch);
  for (const entry of view.entries(bids, { prefix, from: { ...batch, ...before }, reverse: true })) {
    const [{ height, txid }] = entry;
    if (height < lowest) return;
    if (height !== before.height || !equalBytes(txid, before.txid)) yield entry;
  }
}
