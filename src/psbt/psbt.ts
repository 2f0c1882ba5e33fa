import type { Transaction, TxOut } from '../primitives/transaction.js';
import type { KeySignature, KnownKey } from '../script/signature-data.js';
import { EMPTY_BYTES, equalBytes } from '../util/bytes.js';

/** Entries of unknown type, by hex of the key. They are kept when the PSBT is written. */
export type UnknownEntries = ReadonlyMap<string, Uint8Array>;
/** Keys with their origins, by hex of the public key. */
export type KeyPaths = ReadonlyMap<string, KnownKey>;
/** Signatures by hex of the key id. */
export type PartialSignatures = ReadonlyMap<string, KeySignature>;

/** Data of an input. An empty script or witness means that it is unknown. */
export interface PsbtInput {
  /** The transaction that contains the spent output. */
  readonly nonWitnessUtxo: Transaction | undefined;
  /** The spent output, without token id. */
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

/** Data of an output. An empty script means that it is unknown. */
export interface PsbtOutput {
  readonly redeemScript: Uint8Array;
  readonly witnessScript: Uint8Array;
  readonly keyPaths: KeyPaths;
  readonly unknown: UnknownEntries;
}

/** A partially signed transaction (BIP174, version 0), with data for each input and output of the transaction. */
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

/** Creates a PSBT without input and output data. @param tx without signatures */
export function createPsbt(tx: Transaction): Psbt {
  return { tx, unknown: NO_ENTRIES, inputs: tx.vin.map(() => EMPTY_INPUT), outputs: tx.vout.map(() => EMPTY_OUTPUT) };
}

/** True if the input has a final script or witness. */
export function isFinal({ finalScriptSig, finalWitness }: PsbtInput): boolean {
  return finalScriptSig.length > 0 || finalWitness.length > 0;
}

/** True if the input has at most one of the utxo fields, and witness fields only with `witnessUtxo`. */
export function isSaneInput(input: PsbtInput): boolean {
  if (input.witnessUtxo) return !input.nonWitnessUtxo;
  return input.witnessScript.length === 0 && input.finalWitness.length === 0;
}

export function isSane(psbt: Psbt): boolean {
  return psbt.inputs.every(isSaneInput);
}

/** The output that an input spends, if known. Its token id is right only if it comes from `nonWitnessUtxo`. */
export function spentOutput({ tx, inputs }: Psbt, index: number): TxOut | undefined {
  const input = inputs[index];
  const prevout = tx.vin[index]?.prevout;
  return input?.nonWitnessUtxo ? prevout && input.nonWitnessUtxo.vout[prevout.vout] : input?.witnessUtxo;
}

/** The output to sign for: known, of a sane input, and of the transaction that the input refers to; else undefined. */
export function signableOutput(psbt: Psbt, index: number): TxOut | undefined {
  const input = psbt.inputs[index];
  const prevout = psbt.tx.vin[index]?.prevout;
  if (!input || !prevout || !isSaneInput(input)) return undefined;
  if (input.nonWitnessUtxo && !equalBytes(input.nonWitnessUtxo.txid, prevout.txid)) return undefined;
  return spentOutput(psbt, index);
}
