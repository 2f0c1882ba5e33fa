import { makeLongTransaction, type Transaction, type TxFormat, type TxIn } from '../primitives/transaction.js';
import { noKeys } from '../script/key-source.js';
import type { ClassifyOptions } from '../script/standard.js';
import { finish, type Steps } from '../util/slicer.js';
import type { Psbt } from './psbt.js';
import { type SolvedPsbt, solveLongInputs } from './solve.js';

/** Finalises the inputs that have all signatures. */
export function finalizePsbt(psbt: Psbt, format: TxFormat): SolvedPsbt {
  return finish(finalizeLongPsbt(psbt, format, {}));
}

/** Sliced {@link finalizePsbt}. */
export function finalizeLongPsbt(psbt: Psbt, format: TxFormat, options: ClassifyOptions): Steps<SolvedPsbt> {
  return solveLongInputs(psbt, { format, keys: noKeys(options) });
}

/** The transaction with the final scripts and witnesses, which may be incomplete. */
export function extractTransaction(psbt: Psbt, format: TxFormat): Transaction {
  return finish(extractLongTransaction(psbt, format));
}

/** Sliced {@link extractTransaction}. */
export function* extractLongTransaction({ tx, inputs }: Psbt, format: TxFormat): Steps<Transaction> {
  const vin: TxIn[] = [];
  for (const [i, input] of tx.vin.entries()) {
    const final = inputs[i];
    vin.push(final ? { ...input, scriptSig: final.finalScriptSig, witness: final.finalWitness } : input);
    yield;
  }
  return yield* makeLongTransaction({ ...tx, vin }, format);
}
