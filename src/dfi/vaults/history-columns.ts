import { list, struct, u8, u32, u64, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { descending, type HistoryRecord, historyRecord } from '../accounts/history-columns.js';
import { type AuctionBatch, auctionBatch } from '../auctions/columns.js';
import { type Balances, balances } from '../kernel/amounts.js';
import { byteString } from '../kernel/text.js';
import { type LoanScheme, loanScheme } from '../loans/scheme-columns.js';

/** Position of a record of a vault: newest block first, last transaction first within a block. */
export interface VaultHistoryKey {
  readonly vaultId: Hash256;
  readonly height: number;
  readonly txn: number;
  /** Owner whose balance changed; empty for the vault's collateral. */
  readonly owner: Uint8Array;
}

/** Changes of balances and collateral by transactions that name a vault. */
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

/** State of a vault when its liquidation began or ended. */
export interface VaultSnapshot {
  readonly collaterals: Balances;
  /** Satoshis of a dollar, unsigned 64 bits. */
  /** Percent; 0 at the end of a liquidation. */
  readonly totalCollaterals: bigint;
  readonly ratio: number;
  readonly batches: readonly AuctionBatch[];
}

/** Snapshots by vault, newest first. */
export const vaultSnapshots: Column<VaultHeight, VaultSnapshot> = {
  name: 'history/vault-snapshot',
  key: vaultHeight,
  value: struct<VaultSnapshot>({ collaterals: balances, totalCollaterals: u64, ratio: u32, batches: list(auctionBatch) }),
};

/** Assignment of a scheme to a vault. */
export interface VaultSchemeRecord {
  readonly category: number;
  readonly txid: Hash256;
  readonly scheme: string;
  readonly txn: number;
}

/** Assignments of schemes by vault, newest first. */
export const vaultSchemeHistory: Column<VaultHeight, VaultSchemeRecord> = {
  name: 'history/vault-scheme',
  key: vaultHeight,
  value: struct<VaultSchemeRecord>({ category: u8, txid: hash256, scheme: byteString, txn: u32 }),
};

/** Place of a record: height and index of the transaction, newest first. */
export interface SchemeHistoryKey {
  readonly height: number;
  readonly txn: number;
  /** Transaction that created the scheme: ids may be reused. */
  readonly creationTx: Hash256;
}

/** Creation of a scheme, or announcement of a change. */
export interface SchemeRecord {
  readonly id: string;
  readonly scheme: LoanScheme;
  readonly category: number;
  readonly txid: Hash256;
}

/** Records of schemes, newest first. */
export const schemeHistory: Column<SchemeHistoryKey, SchemeRecord> = {
  name: 'history/loan-scheme',
  key: struct<SchemeHistoryKey>({ height: descending, txn: descending, creationTx: hash256 }),
  value: struct<SchemeRecord>({ id: byteString, scheme: loanScheme, category: u8, txid: hash256 }),
};

/** Columns of the history of vaults and loan schemes. */
export const vaultHistoryColumns: readonly AnyColumn[] = [vaultHistory, vaultSnapshots, vaultSchemeHistory, schemeHistory];
