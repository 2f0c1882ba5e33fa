import type { OutPoint } from '../primitives/outpoint.js';
import { makeLongTransaction, type TxFormat, type TxIn } from '../primitives/transaction.js';
import { EMPTY_BYTES, toHex } from '../util/bytes.js';
import type { Steps } from '../util/slicer.js';
import { union } from './combine.js';
import type { Psbt, PsbtInput } from './psbt.js';

/** An input that occurs more than once in the PSBTs. */
export class RepeatedInput extends Error {
  constructor(readonly point: OutPoint) {
    super('input in multiple PSBTs');
  }
}

const MAX_LOCK_TIME = 0xffffffff;

/**
 * Joins PSBTs into one with all inputs and outputs, in order. It has the highest version, the lowest lock time, and no signatures,
 * because the existing ones sign other transactions.
 * @throws {RepeatedInput}
 */
export function* joinPsbts(psbts: readonly Psbt[], format: TxFormat): Steps<Psbt> {
  const vin = psbts.flatMap(({ tx }) => tx.vin);
  yield* requireDistinct(vin);
  const fields = {
    // Versions are compared as unsigned numbers.
    version: Math.max(1, ...psbts.map(({ tx }) => tx.version >>> 0)) | 0,
    lockTime: Math.min(MAX_LOCK_TIME, ...psbts.map(({ tx }) => tx.lockTime)),
    vin,
    vout: psbts.flatMap(({ tx }) => tx.vout),
  };
  return {
    tx: yield* makeLongTransaction(fields, format),
    unknown: psbts.reduce<Psbt['unknown']>((known, { unknown }) => union(known, unknown), new Map()),
    inputs: psbts.flatMap(({ inputs }) => inputs.map(withoutSignatures)),
    outputs: psbts.flatMap(({ outputs }) => outputs),
  };
}

/** @throws {RepeatedInput} if two inputs have the same outpoint and sequence; inputs that differ in sequence count as distinct */
function* requireDistinct(inputs: readonly TxIn[]): Steps<void> {
  const seen = new Set<string>();
  for (const { prevout, sequence } of inputs) {
    const id = `${toHex(prevout.txid)}:${prevout.vout}:${sequence}`;
    if (seen.has(id)) throw new RepeatedInput(prevout);
    seen.add(id);
    yield;
  }
}

function withoutSignatures(input: PsbtInput): PsbtInput {
  return { ...input, partialSignatures: new Map(), finalScriptSig: EMPTY_BYTES, finalWitness: [] };
}
