import type { OutPoint } from '../primitives/outpoint.js';
import {
  makeLongTransaction,
  type Transaction,
  type TransactionFields,
  type TxFormat,
  type TxIn,
  type TxOut,
} from '../primitives/transaction.js';
import { finish, type Steps } from '../util/slicer.js';
import { TransactionChecker } from './checker.js';
import { extractSignatures } from './extract.js';
import { STANDARD_FLAGS } from './flags.js';
import type { KeySource } from './key-source.js';
import { ScriptError } from './script-error.js';
import { WitnessHashes } from './sighash.js';
import { completeSignature } from './sign.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_SINGLE } from './signature-encoding.js';
import { TransactionSigner } from './signer.js';
import { verifyScript } from './verify.js';

export interface SigningOptions {
  readonly format: TxFormat;
  readonly keys: KeySource;
  /** The output that an input spends; undefined where it is not known. */
  readonly output: (point: OutPoint) => TxOut | undefined;
  readonly hashType: number;
}

/** An input that cannot be spent as it is. */
export interface SigningFault {
  readonly input: TxIn;
  /** In the words that callers hear. */
  readonly text: string;
}

export interface SignedInputs {
  readonly tx: Transaction;
  /** None where the transaction is complete. */
  readonly faults: readonly SigningFault[];
}

/** Signs what the keys can sign, keeps right signatures that are there, and runs the scripts of every input. */
export function signInputs(tx: TransactionFields, options: SigningOptions): SignedInputs {
  return finish(signLongInputs(tx, options));
}

/** The same for a transaction that may have megabytes. */
export function* signLongInputs(tx: TransactionFields, options: SigningOptions): Steps<SignedInputs> {
  const { format } = options;
  const hashes = new WitnessHashes(tx, format);
  yield* hashes.prepare();
  const faults: SigningFault[] = [];
  const vin: TxIn[] = [];
  for (const [i, input] of tx.vin.entries()) {
    yield;
    const output = options.output(input.prevout);
    const signed = output ? signInput(tx, i, output, options, hashes) : input;
    const checker = output && new TransactionChecker(tx, format, i, output.value, { hashes });
    const text = checker ? faultOf({ ...signed, scriptPubKey: output.scriptPubKey }, checker) : 'Input already spent';
    if (text !== undefined) faults.push({ input: signed, text });
    vin.push(signed);
  }
  return { tx: yield* makeLongTransaction({ ...tx, vin }, format), faults };
}

function signInput(tx: TransactionFields, index: number, output: TxOut, options: SigningOptions, hashes: WitnessHashes): TxIn {
  const { format, keys, hashType } = options;
  const input = tx.vin[index] as TxIn;
  const { value, scriptPubKey } = output;
  const data = extractSignatures(input, output, new TransactionChecker(tx, format, index, value, { hashes }));
  // A signature of the output beside an input says nothing where there is none.
  const isSingle = (hashType & ~SIGHASH_ANYONECANPAY) === SIGHASH_SINGLE;
  if (!isSingle || index < tx.vout.length) {
    completeSignature(keys, new TransactionSigner({ tx, format, input: index, value, hashType, hashes }), scriptPubKey, data);
  }
  return { ...input, scriptSig: data.scriptSig, witness: data.witness };
}

/** Why a spend fails; undefined where it does not. */
function faultOf(spend: Parameters<typeof verifyScript>[0], checker: TransactionChecker): string | undefined {
  try {
    verifyScript(spend, STANDARD_FLAGS, checker);
    return undefined;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    // Mostly the signatures are not there at all.
    if (error.kind === 'INVALID_STACK_OPERATION') return 'Unable to sign input, invalid stack size (possibly missing key)';
    return error.message;
  }
}
