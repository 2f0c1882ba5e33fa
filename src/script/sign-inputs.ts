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
import type { SignatureChecker } from './checker.js';
import { extractSignatures } from './extract.js';
import type { VerifyFlags } from './flags.js';
import type { KeySource } from './key-source.js';
import { ScriptError } from './script-error.js';
import { WitnessHashes } from './sighash.js';
import { completeSignature, signingFlags } from './sign.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_SINGLE } from './signature-encoding.js';
import { TransactionSigner } from './signer.js';
import { type Spend, verifyScript } from './verify.js';

/** Options of signing; `hashType` is a `SIGHASH_` value. */
export interface SigningOptions {
  readonly format: TxFormat;
  readonly keys: KeySource;
  /** The output that an input spends; undefined if unknown. */
  readonly output: (point: OutPoint) => TxOut | undefined;
  readonly hashType: number;
}

/** An input whose script fails. */
export interface SigningFault {
  readonly input: TxIn;
  /** Error text for the client. */
  readonly text: string;
}

export interface SignedInputs {
  readonly tx: Transaction;
  /** Empty if the transaction is complete. */
  readonly faults: readonly SigningFault[];
}

/** Signs with the available keys, keeps existing valid signatures, and verifies the script of every input. */
export function signInputs(tx: TransactionFields, options: SigningOptions): SignedInputs {
  return finish(signLongInputs(tx, options));
}

/** Sliced {@link signInputs}, for transactions of megabytes. */
export function* signLongInputs(tx: TransactionFields, options: SigningOptions): Steps<SignedInputs> {
  const { format } = options;
  const hashes = new WitnessHashes(tx, format);
  yield* hashes.prepare();
  const faults: SigningFault[] = [];
  const vin: TxIn[] = [];
  for (const [i, input] of tx.vin.entries()) {
    yield;
    const output = options.output(input.prevout);
    const { signed, text } = output ? signInput(tx, i, output, options, hashes) : { signed: input, text: 'Input already spent' };
    if (text !== undefined) faults.push({ input: signed, text });
    vin.push(signed);
  }
  return { tx: yield* makeLongTransaction({ ...tx, vin }, format), faults };
}

/** Signs and verifies one input. @returns the signed input, and the error text if its script fails */
function signInput(
  tx: TransactionFields,
  index: number,
  output: TxOut,
  options: SigningOptions,
  hashes: WitnessHashes,
): { signed: TxIn; text: string | undefined } {
  const { format, keys, hashType } = options;
  const input = tx.vin[index] as TxIn;
  const { value, scriptPubKey } = output;
  const signer = new TransactionSigner({ tx, format, input: index, value, hashType, hashes });
  const data = extractSignatures(input, output, signer.checker, keys);
  // A SINGLE signature without an output of the same index commits to nothing.
  const isSingle = (hashType & ~SIGHASH_ANYONECANPAY) === SIGHASH_SINGLE;
  if (!isSingle || index < tx.vout.length) {
    completeSignature(keys, signer, scriptPubKey, data);
  }
  const { scriptSig, witness, complete } = data;
  // A complete spend was verified under the same flags.
  const text = complete ? undefined : faultOf({ scriptSig, witness, scriptPubKey }, signer.checker, signingFlags(keys));
  return { signed: { ...input, scriptSig, witness }, text };
}

/** Error text of a spend; undefined if it is valid. */
function faultOf(spend: Spend, checker: SignatureChecker, flags: VerifyFlags): string | undefined {
  try {
    verifyScript(spend, flags, checker);
    return undefined;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    // The usual cause is that all signatures are missing.
    if (error.kind === 'INVALID_STACK_OPERATION') return 'Unable to sign input, invalid stack size (possibly missing key)';
    return error.message;
  }
}
