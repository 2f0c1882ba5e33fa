import { sha256d } from '../crypto/hash.js';
import { ByteWriter, compactSize, encode, i32, u32, varBytes } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { outPoint } from '../primitives/outpoint.js';
import { type TransactionFields, type TxFormat, type TxOut, txOutOf } from '../primitives/transaction.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { Op } from './opcodes.js';
import { readOp } from './script.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_NONE, SIGHASH_SINGLE } from './signature-encoding.js';

const BASE_TYPE_MASK = 0x1f;
const NULL_SIGHASH: Hash256 = new Uint8Array(32);
/** What a legacy SINGLE signature without an output of its index signs: the number one. */
const ONE: Hash256 = Uint8Array.of(1, ...new Uint8Array(31));
/** What a legacy SINGLE signature puts in place of the outputs before its own. */
const BLANK_OUTPUT: TxOut = { value: -1n, scriptPubKey: EMPTY_BYTES, tokenId: 0 };

/** Which input is signed, and how. */
export interface SignatureContext {
  readonly tx: TransactionFields;
  readonly format: TxFormat;
  readonly input: number;
}

/**
 * What a signature outside a witness signs. Outputs count with their token ids where the transaction's version has them.
 * @param scriptCode the script being run, from the last code separator on
 * @param hashType as many bits as the signature gives, also undefined ones
 * @see docs/protocol/chain.md 2.1
 */
export function legacySignatureHash({ tx, format, input }: SignatureContext, scriptCode: Uint8Array, hashType: number): Hash256 {
  const base = hashType & BASE_TYPE_MASK;
  if (base === SIGHASH_SINGLE && input >= tx.vout.length) return ONE;
  const w = new ByteWriter(512);
  i32.write(w, tx.version);
  writeLegacyInputs(w, tx, input, withoutCodeSeparators(scriptCode), hashType);
  const outputs = legacyOutputs(tx, input, base);
  compactSize.write(w, outputs.length);
  const output = txOutOf(tx.version, format);
  for (const out of outputs) output.write(w, out);
  u32.write(w, tx.lockTime);
  i32.write(w, hashType | 0);
  return sha256d(w.finish());
}

function writeLegacyInputs(w: ByteWriter, tx: TransactionFields, signed: number, scriptCode: Uint8Array, hashType: number): void {
  const alone = (hashType & SIGHASH_ANYONECANPAY) !== 0;
  const base = hashType & BASE_TYPE_MASK;
  compactSize.write(w, alone ? 1 : tx.vin.length);
  tx.vin.forEach(({ prevout, sequence }, i) => {
    if (alone && i !== signed) return;
    outPoint.write(w, prevout);
    varBytes.write(w, i === signed ? scriptCode : EMPTY_BYTES);
    const free = i !== signed && (base === SIGHASH_NONE || base === SIGHASH_SINGLE);
    u32.write(w, free ? 0 : sequence);
  });
}

function legacyOutputs(tx: TransactionFields, signed: number, base: number): readonly TxOut[] {
  if (base === SIGHASH_NONE) return [];
  if (base !== SIGHASH_SINGLE) return tx.vout;
  return tx.vout.slice(0, signed + 1).map((out, i) => (i === signed ? out : BLANK_OUTPUT));
}

function withoutCodeSeparators(script: Uint8Array): Uint8Array {
  if (!script.includes(Op.CODESEPARATOR)) return script;
  const kept: Uint8Array[] = [];
  let at = 0;
  for (let op = readOp(script, 0); op?.ok; op = readOp(script, op.end)) {
    if (op.opcode !== Op.CODESEPARATOR) kept.push(script.subarray(at, op.end));
    at = op.end;
  }
  kept.push(script.subarray(at));
  return Buffer.concat(kept);
}

/** The sequence of the last transaction that had one input, and its hash: nearly all have the same. */
let lastSequence: { readonly sequence: number; readonly hash: Hash256 } | undefined;

function sequencesHash(inputs: TransactionFields['vin']): Hash256 {
  const [first] = inputs;
  if (!first || inputs.length > 1) {
    const w = new ByteWriter(4 * inputs.length);
    for (const { sequence } of inputs) u32.write(w, sequence);
    return sha256d(w.finish());
  }
  if (lastSequence?.sequence !== first.sequence) lastSequence = { sequence: first.sequence, hash: sha256d(encode(u32, first.sequence)) };
  return lastSequence.hash;
}

/** Hashes of a transaction's parts that all its witness signatures share. */
export class WitnessHashes {
  #prevouts: Hash256 | undefined;
  #sequences: Hash256 | undefined;
  #outputs: Hash256 | undefined;

  constructor(
    readonly tx: TransactionFields,
    readonly format: TxFormat,
  ) {}

  get prevouts(): Hash256 {
    this.#prevouts ??= this.#hash((w) => {
      for (const { prevout } of this.tx.vin) outPoint.write(w, prevout);
    });
    return this.#prevouts;
  }

  get sequences(): Hash256 {
    this.#sequences ??= sequencesHash(this.tx.vin);
    return this.#sequences;
  }

  get outputs(): Hash256 {
    this.#outputs ??= this.outputsHash(this.tx.vout);
    return this.#outputs;
  }

  outputsHash(outputs: readonly TxOut[]): Hash256 {
    const codec = txOutOf(this.tx.version, this.format);
    return this.#hash((w) => {
      for (const out of outputs) codec.write(w, out);
    });
  }

  #hash(write: (w: ByteWriter) => void): Hash256 {
    const w = new ByteWriter(512);
    write(w);
    return sha256d(w.finish());
  }
}

/**
 * What a signature in a version 0 witness signs.
 * @param value satoshis of the spent output
 * @see BIP143
 */
export function witnessSignatureHash(
  hashes: WitnessHashes,
  input: number,
  { scriptCode, value, hashType }: { readonly scriptCode: Uint8Array; readonly value: bigint; readonly hashType: number },
): Hash256 {
  const { tx } = hashes;
  const alone = (hashType & SIGHASH_ANYONECANPAY) !== 0;
  const base = hashType & BASE_TYPE_MASK;
  const all = base !== SIGHASH_SINGLE && base !== SIGHASH_NONE;
  const own = tx.vin[input];
  if (!own) throw new RangeError(`no input ${input}`);
  const single = tx.vout[input];
  const w = new ByteWriter(256);
  i32.write(w, tx.version);
  w.bytes(alone ? NULL_SIGHASH : hashes.prevouts);
  w.bytes(alone || !all ? NULL_SIGHASH : hashes.sequences);
  outPoint.write(w, own.prevout);
  varBytes.write(w, scriptCode);
  w.i64(value);
  u32.write(w, own.sequence);
  w.bytes(all ? hashes.outputs : base === SIGHASH_SINGLE && single ? hashes.outputsHash([single]) : NULL_SIGHASH);
  u32.write(w, tx.lockTime);
  i32.write(w, hashType | 0);
  return sha256d(w.finish());
}
