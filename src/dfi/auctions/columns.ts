import { encode, i64, struct, u32, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { descending } from '../accounts/history-columns.js';
import { type Balances, balances, type TokenAmount, tokenAmount } from '../kernel/amounts.js';

/** What a liquidated vault is sold in. */
export interface Auction {
  readonly batchCount: number;
  /** Share of COIN that the first bid pays above the loan. */
  readonly penalty: bigint;
}

export interface AuctionKey {
  /** Of the block that ends it. */
  readonly height: number;
  readonly vaultId: Hash256;
}

/** Auctions by their end, then by vault: in this order they are settled and listed. */
export const auctions: Column<AuctionKey, Auction> = {
  name: 'dfi/auction',
  key: struct<AuctionKey>({ height: u32be, vaultId: hash256 }),
  value: struct<Auction>({ batchCount: u32, penalty: i64 }),
};

/** One part of what is sold: whoever pays the loan and the most above it gets the collaterals. */
export interface AuctionBatch {
  /** Includes `loanInterest`. */
  readonly loan: TokenAmount;
  readonly collaterals: Balances;
  /** Satoshis of the loan's token. */
  readonly loanInterest: bigint;
}

export interface BatchKey {
  readonly vaultId: Hash256;
  readonly index: number;
}

export const auctionBatch = struct<AuctionBatch>({ loan: tokenAmount, collaterals: balances, loanInterest: i64 });

const batchKey = struct<BatchKey>({ vaultId: hash256, index: u32 });

export const auctionBatches: Column<BatchKey, AuctionBatch> = {
  name: 'dfi/auction-batch',
  key: batchKey,
  value: auctionBatch,
};

/** The best offer for a batch; its amount has left the bidder's account. */
export interface AuctionBid {
  readonly owner: Uint8Array;
  readonly amount: TokenAmount;
}

export const auctionBids: Column<BatchKey, AuctionBid> = {
  name: 'dfi/auction-bid',
  key: batchKey,
  value: struct<AuctionBid>({ owner: varBytes, amount: tokenAmount }),
};

/** Who won a batch, newest block first. */
export interface AuctionWinKey extends BatchKey {
  readonly height: number;
  readonly owner: Uint8Array;
}

export interface AuctionWin {
  readonly bid: TokenAmount;
  readonly collaterals: Balances;
}

/** Batches that were sold, for people to see. */
export const auctionWins: Column<AuctionWinKey, AuctionWin> = {
  name: 'history/auction',
  key: struct<AuctionWinKey>({ height: descending, owner: varBytes, vaultId: hash256, index: u32 }),
  value: struct<AuctionWin>({ bid: tokenAmount, collaterals: balances }),
};

export const auctionColumns: readonly AnyColumn[] = [auctions, auctionBatches, auctionBids, auctionWins];

export type AuctionEntry = readonly [key: AuctionKey, auction: Auction];

/** The first auction of a vault that does not end before `height`. */
export function auctionOf(view: StateView, vaultId: Hash256, height: number): AuctionEntry | undefined {
  for (const entry of view.entries(auctions, { from: { height, vaultId } })) if (equalBytes(entry[0].vaultId, vaultId)) return entry;
  return undefined;
}

/** Auctions that end at `height`, by vault. */
export function auctionsEndingAt(view: StateView, height: number): AuctionEntry[] {
  return [...view.entries(auctions, { prefix: encode(u32be, height) })];
}

/** Stores an auction and what it sells. */
export function openAuction(view: WritableView, key: AuctionKey, penalty: bigint, batches: readonly AuctionBatch[]): void {
  for (const [index, batch] of batches.entries()) view.put(auctionBatches, { vaultId: key.vaultId, index }, batch);
  view.put(auctions, key, { batchCount: batches.length, penalty });
}

/** Forgets an auction, its batches and the bids for them. */
export function deleteAuction(view: WritableView, [key, { batchCount }]: AuctionEntry): void {
  for (let index = 0; index < batchCount; index++) {
    view.delete(auctionBids, { vaultId: key.vaultId, index });
    view.delete(auctionBatches, { vaultId: key.vaultId, index });
  }
  view.delete(auctions, key);
}
