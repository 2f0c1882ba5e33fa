import { type Codec, struct } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import { limitedList } from './limits.js';

export interface BlockTransactions {
  readonly blockHash: Hash256;
  /** In the order in which they were asked for. */
  readonly transactions: readonly Transaction[];
}

/** Answers `getblocktxn` (BIP152). */
export function blocktxn(format: TxFormat): Codec<BlockTransactions> {
  return struct<BlockTransactions>({ blockHash: hash256, transactions: limitedList(transaction(format), 'blockPositions') });
}
