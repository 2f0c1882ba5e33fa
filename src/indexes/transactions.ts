import type { ChainEvent } from '../chain/chain.js';
import { struct } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import { varInt } from '../primitives/var-int.js';
import type { Column, WritableView } from '../storage/view.js';
import { Follower, type FollowerDeps } from './follower.js';

export interface TransactionPosition {
  readonly blockHash: Hash256;
  /** Index in the block. */
  readonly position: number;
}

/** Position of each transaction, by txid. After a disconnect the old position is kept until another block contains the transaction. */
export const transactionPositions: Column<Hash256, TransactionPosition> = {
  name: 'index/transaction',
  key: hash256,
  value: struct<TransactionPosition>({ blockHash: hash256, position: varInt }),
};

/** Index of transactions by txid, without those of the genesis block, which callers look up first. @see docs/protocol/chain.md 8 */
export class TransactionIndex extends Follower {
  constructor(deps: FollowerDeps) {
    super({ name: 'transaction', add: addTransactions }, deps);
  }

  find(txid: Hash256): TransactionPosition | undefined {
    return this.view.get(transactionPositions, txid);
  }
}

function addTransactions(view: WritableView, { block, entry }: ChainEvent): undefined {
  if (entry.height === 0) return;
  const { transactions } = block;
  for (let position = 0; position < transactions.length; position++) {
    view.put(transactionPositions, (transactions[position] as Transaction).txid, { blockHash: entry.hash, position });
  }
}
