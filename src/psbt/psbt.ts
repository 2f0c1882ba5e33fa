import type { Transaction, TxOut } from '../primitives/transaction.js';
import type { KeySignature, KnownKey } from '../script/signature-data.js';
import { EMPTY_BYTES, equalBytes } from '../util/bytes.js';

/** Entries of unknown meaning, by hex of the key. They are kept and written again. */
export type UnknownEntries = ReadonlyMap<string, Uint8Array>;
/** Keys and where they come from, by hex of the public key. */
export type KeyPaths = ReadonlyMap<string, KnownKey>;
/** By hex of the key id. */
export type PartialSignatures = ReadonlyMap<string, KeySignature>;

/** What is known of one input. Scripts of no bytes and a witness of no elements are unknown ones. */
export interface PsbtInput {
  /** The transaction that has the output which is spent. */
  readonly nonWitnessUtxo: Transaction | undefined;
  /** The output itself, without token id. */
  readonly witnessUtxo: TxOut | undefined;
  readonly partialSignatures: PartialSignatures;
  /** The hash type that signers should use, signed 32 bits; 0 for none. */
  readonly sighashType: number;
  readonly redeemScript: Uint8Array;
  readonly witnessScript: Uint8Array;
  readonly keyPaths: KeyPaths;
  readonly finalScriptSig: Uint8Array;
  readonly finalWitness: readonly Uint8Array[];
  readonly unknown: UnknownEntries;
}

/** What is known of one output. */
export interface PsbtOutput {
  readonly redeemScript: Uint8Array;
  readonly witnessScript: Uint8Array;
  readonly keyPaths: KeyPaths;
  readonly unknown: UnknownEntries;
}

/** A partially signed transaction (BIP174, version 0): one input and one output record for each of the transaction's. */
export interface Psbt {
  /** Without signatures. */
  readonly tx: Transaction;
  readonly unknown: UnknownEntries;
  readonly inputs: readonly PsbtInput[];
  readonly outputs: readonly PsbtOutput[];
}

const NO_ENTRIES: UnknownEntries = new Map();
const NO_PATHS: KeyPaths = new Map();

export const EMPTY_OUTPUT: PsbtOutput = {
  redeemScript: EMPTY_BYTES,
  witnessScript: EMPTY_BYTES,
  keyPaths: NO_PATHS,
  unknown: NO_ENTRIES,
};

export const EMPTY_INPUT: PsbtInput = {
  nonWitnessUtxo: undefined,
  witnessUtxo: undefined,
  partialSignatures: new Map(),
  sighashType: 0,
  redeemScript: EMPTY_BYTES,
  witnessScript: EMPTY_BYTES,
  keyPaths: NO_PATHS,
  finalScriptSig: EMPTY_BYTES,
  finalWitness: [],
  unknown: NO_ENTRIES,
};

/** A PSBT that knows nothing yet. @param tx without signatures */
export function createPsbt(tx: Transaction): Psbt {
  return { tx, unknown: NO_ENTRIES, inputs: tx.vin.map(() => EMPTY_INPUT), outputs: tx.vout.map(() => EMPTY_OUTPUT) };
}

/** Whether the final scripts are there. */
export function isFinal({ finalScriptSig, finalWitness }: PsbtInput): boolean {
  return finalScriptSig.length > 0 || finalWitness.length > 0;
}

/** An input has one kind of output record at most, and what belongs to a witness only with the record of one. */
export function isSaneInput(input: PsbtInput): boolean {
  if (input.witnessUtxo) return !input.nonWitnessUtxo;
  return input.witnessScript.length === 0 && input.finalWitness.length === 0;
}

export function isSane(psbt: Psbt): boolean {
  return psbt.inputs.every(isSaneInput);
}

/** The output that an input spends, where it is known. Only the record of the whole transaction tells its token. */
export function spentOutput({ tx, inputs }: Psbt, index: number): TxOut | undefined {
  const input = inputs[index];
  const prevout = tx.vin[index]?.prevout;
  return input?.nonWitnessUtxo ? prevout && input.nonWitnessUtxo.vout[prevout.vout] : input?.witnessUtxo;
}

/** The output to sign for: known, from a sane record, of the transaction that the input names. */
export function signableOutput(psbt: Psbt, index: number): TxOut | undefined {
  const input = psbt.inputs[index];
  const prevout = psbt.tx.vin[index]?.prevout;
  if (!input || !prevout || !isSaneInput(input)) return undefined;
  if (input.nonWitnessUtxo && !equalBytes(input.nonWitnessUtxo.txid, prevout.txid)) return undefined;
  return spentOutput(psbt, index);
}
