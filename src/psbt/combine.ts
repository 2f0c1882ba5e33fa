import { equalBytes } from '../util/bytes.js';
import type { Psbt, PsbtInput, PsbtOutput } from './psbt.js';

/**
 * What several PSBTs of one transaction know together; of what two know differently, the first counts.
 * @returns undefined where the transactions differ. The result may be insane: see `isSane`
 */
export function combinePsbts([first, ...others]: readonly [Psbt, ...Psbt[]]): Psbt | undefined {
  if (others.some(({ tx }) => !equalBytes(tx.txid, first.tx.txid))) return undefined;
  return others.reduce(merge, first);
}

function merge(a: Psbt, b: Psbt): Psbt {
  return {
    tx: a.tx,
    unknown: union(a.unknown, b.unknown),
    inputs: a.inputs.map((input, i) => mergeInputs(input, b.inputs[i] ?? input)),
    outputs: a.outputs.map((output, i) => mergeOutputs(output, b.outputs[i] ?? output)),
  };
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
