import { makeTransaction, type Transaction, type TxFormat } from '../primitives/transaction.js';
import { NO_KEYS } from '../script/key-source.js';
import type { Psbt } from './psbt.js';
import { solveInputs } from './solve.js';

/** Makes inputs final that have all signatures. */
export function finalizePsbt(psbt: Psbt, format: TxFormat): { readonly psbt: Psbt; readonly complete: boolean } {
  return solveInputs(psbt, { format, keys: NO_KEYS });
}

/** The transaction with the final scripts, whether all are there or not. */
export function extractTransaction({ tx, inputs }: Psbt, format: TxFormat): Transaction {
  const vin = tx.vin.map((input, i) => {
    const final = inputs[i];
    return final ? { ...input, scriptSig: final.finalScriptSig, witness: final.finalWitness } : input;
  });
  return makeTransaction({ ...tx, vin }, format);
}
