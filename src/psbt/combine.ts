import { equalBytes } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';
import type { Psbt, PsbtInput, PsbtOutput } from './psbt.js';

/**
 * What several PSBTs of one transaction know together; of what two know differently, the first counts.
 * @returns undefined where the transactions differ. The result may be insane: see `isSane`
 */
export function combinePsbts([first, ...others]: readonly [Psbt, ...Psbt[]]): Psbt | undefined {
  return finish(combineLongPsbts([first, ...others]));
}

/** The same for PSBTs that may have megabytes. */
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

/** The wanted hash type is the first one's alone. */
function mergeInputs(a: PsbtInput, b: PsbtInput): PsbtInput {
  // The record of an output that comes in drives that of the transaction out.
  const drivesOut = !a.witnessUtxo && b.witnessUtxo;
  return {
    ...mergeOutputs(a, b),
    nonWitnessUtxo: drivesOut ? undefined : (a.nonWitnessUtxo ?? b.nonWitnessUtxo),
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

/** Entries of both; of a key that both have, that of the first. */
export function union<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...b, ...a]);
}
