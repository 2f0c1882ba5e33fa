import type { OutPoint } from '../primitives/outpoint.js';
import { compactSizeLength, SEQUENCE_FINAL, type TxIn, type TxOut } from '../primitives/transaction.js';
import { EMPTY_BYTES } from '../util/bytes.js';

/** Output that pays less is not relayed, satoshis of bitcoin. */
export const DUST = 546n;
/** Estimated bytes of a P2PKH input with its signature. */
export const INPUT_SIZE = 148;
/** Estimated bytes of an output. */
export const OUTPUT_SIZE = 34;

/** An input without signature. */
export function inputOf(prevout: OutPoint, sequence = SEQUENCE_FINAL): TxIn {
  return { prevout, scriptSig: EMPTY_BYTES, sequence, witness: [] };
}

/** Bytes of an output. */
export function sizeOf({ scriptPubKey }: TxOut): number {
  return 8 + compactSizeLength(scriptPubKey.length) + scriptPubKey.length;
}
