import { NULL_OUTPOINT } from '../../primitives/outpoint.js';
import { makeTransaction, SEQUENCE_FINAL, type Transaction, type TransactionFields, type TxFormat } from '../../primitives/transaction.js';
import { Op } from '../../script/opcodes.js';
import { scriptNumber } from '../../script/script.js';
import { concatBytes } from '../../util/bytes.js';

/** Transaction of the form of a coinbase that a minter adds to the block at a height, besides its coinbase. */
export function makeCoinbaseForm(
  { version, vout }: Pick<TransactionFields, 'version' | 'vout'>,
  height: number,
  format: TxFormat,
): Transaction {
  const scriptSig = concatBytes(scriptNumber(height), Uint8Array.of(Op.ZERO));
  const vin = [{ prevout: NULL_OUTPOINT, scriptSig, sequence: SEQUENCE_FINAL, witness: [] }];
  return makeTransaction({ version, vin, vout, lockTime: 0 }, format);
}
