import { type Transaction, type TxFormat, type TxOut, transactionWeight, WITNESS_SCALE_FACTOR } from '../primitives/transaction.js';
import { type KeySource, noKeys } from '../script/key-source.js';
import { WitnessHashes } from '../script/sighash.js';
import type { Missing } from '../script/signature-data.js';
import { countP2shSigOps, countSigOps, countWitnessSigOps } from '../script/sigops.js';
import type { ClassifyOptions } from '../script/standard.js';
import type { Steps } from '../util/slicer.js';
import { extractLongTransaction } from './finalize.js';
import { isFinal, type Psbt, type PsbtInput, spentOutput } from './psbt.js';
import { solveInput, solveInputForSize } from './solve.js';

/** Next role to process the PSBT. */
export type PsbtRole = 'updater' | 'signer' | 'finalizer' | 'extractor';

export interface InputAnalysis {
  readonly hasUtxo: boolean;
  readonly isFinal: boolean;
  readonly next: PsbtRole;
  readonly missing: Missing | undefined;
}

/** State of a PSBT: its inputs in their order, and the next role for the whole. */
export interface PsbtAnalysis {
  readonly inputs: readonly InputAnalysis[];
  readonly next: PsbtRole;
  /** Satoshis, regardless of token ids. Undefined if a spent output is unknown. */
  readonly fee: bigint | undefined;
  /** Undefined if a spent output, a script or a key is missing. */
  readonly size: SizeEstimate | undefined;
}

export interface SizeEstimate {
  /** Virtual bytes of the signed transaction. */
  readonly virtualSize: number;
  /** Satoshis per 1000 virtual bytes, rounded towards zero. */
  readonly feePerKb: bigint;
}

/** Options of an analysis; `bytesPerSigOp` is for the estimate of sizes. */
export interface AnalysisOptions extends ClassifyOptions {
  readonly format: TxFormat;
  /** `-bytespersigop`: virtual bytes that a signature operation counts as. */
  readonly bytesPerSigOp: number;
}

/** Reports missing parts of a PSBT and its fee. @see docs/protocol/rpc-chain.md 3.3.17 */
export function* analyzePsbt(psbt: Psbt, options: AnalysisOptions): Steps<PsbtAnalysis> {
  const { format } = options;
  const keys = noKeys(options);
  const hashes = new WitnessHashes(psbt.tx, format);
  yield* hashes.prepare();
  const inputs: InputAnalysis[] = [];
  const reached: PsbtInput[] = [];
  const spent: (TxOut | undefined)[] = [];
  for (const [i, input] of psbt.inputs.entries()) {
    const { analysis, solved } = analyzeInput(psbt, i, input, hashes, keys);
    inputs.push(analysis);
    reached.push(solved);
    spent.push(spentOutput(psbt, i));
    yield;
  }
  if (!spent.every((output) => output !== undefined)) return { inputs, next: 'updater', fee: undefined, size: undefined };
  const fee = sum(spent) - sum(psbt.tx.vout);
  return { inputs, next: nextOf(inputs), fee, size: yield* estimate({ ...psbt, inputs: reached }, spent, fee, options) };
}

function analyzeInput(
  psbt: Psbt,
  index: number,
  input: PsbtInput,
  hashes: WitnessHashes,
  keys: KeySource,
): { readonly analysis: InputAnalysis; readonly solved: PsbtInput } {
  const { format } = hashes;
  const hasUtxo = spentOutput(psbt, index) !== undefined;
  const untouched = { hasUtxo, isFinal: false, next: 'updater', missing: undefined } as const;
  if (!hasUtxo) return { analysis: untouched, solved: input };
  // The extractor is not a role of a single input, so `defid` shows its first role, the updater.
  if (isFinal(input)) return { analysis: { ...untouched, isFinal: true }, solved: input };
  const { input: solved, complete, missing } = solveInput(psbt, index, { format, keys, hashes });
  const next = complete ? 'finalizer' : lacksSignaturesOnly(missing) ? 'signer' : 'updater';
  return { analysis: { ...untouched, next, missing: complete ? undefined : missing }, solved };
}

function lacksSignaturesOnly(missing: Missing | undefined): boolean {
  if (!missing || missing.publicKeys.length > 0 || missing.redeemScript || missing.witnessScript) return false;
  return missing.signatures.length > 0;
}

/** Next role of the PSBT. @param inputs all of known outputs */
function nextOf(inputs: readonly InputAnalysis[]): PsbtRole {
  const open = inputs.filter((input) => !input.isFinal);
  if (open.length === 0) return 'extractor';
  // Inputs that are ready for the finalizer do not change the role, as long as no input needs the updater.
  if (open.every(({ next }) => next !== 'updater')) return 'signer';
  return open.some(({ next }) => next === 'finalizer') ? 'finalizer' : 'updater';
}

function sum(outputs: readonly TxOut[]): bigint {
  return outputs.reduce((total, { value }) => total + value, 0n);
}

/** Size of the transaction with dummy signatures of typical size. */
function* estimate(
  psbt: Psbt,
  spent: readonly TxOut[],
  fee: bigint,
  { format, bytesPerSigOp, ...options }: AnalysisOptions,
): Steps<SizeEstimate | undefined> {
  const inputs: PsbtInput[] = [];
  for (const i of psbt.inputs.keys()) {
    const { input, complete } = solveInputForSize(psbt, i, noKeys(options));
    if (!complete) return undefined;
    inputs.push(input);
    yield;
  }
  const signed = yield* extractLongTransaction({ ...psbt, inputs }, format);
  const virtualSize = sizeForRelay(signed, spent, bytesPerSigOp);
  return { virtualSize, feePerKb: (fee * 1000n) / BigInt(virtualSize) };
}

function sizeForRelay(tx: Transaction, spent: readonly TxOut[], bytesPerSigOp: number): number {
  const weight = Math.max(transactionWeight(tx), sigOpsCost(tx, spent) * bytesPerSigOp);
  return Math.ceil(weight / WITNESS_SCALE_FACTOR);
}

function sigOpsCost(tx: Transaction, spent: readonly TxOut[]): number {
  let legacy = tx.vout.reduce((count, out) => count + countSigOps(out.scriptPubKey, false), 0);
  let witness = 0;
  tx.vin.forEach((input, i) => {
    const script = spent[i]?.scriptPubKey;
    legacy += countSigOps(input.scriptSig, false);
    if (!script) return;
    legacy += countP2shSigOps(script, input.scriptSig);
    witness += countWitnessSigOps(script, input.scriptSig, input.witness);
  });
  return legacy * WITNESS_SCALE_FACTOR + witness;
}
