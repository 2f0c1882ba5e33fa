import { list, struct, u8, u32, u64, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { descending, type HistoryRecord, historyRecord } from '../accounts/history-columns.js';
import { type AuctionBatch, auctionBatch } from '../auctions/columns.js';
import { type Balances, balances } from '../kernel/amounts.js';
import { byteString } from '../kernel/text.js';
import { type LoanScheme, loanScheme } from '../loans/scheme-columns.js';

/** Where a record of a vault stands: newest block first, last transaction first within a block. */
export interface VaultHistoryKey {
  readonly vaultId: Hash256;
  readonly height: number;
  readonly txn: number;
  /** Whose balance changed; empty: what the vault holds. */
  readonly owner: Uint8Array;
}

/** What messages about a vault did to balances and to its collateral. */
export const vaultHistory: Column<VaultHistoryKey, HistoryRecord> = {
  name: 'history/vault',
  key: struct<VaultHistoryKey>({ vaultId: hash256, height: descending, txn: descending, owner: varBytes }),
  value: historyRecord,
};

export interface VaultHeight {
  readonly vaultId: Hash256;
  readonly height: number;
}

const vaultHeight = struct<VaultHeight>({ vaultId: hash256, height: descending });

/** A vault when its collateral was put up for auction, or came back. */
export interface VaultSnapshot {
  readonly collaterals: Balances;
  /** In satoshis of a dollar, 64 bits without sign. */
  readonly totalCollaterals: bigint;
  readonly ratio: number;
  readonly batches: readonly AuctionBatch[];
}

export const vaultSnapshots: Column<VaultHeight, VaultSnapshot> = {
  name: 'history/vault-snapshot',
  key: vaultHeight,
  value: struct<VaultSnapshot>({ collaterals: balances, totalCollaterals: u64, ratio: u32, batches: list(auctionBatch) }),
};

/** A vault got a scheme. */
export interface VaultSchemeRecord {
  readonly category: number;
  readonly txid: Hash256;
  readonly scheme: string;
  readonly txn: number;
}

export const vaultSchemeHistory: Column<VaultHeight, VaultSchemeRecord> = {
  name: 'history/vault-scheme',
  key: vaultHeight,
  value: struct<VaultSchemeRecord>({ category: u8, txid: hash256, scheme: byteString, txn: u32 }),
};

export interface SchemeHistoryKey {
  readonly height: number;
  readonly txn: number;
  /** Transaction that made the scheme: ids may be used again. */
  readonly creationTx: Hash256;
}

/** A scheme was made, or a change of it was announced. */
export interface SchemeRecord {
  readonly id: string;
  readonly scheme: LoanScheme;
  readonly category: number;
  readonly txid: Hash256;
}

/** Newest first. */
export const schemeHistory: Column<SchemeHistoryKey, SchemeRecord> = {
  name: 'history/loan-scheme',
  key: struct<SchemeHistoryKey>({ height: descending, txn: descending, creationTx: hash256 }),
  value: struct<SchemeRecord>({ id: byteString, scheme: loanScheme, category: u8, txid: hash256 }),
};

export const vaultHistoryColumns: readonly AnyColumn[] = [vaultHistory, vaultSnapshots, vaultSchemeHistory, schemeHistory];
