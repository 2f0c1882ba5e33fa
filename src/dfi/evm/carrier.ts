import { isLong } from '../../crypto/hash-stream.js';
import { encode, varBytes } from '../../primitives/codec.js';
import { NULL_OUTPOINT } from '../../primitives/outpoint.js';
import { makeLongTransaction, SEQUENCE_FINAL, type Transaction, TX_VERSION_TOKENS, type TxFormat } from '../../primitives/transaction.js';
import { customTxScript } from '../../script/custom-tx.js';
import { Op } from '../../script/opcodes.js';
import { finish, type Steps } from '../../util/slicer.js';

const TYPE = '9';

/** DVM transaction that carries an EVM transaction. It spends nothing and pays no fee. @see docs/protocol/evm-engine.md 5.4 */
export function evmCarrier(raw: Uint8Array, format: TxFormat): Transaction {
  return finish(longEvmCarrier(raw, format));
}

/** Sliced {@link evmCarrier}, for megabytes. */
export function* longEvmCarrier(raw: Uint8Array, format: TxFormat): Steps<Transaction> {
  const input = { prevout: NULL_OUTPOINT, scriptSig: Uint8Array.of(Op.ZERO), sequence: SEQUENCE_FINAL, witness: [] };
  const body = encode(varBytes, raw);
  // Each copy takes milliseconds.
  if (isLong(raw)) yield;
  const output = { value: 0n, scriptPubKey: customTxScript({ type: TYPE, body }), tokenId: 0 };
  if (isLong(raw)) yield;
  return yield* makeLongTransaction({ version: TX_VERSION_TOKENS, vin: [input, input], vout: [output], lockTime: 0 }, format);
}
