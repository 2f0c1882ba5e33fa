import { ByteReader, type Codec, encode, list } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import type { Steps } from '../../util/slicer.js';
import { BoundedTransactions, partBudget } from './bounded-transaction.js';
import { readCount } from './limits.js';

/** Transactions of a block, encoded: a peer may send this message without a request, which is not worth decoding them. */
export interface BlockTransactions {
  readonly blockHash: Hash256;
  /** Number of the transactions, and each of them, in the order of the request. */
  readonly raw: Uint8Array;
}

/** Transactions read between two yields. */
const READ_AT_ONCE = 16;

/** Answers `getblocktxn` (BIP152). Reading does not check that the transactions are well formed. */
export const blocktxn: Codec<BlockTransactions> = {
  write(w, { blockHash, raw }) {
    hash256.write(w, blockHash);
    w.bytes(raw);
  },
  read: (r) => ({ blockHash: hash256.read(r), raw: r.bytes(r.remaining) }),
};

/** Encodes the transactions of a message. */
export function encodeTransactions(transactions: readonly Transaction[], format: TxFormat): Uint8Array {
  return encode(list(transaction(format)), transactions);
}

/** Decodes the transactions of a message in slices: there may be 65,535. @throws {DecodeError} if the bytes are malformed */
export function* decodeTransactions(raw: Uint8Array, format: TxFormat): Steps<readonly Transaction[]> {
  const r = new ByteReader(raw);
  const count = readCount(r, 'blockPositions');
  const budget = partBudget();
  const bounded = new BoundedTransactions(format);
  const transactions: Transaction[] = [];
  for (let i = 0; i < count; i++) {
    transactions.push(yield* bounded.readLong(r, budget));
    if (i % READ_AT_ONCE === 0) yield;
  }
  return transactions;
}
