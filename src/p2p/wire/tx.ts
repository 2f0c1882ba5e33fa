import { decode } from '../../primitives/codec.js';
import { strippedBytes, type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import { BoundedTransactions, partBudget } from './bounded-transaction.js';
import type { WireCodec } from './codec.js';

/** One transaction. */
export function tx(format: TxFormat): WireCodec<Transaction> {
  const transactions = new BoundedTransactions(format);
  return {
    write: (w, value) => transactions.codec.write(w, value),
    read: (r) => transactions.read(r, partBudget()),
    readLong: (r) => transactions.readLong(r, partBudget()),
  };
}

/** The transaction without witness data, for a peer that did not request it. */
export function withoutWitness(value: Transaction, format: TxFormat): Transaction {
  if (value.strippedSize === value.raw.length) return value;
  return decode(transaction(format, { witness: false }), strippedBytes(value, format));
}
