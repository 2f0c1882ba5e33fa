import { encode, i64, struct, u32, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { descending } from '../accounts/history-columns.js';
import { type Balances, balances, type TokenAmount, tokenAmount } from '../kernel/amounts.js';

/** Auction of a liquidated vault. */
export interface Auction {
  readonly batchCount: number;
  /** Part of the loan that the first bid must add to it, scaled by COIN. */
  readonly penalty: bigint;
}

export interface AuctionKey {
  /** Height of the block that ends the auction. */
  readonly height: number;
  readonly vaultId: Hash256;
}

/** Auctions by their end, then by vault: closed and listed in this order. */
export const auctions: Column<AuctionKey, Auction> = {
  name: 'dfi/auction',
  key: struct<AuctionKey>({ height: u32be, vaultId: hash256 }),
  value: struct<Auction>({ batchCount: u32, penalty: i64 }),
};

/** Part of an auction: the highest bid, of at least the loan and the penalty, wins the collateral. */
export interface AuctionBatch {
  /** Includes `loanInterest`. */
  readonly loan: TokenAmount;
  readonly collaterals: Balances;
  /** Satoshis of the loan's token. */
  readonly loanInterest: bigint;
}

/** A batch of a vault's auction, by its index from 0 on. */
export interface BatchKey {
  readonly vaultId: Hash256;
  readonly index: number;
}

export const auctionBatch = struct<AuctionBatch>({ loan: tokenAmount, collaterals: balances, loanInterest: i64 });

const batchKey = struct<BatchKey>({ vaultId: hash256, index: u32 });

/** Batches of open auctions. */
export const auctionBatches: Column<BatchKey, AuctionBatch> = {
  name: 'dfi/auction-batch',
  key: batchKey,
  value: auctionBatch,
};

/** Highest bid for a batch; its amount is already debited from the bidder. */
export interface AuctionBid {
  readonly owner: Uint8Array;
  readonly amount: TokenAmount;
}

/** Highest bids by batch. */
export const auctionBids: Column<BatchKey, AuctionBid> = {
  name: 'dfi/auction-bid',
  key: batchKey,
  value: struct<AuctionBid>({ owner: varBytes, amount: tokenAmount }),
};

/** Winner of a batch, newest block first. */
export interface AuctionWinKey extends BatchKey {
  readonly height: number;
  readonly owner: Uint8Array;
}

export interface AuctionWin {
  readonly bid: TokenAmount;
  readonly collaterals: Balances;
}

/** Sold batches. No rule reads them. */
export const auctionWins: Column<AuctionWinKey, AuctionWin> = {
  name: 'history/auction',
  key: struct<AuctionWinKey>({ height: descending, owner: varBytes, vaultId: hash256, index: u32 }),
  value: struct<AuctionWin>({ bid: tokenAmount, collaterals: balances }),
};

/** Columns of auctions, of their batches and bids, and of sold batches. */
export const auctionColumns: readonly AnyColumn[] = [auctions, auctionBatches, auctionBids, auctionWins];

/** An auction with its key, as the column lists it. */
export type AuctionEntry = readonly [key: AuctionKey, auction: Auction];

/** First auction of a vault that ends at `height` or later. Auctions end at few heights, each of which is looked up once or twice. */
export function auctionOf(view: StateView, vaultId: Hash256, height: number): AuctionEntry | undefined {
  for (let at = height; ; ) {
    const entry = firstAuction(view, { height: at, vaultId });
    if (!entry || equalBytes(entry[0].vaultId, vaultId)) return entry;
    // An entry of the same height comes after the vault's place: it has none there.
    at = entry[0].height === at ? at + 1 : entry[0].height;
  }
}

function firstAuction(view: StateView, from: AuctionKey): AuctionEntry | undefined {
  for (const entry of view.entries(auctions, { from })) return entry;
  return undefined;
}

/** Auctions that end at `height`, by vault. */
export function auctionsEndingAt(view: StateView, height: number): AuctionEntry[] {
  return [...view.entries(auctions, { prefix: encode(u32be, height) })];
}

/** Stores an auction and its batches. */
export function openAuction(view: WritableView, key: AuctionKey, penalty: bigint, batches: readonly AuctionBatch[]): void {
  for (const [index, batch] of batches.entries()) view.put(auctionBatches, { vaultId: key.vaultId, index }, batch);
  view.put(auctions, key, { batchCount: batches.length, penalty });
}

/** Deletes an auction, its batches and bids. */
export function deleteAuction(view: WritableView, [key, { batchCount }]: AuctionEntry): void {
  for (let index = 0; index < batchCount; index++) {
    view.delete(auctionBids, { vaultId: key.vaultId, index });
    view.delete(auctionBatches, { vaultId: key.vaultId, index });
  }
  view.delete(auctions, key);
}
