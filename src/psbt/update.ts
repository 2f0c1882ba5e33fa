import type { TxOut } from '../primitives/transaction.js';
import type { KeySource } from '../script/key-source.js';
import { WitnessHashes } from '../script/sighash.js';
import { classify, type OutputType } from '../script/standard.js';
import type { Steps } from '../util/slicer.js';
import type { Psbt, PsbtInput, PsbtOutput } from './psbt.js';
import { type SolveOptions, solveInput, solveOutput } from './solve.js';

export interface UpdateOptions extends Pick<SolveOptions, 'format'> {
  /** Keys and scripts that may belong to the transaction. */
  readonly keys: KeySource;
  /** The output that an input spends, if known. */
  outputOf(index: number): TxOut | undefined;
}

/** Outputs to EVM addresses, which `defid` 4.x has a type for, are not among them. */
const WITNESS_TYPES: ReadonlySet<OutputType> = new Set(['witness_v0_keyhash', 'witness_v0_scripthash', 'witness_unknown']);

/**
 * Adds `witnessUtxo` of inputs that are spent with a witness, and scripts and key paths of inputs and outputs. Inputs that already have a
 * utxo field are not changed.
 */
export function* updatePsbt(psbt: Psbt, { format, keys, outputOf }: UpdateOptions): Steps<Psbt> {
  const hashes = new WitnessHashes(psbt.tx, format);
  yield* hashes.prepare();
  const inputs: PsbtInput[] = [...psbt.inputs];
  const updated: Psbt = { ...psbt, inputs };
  for (const [i, input] of psbt.inputs.entries()) {
    yield;
    if (input.nonWitnessUtxo || input.witnessUtxo) continue;
    const output = outputOf(i);
    const witnessUtxo = output && paysWitness(output.scriptPubKey, keys) ? output : undefined;
    inputs[i] = { ...input, witnessUtxo };
    inputs[i] = solveInput(updated, i, { format, keys, hashes }).input;
  }
  const outputs: PsbtOutput[] = [];
  for (const i of psbt.outputs.keys()) {
    outputs.push(solveOutput(updated, i, { format, keys, hashes }));
    yield;
  }
  return { ...updated, outputs };
}

/** True if an output is spent with a witness; for P2SH this can be seen only if the redeem script is known. */
function paysWitness(scriptPubKey: Uint8Array, keys: KeySource): boolean {
  const { type, solutions } = classify(scriptPubKey, keys);
  if (WITNESS_TYPES.has(type)) return true;
  const [scriptId] = solutions;
  const redeemScript = type === 'scripthash' && scriptId ? keys.script(scriptId) : undefined;
  return redeemScript !== undefined && WITNESS_TYPES.has(classify(redeemScript, keys).type);
}
