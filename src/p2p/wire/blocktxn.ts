import { ByteReader, type Codec, compactSize } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { Transaction, TxFormat } from '../../primitives/transaction.js';
import { finish, type Steps } from '../../util/slicer.js';
import { BoundedTransactions, partBudget } from './bounded-transaction.js';
import { readCount } from './limits.js';

export interface BlockTransactions {
  readonly blockHash: Hash256;
  /**
   * In the order of the request. Decoded on first access, because a peer may send this message without a request.
   * @throws {DecodeError} if the bytes are malformed
   */
  readonly transactions: readonly Transaction[];
  /** Decodes the transactions of a received message in slices: there may be 65,535. @throws {DecodeError} if the bytes are malformed */
  readonly decode?: () => Steps<readonly Transaction[]>;
}

/** Transactions read between two yields. */
const READ_AT_ONCE = 16;

/** Answers `getblocktxn` (BIP152). */
export function blocktxn(format: TxFormat): Codec<BlockTransactions> {
  const bounded = new BoundedTransactions(format);
  function* transactionsOf(bytes: Uint8Array): Steps<readonly Transaction[]> {
    const r = new ByteReader(bytes);
    const count = readCount(r, 'blockPositions');
    const budget = partBudget();
    const transactions: Transaction[] = [];
    for (let i = 0; i < count; i++) {
      transactions.push(yield* bounded.readLong(r, budget));
      if (i % READ_AT_ONCE === 0) yield;
    }
    return transactions;
  }
  return {
    write(w, { blockHash, transactions }) {
      hash256.write(w, blockHash);
      compactSize.write(w, transactions.length);
      for (const tx of transactions) bounded.codec.write(w, tx);
    },
    read(r) {
      const blockHash = hash256.read(r);
      const bytes = r.bytes(r.remaining);
      let read: readonly Transaction[] | undefined;
      return {
        blockHash,
        get transactions() {
          read ??= finish(transactionsOf(bytes));
          return read;
        },
        decode: () => transactionsOf(bytes),
      };
    },
  };
}
