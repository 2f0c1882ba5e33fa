import type { TransactionPlace, TransactionSpan } from '../chain/block-store.js';
import type { ChainEvent } from '../chain/chain.js';
import { transactionsOffset } from '../primitives/block.js';
import { type Codec, struct } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import { varInt } from '../primitives/var-int.js';
import type { Migration } from '../storage/version.js';
import type { Column, WritableView } from '../storage/view.js';
import { Follower, type FollowerDeps } from './follower.js';

interface TransactionPosition {
  readonly blockHash: Hash256;
  /** Index in the block. */
  readonly position: number;
  /** Undefined in a row of an earlier version. */
  readonly span?: TransactionSpan | undefined;
}

const place = struct<Omit<TransactionPosition, 'span'>>({ blockHash: hash256, position: varInt });
const transactionSpan = struct<TransactionSpan>({ offset: varInt, size: varInt });

const transactionPosition: Codec<TransactionPosition> = {
  write(w, value) {
    place.write(w, value);
    if (value.span) transactionSpan.write(w, value.span);
  },
  read(r) {
    return { ...place.read(r), span: r.remaining > 0 ? transactionSpan.read(r) : undefined };
  },
};

/** Position of each transaction, by txid. After a disconnect the old position is kept until another block contains the transaction. */
export const transactionPositions: Column<Hash256, TransactionPosition> = {
  name: 'index/transaction',
  key: hash256,
  value: transactionPosition,
};

/** Format 5 had rows without spans. They are still read, but an older program could not read the new ones. */
export const allowSpans: Migration = {
  from: 5,
  run() {},
};

/** A transaction that the index has. */
export interface IndexedTransaction extends TransactionPlace {
  readonly blockHash: Hash256;
}

/** Index of transactions by txid, without those of the genesis block, which callers look up first. @see docs/protocol/chain.md 8 */
export class TransactionIndex extends Follower {
  constructor(deps: FollowerDeps) {
    super({ name: 'transaction', add: addTransactions }, deps);
  }

  find(txid: Hash256): IndexedTransaction | undefined {
    const found = this.view.get(transactionPositions, txid);
    return found && { ...found, txid };
  }
}

function addTransactions(view: WritableView, { block, entry }: ChainEvent): undefined {
  if (entry.height === 0) return;
  const { transactions } = block;
  let offset = transactionsOffset(block);
  for (let position = 0; position < transactions.length; position++) {
    const { txid, raw } = transactions[position] as Transaction;
    view.put(transactionPositions, txid, { blockHash: entry.hash, position, span: { offset, size: raw.length } });
    offset += raw.length;
  }
}
