import { type Codec, decode } from '../../primitives/codec.js';
import { strippedBytes, type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';

/** One transaction. */
export function tx(format: TxFormat): Codec<Transaction> {
  return transaction(format);
}

/** The same transaction for a peer that asked for no witness data. */
export function withoutWitness(value: Transaction, format: TxFormat): Transaction {
  if (value.strippedSize === value.raw.length) return value;
  return decode(transaction(format, { witness: false }), strippedBytes(value, format));
}
