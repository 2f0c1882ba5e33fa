import type { Steps } from '../util/slicer.js';
import { type ByteReader, ByteWriter, type Codec, compactSize, list } from './codec.js';
import type { Hash256 } from './hash.js';
import { type BlockHeader, blockHash, blockHeader } from './header.js';
import {
  compactSizeLength,
  readLongTransaction,
  strippedBytes,
  type Transaction,
  type TxFormat,
  transaction,
  WITNESS_SCALE_FACTOR,
} from './transaction.js';

/** A block with its hash; the first transaction is the coinbase. */
export interface Block {
  readonly header: BlockHeader;
  readonly hash: Hash256;
  readonly transactions: readonly Transaction[];
}

/** Header, then the transactions. */
export function block(format: TxFormat): Codec<Block> {
  const transactions = list(transaction(format));
  return {
    write(w, value) {
      blockHeader.write(w, value.header);
      transactions.write(w, value.transactions);
    },
    read(r: ByteReader) {
      const header = blockHeader.read(r);
      return { header, hash: blockHash(header), transactions: transactions.read(r) };
    },
  };
}

/** Transactions decoded between two yields. */
const TRANSACTIONS_AT_ONCE = 64;

/** Called with the header of a block that is being read. @returns the receiver of its transactions, if there is one */
export type BlockFollower = (header: BlockHeader) => { add(tx: Transaction): void } | undefined;

/** Reads the block at the reader's position in slices. @throws {DecodeError} as the codec does */
export function* readLongBlock(r: ByteReader, format: TxFormat, follow?: BlockFollower): Steps<Block> {
  const header = blockHeader.read(r);
  const follower = follow?.(header);
  const count = compactSize.read(r);
  const transactions: Transaction[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % TRANSACTIONS_AT_ONCE === 0) yield;
    const tx = yield* readLongTransaction(r, format, true);
    follower?.add(tx);
    transactions.push(tx);
  }
  return { header, hash: blockHash(header), transactions };
}

/** Serialised block without witness data. */
export function* strippedBlock({ header, transactions }: Block, format: TxFormat): Steps<Uint8Array> {
  const w = new ByteWriter();
  blockHeader.write(w, header);
  compactSize.write(w, transactions.length);
  for (const [i, tx] of transactions.entries()) {
    if (i > 0 && i % TRANSACTIONS_AT_ONCE === 0) yield;
    w.bytes(strippedBytes(tx, format));
  }
  return w.finish();
}

/** Sizes of a serialised block. */
export interface BlockSizes {
  /** Bytes with witness data. */
  readonly size: number;
  /** Bytes without witness data. */
  readonly strippedSize: number;
  /** 3 × stripped size + size. */
  readonly weight: number;
}

/** Bytes of a serialised block before its first transaction. */
export function transactionsOffset({ header, transactions }: Block): number {
  const w = new ByteWriter(256);
  blockHeader.write(w, header);
  return w.finish().length + compactSizeLength(transactions.length);
}

export function blockSizes(value: Block): BlockSizes {
  const frame = transactionsOffset(value);
  let size = frame;
  let strippedSize = frame;
  for (const tx of value.transactions) {
    size += tx.raw.length;
    strippedSize += tx.strippedSize;
  }
  return sizesOf(size, strippedSize);
}

/** @param size bytes with witness data @param strippedSize bytes without */
export function sizesOf(size: number, strippedSize: number): BlockSizes {
  return { size, strippedSize, weight: strippedSize * (WITNESS_SCALE_FACTOR - 1) + size };
}
