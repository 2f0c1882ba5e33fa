import { type ByteReader, compactSize, DecodeError, u64 } from '../../primitives/codec.js';
import { type BlockHeader, blockHeader } from '../../primitives/header.js';
import type { Transaction, TxFormat } from '../../primitives/transaction.js';
import { finish, type Steps } from '../../util/slicer.js';
import { BoundedTransactions, partBudget } from './bounded-transaction.js';
import type { WireCodec } from './codec.js';
import { LIMITS, readCount } from './limits.js';
import { readPosition, writePosition } from './positions.js';

/** Most inputs, outputs and witness items of prefilled transactions. Nodes of this network prefill only the coinbase, which has few. */
const MAX_PREFILLED_PARTS = 2_000;
/** Short ids read between two yields. */
const IDS_AT_ONCE = 1_024;
const TWO_POW_32 = 2 ** 32;

export interface PrefilledTransaction {
  /** Position in the block. */
  readonly index: number;
  readonly tx: Transaction;
}

/** A block as header and short transaction ids, for a receiver that has most of the transactions (BIP152). */
export interface CompactBlock {
  readonly header: BlockHeader;
  /** Part of the key of the short ids. */
  readonly nonce: bigint;
  /** Short ids of the transactions that are not prefilled, in block order; 48 bits each. */
  readonly shortIds: readonly bigint[];
  /** In ascending order of their indexes. */
  readonly prefilled: readonly PrefilledTransaction[];
}

/** Header, u64 nonce, count and 6-byte ids, count and (distance, transaction). */
export function cmpctblock(format: TxFormat): WireCodec<CompactBlock> {
  const transactions = new BoundedTransactions(format);
  function* readLong(r: ByteReader): Steps<CompactBlock> {
    const header = blockHeader.read(r);
    const nonce = u64.read(r);
    const ids = readCount(r, 'blockPositions');
    const shortIds: bigint[] = [];
    for (let i = 0; i < ids; i++) {
      shortIds.push(BigInt(r.u32() + r.u16() * TWO_POW_32));
      if (i % IDS_AT_ONCE === 0) yield;
    }
    const count = readCount(r, 'blockPositions');
    if (ids + count >= LIMITS.blockPositions) throw new DecodeError('indexes overflowed 16 bits');
    const budget = partBudget(MAX_PREFILLED_PARTS);
    const prefilled: PrefilledTransaction[] = [];
    for (let i = 0, index = -1; i < count; i++) {
      index = readPosition(r, index);
      prefilled.push({ index, tx: yield* transactions.readLong(r, budget) });
    }
    return { header, nonce, shortIds, prefilled };
  }
  return {
    write(w, value) {
      blockHeader.write(w, value.header);
      u64.write(w, value.nonce);
      compactSize.write(w, value.shortIds.length);
      for (const id of value.shortIds) {
        w.u32(Number(id & 0xffffffffn));
        w.u16(Number(id >> 32n));
      }
      compactSize.write(w, value.prefilled.length);
      let before = -1;
      for (const { index, tx: filled } of value.prefilled) {
        writePosition(w, index, before);
        transactions.codec.write(w, filled);
        before = index;
      }
    },
    read: (r) => finish(readLong(r)),
    readLong,
  };
}
