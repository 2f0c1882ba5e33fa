import type { OutPoint } from '../primitives/outpoint.js';
import { makeLongTransaction, type TxFormat, type TxIn } from '../primitives/transaction.js';
import { EMPTY_BYTES, toHex } from '../util/bytes.js';
import type { Steps } from '../util/slicer.js';
import { addMissing } from './combine.js';
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
  let [version, lockTime] = [1, MAX_LOCK_TIME];
  const unknown = new Map<string, Uint8Array>();
  for (const { tx, unknown: more } of psbts) {
    // Versions are compared as unsigned numbers.
    version = Math.max(version, tx.version >>> 0);
    lockTime = Math.min(lockTime, tx.lockTime);
    addMissing(unknown, more);
    yield;
  }
  const fields = { version: version | 0, lockTime, vin, vout: psbts.flatMap(({ tx }) => tx.vout) };
  return {
    tx: yield* makeLongTransaction(fields, format),
    unknown,
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
