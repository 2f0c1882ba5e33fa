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
  let combined = first;
  for (const other of others) combined = yield* merge(combined, other);
  return combined;
}

function* merge(a: Psbt, b: Psbt): Steps<Psbt> {
  const inputs: PsbtInput[] = [];
  for (const [i, input] of a.inputs.entries()) {
    inputs.push(mergeInputs(input, b.inputs[i] ?? input));
    yield;
  }
  const outputs: PsbtOutput[] = [];
  for (const [i, output] of a.outputs.entries()) {
    outputs.push(mergeOutputs(output, b.outputs[i] ?? output));
    yield;
  }
  return { tx: a.tx, unknown: union(a.unknown, b.unknown), inputs, outputs };
}

/** Merges two inputs; only the first one's sighash type counts. */
function mergeInputs(a: PsbtInput, b: PsbtInput): PsbtInput {
  // A `witnessUtxo` of `b` replaces the `nonWitnessUtxo` of `a`.
  const replacesTransaction = !a.witnessUtxo && b.witnessUtxo;
  return {
    ...mergeOutputs(a, b),
    nonWitnessUtxo: replacesTransaction ? undefined : (a.nonWitnessUtxo ?? b.nonWitnessUtxo),
    witnessUtxo: a.witnessUtxo ?? b.witnessUtxo,
    partialSignatures: union(a.partialSignatures, b.partialSignatures),
    sighashType: a.sighashType,
    finalScriptSig: firstOf(a.finalScriptSig, b.finalScriptSig),
    finalWitness: a.finalWitness.length > 0 ? a.finalWitness : b.finalWitness,
  };
}

function mergeOutputs(a: PsbtOutput, b: PsbtOutput): PsbtOutput {
  return {
    redeemScript: firstOf(a.redeemScript, b.redeemScript),
    witnessScript: firstOf(a.witnessScript, b.witnessScript),
    keyPaths: union(a.keyPaths, b.keyPaths),
    unknown: union(a.unknown, b.unknown),
  };
}

function firstOf(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.length > 0 ? a : b;
}

/** Union of two maps; for a key in both, the value of `a`. */
export function union<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...b, ...a]);
}
