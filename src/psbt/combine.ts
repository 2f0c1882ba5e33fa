import type { KeySignature, KnownKey } from '../script/signature-data.js';
import { equalBytes } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';
import type { Psbt, PsbtInput, PsbtOutput } from './psbt.js';

/**
 * Merges PSBTs of the same transaction; in a conflict the first one wins.
 * @returns undefined if the transactions differ. The result may be invalid: see `isSane`
 */
export function combinePsbts([first, ...others]: readonly [Psbt, ...Psbt[]]): Psbt | undefined {
  return finish(combineLongPsbts([first, ...others]));
}

/** Sliced {@link combinePsbts}. */
export function* combineLongPsbts([first, ...others]: readonly [Psbt, ...Psbt[]]): Steps<Psbt | undefined> {
  if (others.some(({ tx }) => !equalBytes(tx.txid, first.tx.txid))) return undefined;
  const combined = yield* mergeable(first);
  for (const other of others) {
    yield* merge(combined, other);
    yield;
  }
  return combined;
}

/** An input with maps of its own, to which entries may be added. */
type MergedInput = PsbtInput & MergedOutput & { readonly partialSignatures: Map<string, KeySignature> };

/** An output, or the fields of an input that an output has too. */
type MergedOutput = PsbtOutput & { readonly keyPaths: Map<string, KnownKey>; readonly unknown: Map<string, Uint8Array> };

/** A PSBT to which others are added one by one. Copies of what it has already would take time for each of them. */
interface MergedPsbt extends Psbt {
  readonly unknown: Map<string, Uint8Array>;
  readonly inputs: MergedInput[];
  readonly outputs: MergedOutput[];
}

function* mergeable({ tx, unknown, inputs, outputs }: Psbt): Steps<MergedPsbt> {
  const merged: MergedPsbt = { tx, unknown: new Map(unknown), inputs: [], outputs: [] };
  for (const input of inputs) {
    merged.inputs.push({ ...input, ...mergeableOutput(input), partialSignatures: new Map(input.partialSignatures) });
    yield;
  }
  for (const output of outputs) {
    merged.outputs.push(mergeableOutput(output));
    yield;
  }
  return merged;
}

function mergeableOutput({ redeemScript, witnessScript, keyPaths, unknown }: PsbtOutput): MergedOutput {
  return { redeemScript, witnessScript, keyPaths: new Map(keyPaths), unknown: new Map(unknown) };
}

/** Adds to `a` what it lacks of `b`. */
function* merge(a: MergedPsbt, b: Psbt): Steps<void> {
  for (const [i, input] of a.inputs.entries()) {
    a.inputs[i] = mergeInputs(input, b.inputs[i] ?? input);
    yield;
  }
  for (const [i, output] of a.outputs.entries()) {
    a.outputs[i] = mergeOutputs(output, b.outputs[i] ?? output);
    yield;
  }
  addMissing(a.unknown, b.unknown);
}

/** Merges two inputs; only the first one's sighash type counts. */
function mergeInputs(a: MergedInput, b: PsbtInput): MergedInput {
  // A `witnessUtxo` of `b` replaces the `nonWitnessUtxo` of `a`.
  const replacesTransaction = !a.witnessUtxo && b.witnessUtxo;
  return {
    ...mergeOutputs(a, b),
    nonWitnessUtxo: replacesTransaction ? undefined : (a.nonWitnessUtxo ?? b.nonWitnessUtxo),
    witnessUtxo: a.witnessUtxo ?? b.witnessUtxo,
    partialSignatures: addMissing(a.partialSignatures, b.partialSignatures),
    sighashType: a.sighashType,
    finalScriptSig: firstOf(a.finalScriptSig, b.finalScriptSig),
    finalWitness: a.finalWitness.length > 0 ? a.finalWitness : b.finalWitness,
  };
}

function mergeOutputs(a: MergedOutput, b: PsbtOutput): MergedOutput {
  return {
    redeemScript: firstOf(a.redeemScript, b.redeemScript),
    witnessScript: firstOf(a.witnessScript, b.witnessScript),
    keyPaths: addMissing(a.keyPaths, b.keyPaths),
    unknown: addMissing(a.unknown, b.unknown),
  };
}

function firstOf(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.length > 0 ? a : b;
}

/** Adds to `a` the entries of `b` whose keys it lacks. @returns `a` */
export function addMissing<T>(a: Map<string, T>, b: ReadonlyMap<string, T>): Map<string, T> {
  for (const [key, value] of b) if (!a.has(key)) a.set(key, value);
  return a;
}
