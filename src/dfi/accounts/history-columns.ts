import { type Codec, compactSize, DecodeError, encode, i64, struct, u8, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt, varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import type { Balances } from '../kernel/amounts.js';

/** Position of a record: newest block first within an owner, last transaction first within a block. */
export interface HistoryKey {
  readonly owner: Uint8Array;
  readonly height: number;
  /** Index in the block; block events count down from 4294967295. */
  readonly txn: number;
}

/** Balance changes of one owner by one transaction or block event. */
export interface HistoryRecord {
  /** Txid; for block events the block hash. */
  readonly txid: Hash256;
  /** Type byte of the transaction. */
  readonly category: number;
  /** Net differences in satoshis, ascending by token; they may be negative or 0. */
  readonly differences: Balances;
}

/** Bitwise complement, so that ascending keys are descending numbers. */
export const descending: Codec<number> = { write: (w, v) => u32be.write(w, ~v >>> 0), read: (r) => ~u32be.read(r) >>> 0 };

/** Balances without checks: zero and negative amounts and repeated tokens are kept. */
const differences: Codec<Balances> = {
  write(w, value) {
    compactSize.write(w, value.length);
    for (const { tokenId, amount } of value) {
      varInt32.write(w, tokenId);
      i64.write(w, amount);
    }
  },
  read(r) {
    const count = compactSize.read(r);
    return Array.from({ length: count }, () => ({ tokenId: varInt32.read(r), amount: i64.read(r) }));
  },
};

export const historyRecord = struct<HistoryRecord>({ txid: hash256, category: u8, differences });

/** History by owner. @see docs/protocol/accounts.md 5.3 */
export const historyByOwner: Column<HistoryKey, HistoryRecord> = {
  name: 'history/account',
  key: struct<HistoryKey>({ owner: varBytes, height: descending, txn: descending }),
  value: historyRecord,
};

/** History by height: newest block first, then by owner. */
export const historyByHeight: Column<HistoryKey, number> = {
  name: 'history/account-height',
  key: struct<HistoryKey>({ height: descending, owner: varBytes, txn: descending }),
  value: u8,
};

/**
 * Burn history, newest block first, then by owner: the burn address, or the data script of the output that burnt a fee.
 * @see docs/protocol/accounts.md 5.6
 */
export const burnHistory: Column<HistoryKey, HistoryRecord> = {
  name: 'history/burn',
  key: struct<HistoryKey>({ height: descending, owner: varBytes, txn: descending }),
  value: historyRecord,
};

/** Type byte and token. */
export interface BurnTotalKey {
  readonly category: number;
  readonly tokenId: number;
}

/** Sums of all burn records of a category and token in satoshis, so that queries need not add them up. */
export interface BurnTotal {
  /** Sum of all differences. */
  readonly net: bigint;
  /** Sum of the positive differences. */
  readonly burnt: bigint;
}

/** Signed decimal text: a sum may exceed 64 bits. */
const wideInteger: Codec<bigint> = {
  write: (w, v) => varBytes.write(w, Buffer.from(v.toString(), 'latin1')),
  read(r) {
    const text = Buffer.from(varBytes.read(r)).toString('latin1');
    if (!/^-?\d+$/.test(text)) throw new DecodeError('not a number');
    return BigInt(text);
  },
};

/** Totals of {@link burnHistory} by type byte and token. */
export const burnTotals: Column<BurnTotalKey, BurnTotal> = {
  name: 'history/burn-total',
  key: struct<BurnTotalKey>({ category: u8, tokenId: u32be }),
  value: struct<BurnTotal>({ net: wideInteger, burnt: wideInteger }),
};

/** Scope of a count of history records: an owner or all, a category, a token or any. */
export interface HistoryCountKey {
  /** Undefined: all owners together. */
  readonly owner: Uint8Array | undefined;
  readonly category: number;
  /** Undefined: records of any token, or of none. */
  readonly tokenId: number | undefined;
}

const ANY_TOKEN = 0xffffffff;

export const historyCountKey: Codec<HistoryCountKey> = {
  write(w, { owner, category, tokenId }) {
    historyCountScope.write(w, owner);
    u32be.write(w, tokenId ?? ANY_TOKEN);
    u8.write(w, category);
  },
  read(r) {
    const owner = historyCountScope.read(r);
    const tokenId = u32be.read(r);
    return { owner, tokenId: tokenId === ANY_TOKEN ? undefined : tokenId, category: u8.read(r) };
  },
};

/** One byte: 0 for all owners, 1 if an owner follows. */
const historyCountScope: Codec<Uint8Array | undefined> = {
  write(w, owner) {
    w.u8(owner ? 1 : 0);
    if (owner) varBytes.write(w, owner);
  },
  read: (r) => (r.u8() === 1 ? varBytes.read(r) : undefined),
};

/** Key bytes that all categories of an owner and token share. */
export function historyCountPrefix(owner: Uint8Array | undefined, tokenId: number | undefined): Uint8Array {
  return encode(historyCountKey, { owner, tokenId, category: 0 }).subarray(0, -1);
}

/** Numbers of history records by scope. */
export const historyCounts: Column<HistoryCountKey, number> = { name: 'history/count', key: historyCountKey, value: varInt };

/** Columns of the account history and the burn history. */
export const historyColumns: readonly AnyColumn[] = [historyByOwner, historyByHeight, burnHistory, burnTotals, historyCounts];
