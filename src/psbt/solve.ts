import type { TxFormat, TxOut } from '../primitives/transaction.js';
import type { KeySource } from '../script/key-source.js';
import { WitnessHashes } from '../script/sighash.js';
import { completeSignature } from '../script/sign.js';
import { type KnownKey, type Missing, SignatureData } from '../script/signature-data.js';
import { SIGHASH_ALL } from '../script/signature-encoding.js';
import { dummySigner, type Signer, TransactionSigner } from '../script/signer.js';
import { toHex } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';
import { EMPTY_INPUT, isFinal, type Psbt, type PsbtInput, type PsbtOutput, signableOutput } from './psbt.js';

/** Options for signing and finalising inputs. */
export interface SolveOptions {
  readonly format: TxFormat;
  /** NO_KEYS to use only the data of the PSBT. */
  readonly keys: KeySource;
  readonly hashType?: number;
  /** Shared by the inputs of one PSBT. */
  readonly hashes?: WitnessHashes;
}

export interface Solved {
  readonly input: PsbtInput;
  /** True if the input is final now. */
  readonly complete: boolean;
  /** Undefined if signing was impossible or not needed. */
  readonly missing: Missing | undefined;
}

/**
 * Signs an input, adds scripts and key paths, and finalises it if nothing is missing. An input with only `witnessUtxo` is signed with
 * a witness or not at all, because a legacy signature does not commit to the amount.
 * @see docs/protocol/rpc-chain.md 3.3.10
 */
export function solveInput(psbt: Psbt, index: number, options: SolveOptions): Solved {
  const { format, hashType = SIGHASH_ALL, hashes = new WitnessHashes(psbt.tx, format) } = options;
  return solve(psbt, index, options.keys, ({ value }) => {
    return new TransactionSigner({ tx: psbt.tx, format, input: index, value, hashType, hashes });
  });
}

/** Like `solveInput`, with dummy signatures of typical size. */
export function solveInputForSize(psbt: Psbt, index: number, keys: KeySource): Solved {
  return solve(psbt, index, keys, () => dummySigner);
}

function solve(psbt: Psbt, index: number, keys: KeySource, signerOf: (output: TxOut) => Signer): Solved {
  const input = psbt.inputs[index];
  if (!input) throw new RangeError(`no input ${index}`);
  const unchanged = { input, missing: undefined };
  if (isFinal(input)) return { ...unchanged, complete: true };
  const output = signableOutput(psbt, index);
  if (!output) return { ...unchanged, complete: false };
  const data = dataOf(input);
  for (const [id, signature] of input.partialSignatures) data.signatures.set(id, signature);
  const complete = completeSignature(keys, signerOf(output), output.scriptPubKey, data);
  if (input.witnessUtxo && !data.isWitness) return { ...unchanged, complete: false };
  return {
    input: withWitnessUtxo(complete ? finalInput(input, data) : partialInput(input, data), output, data),
    complete,
    missing: data.missing,
  };
}

function dataOf({ redeemScript, witnessScript, keyPaths }: Pick<PsbtInput, 'redeemScript' | 'witnessScript' | 'keyPaths'>): SignatureData {
  const data = new SignatureData();
  data.redeemScript = redeemScript;
  data.witnessScript = witnessScript;
  for (const { publicKey, origin } of keyPaths.values()) data.addKey(publicKey, origin);
  return data;
}

/** Replaces `nonWitnessUtxo` by the smaller `witnessUtxo` if the input is spent with a witness. */
function withWitnessUtxo(input: PsbtInput, witnessUtxo: TxOut, { isWitness }: SignatureData): PsbtInput {
  return isWitness ? { ...input, witnessUtxo, nonWitnessUtxo: undefined } : input;
}

function finalInput({ nonWitnessUtxo, witnessUtxo, sighashType, unknown }: PsbtInput, { scriptSig, witness }: SignatureData): PsbtInput {
  return { ...EMPTY_INPUT, nonWitnessUtxo, witnessUtxo, sighashType, unknown, finalScriptSig: scriptSig, finalWitness: witness };
}

function partialInput(input: PsbtInput, data: SignatureData): PsbtInput {
  return { ...input, partialSignatures: new Map(data.signatures), ...withKnowledge(input, data) };
}

/** Existing scripts and key paths, and new ones from signing. */
function withKnowledge({ redeemScript, witnessScript, keyPaths }: PsbtOutput, data: SignatureData) {
  const paths = new Map(keyPaths);
  for (const key of data.keys.values()) addPath(paths, key);
  return {
    redeemScript: redeemScript.length > 0 ? redeemScript : data.redeemScript,
    witnessScript: witnessScript.length > 0 ? witnessScript : data.witnessScript,
    keyPaths: paths,
  };
}

function addPath(paths: Map<string, KnownKey>, key: KnownKey): void {
  const id = toHex(key.publicKey);
  if (!paths.has(id)) paths.set(id, key);
}

/** Adds scripts and key paths of an output, as if it were spent. */
export function solveOutput(psbt: Psbt, index: number, { format, keys, hashes }: Omit<SolveOptions, 'hashType'>): PsbtOutput {
  const output = psbt.outputs[index];
  const txOut = psbt.tx.vout[index];
  if (!output || !txOut) throw new RangeError(`no output ${index}`);
  const data = dataOf(output);
  const signing = { tx: psbt.tx, format, input: 0, value: txOut.value, ...(hashes ? { hashes } : {}) };
  completeSignature(keys, new TransactionSigner(signing), txOut.scriptPubKey, data);
  return { ...output, ...withKnowledge(output, data) };
}

/** Applies {@link solveInput} to all inputs. */
export function solveInputs(psbt: Psbt, options: SolveOptions): SolvedPsbt {
  return finish(solveLongInputs(psbt, options));
}

export interface SolvedPsbt {
  readonly psbt: Psbt;
  readonly complete: boolean;
}

/** Sliced {@link solveInputs}. */
export function* solveLongInputs(psbt: Psbt, options: SolveOptions): Steps<SolvedPsbt> {
  const hashes = new WitnessHashes(psbt.tx, options.format);
  yield* hashes.prepare();
  const inputs: PsbtInput[] = [];
  let complete = true;
  for (const i of psbt.inputs.keys()) {
    const solved = solveInput(psbt, i, { ...options, hashes });
    inputs.push(solved.input);
    complete &&= solved.complete;
    yield;
  }
  return { psbt: { ...psbt, inputs }, complete };
}
