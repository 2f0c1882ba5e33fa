import { sha256d } from '../crypto/hash.js';
import { longSha256d, Sha256d } from '../crypto/hash-stream.js';
import { ByteWriter, type Codec, compactSize, encode, i32, u32, varBytes } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { outPoint } from '../primitives/outpoint.js';
import { compactSizeLength, type TransactionFields, type TxFormat, type TxIn, type TxOut, txOutOf } from '../primitives/transaction.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';
import { Op } from './opcodes.js';
import { opEnd } from './script.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_NONE, SIGHASH_SINGLE } from './signature-encoding.js';

const BASE_TYPE_MASK = 0x1f;
const NULL_SIGHASH: Hash256 = new Uint8Array(32);
/** Hash of a legacy SINGLE signature without an output of the same index: the number one, a bug of Bitcoin kept by consensus. */
const ONE: Hash256 = Uint8Array.of(1, ...new Uint8Array(31));
/** Placeholder for the outputs before its own in a legacy SINGLE signature. */
const BLANK_OUTPUT: TxOut = { value: -1n, scriptPubKey: EMPTY_BYTES, tokenId: 0 };

/** Transaction and index of the input that is signed. */
export interface SignatureContext {
  readonly tx: TransactionFields;
  readonly format: TxFormat;
  readonly input: number;
}

/**
 * Legacy signature hash. Outputs include token ids if the transaction version has them.
 * @param scriptCode the executed script, from the last code separator on
 * @param hashType as in the signature, undefined bits included
 * @param shared by the inputs of the transaction, so that signatures of many inputs do not serialise the whole transaction each
 * @see docs/protocol/chain.md 2.1
 */
export function legacySignatureHash(
  { tx, format, input }: SignatureContext,
  scriptCode: Uint8Array,
  hashType: number,
  shared?: Pick<WitnessHashes, 'blank'>,
): Hash256 {
  const base = hashType & BASE_TYPE_MASK;
  const signsAll = base !== SIGHASH_SINGLE && base !== SIGHASH_NONE && (hashType & SIGHASH_ANYONECANPAY) === 0;
  const blank = signsAll ? shared?.blank : undefined;
  if (blank) return hashWithScript(blank, blankInputEnd(tx, input), withoutCodeSeparators(scriptCode), hashType);
  if (base === SIGHASH_SINGLE && input >= tx.vout.length) return ONE;
  const w = scratch();
  i32.write(w, tx.version);
  writeLegacyInputs(w, tx, input, withoutCodeSeparators(scriptCode), hashType);
  const outputs = legacyOutputs(tx, input, base);
  compactSize.write(w, outputs.length);
  const output = txOutOf(tx.version, format);
  for (const out of outputs) output.write(w, out);
  u32.write(w, tx.lockTime);
  i32.write(w, hashType | 0);
  return sha256d(w.view());
}

/** Outpoint, an empty script, and sequence. */
const BLANK_INPUT_SIZE = 36 + 1 + 4;

/** Position of the empty script of an input in a blank transaction, after the outpoint. */
function blankInputEnd({ vin }: TransactionFields, input: number): number {
  return 4 + compactSizeLength(vin.length) + input * BLANK_INPUT_SIZE + 36;
}

function hashWithScript(blank: Uint8Array, at: number, script: Uint8Array, hashType: number): Hash256 {
  const hash = new Sha256d();
  hash.update(blank.subarray(0, at));
  hash.update(encode(varBytes, script));
  hash.update(blank.subarray(at + 1));
  hash.update(encode(i32, hashType | 0));
  return hash.digest();
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
  let from = 0;
  for (let at = 0; at >= 0 && at < script.length; at = opEnd(script, at)) {
    if (script[at] !== Op.CODESEPARATOR) continue;
    kept.push(script.subarray(from, at));
    from = at + 1;
  }
  kept.push(script.subarray(from));
  return Buffer.concat(kept);
}

const SCRATCH_BYTES = 1024;
const shared = new ByteWriter(SCRATCH_BYTES);

/** Shared buffer for bytes that are hashed at once. */
function scratch(): ByteWriter {
  shared.reset();
  return shared;
}

/** Cached hash of the sequence of a single input: nearly all transactions of one input have the same. */
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

/** Above this number of inputs, the blank transaction is serialised once for all legacy signatures. */
const FEW_INPUTS = 8;
/** Inputs or outputs per slice. */
const ITEMS_AT_ONCE = 256;

const blankInput: Pick<Codec<TxIn>, 'write'> = {
  write(w, { prevout, sequence }) {
    outPoint.write(w, prevout);
    varBytes.write(w, EMPTY_BYTES);
    u32.write(w, sequence);
  },
};
const onlyPrevout: Pick<Codec<TxIn>, 'write'> = { write: (w, { prevout }) => outPoint.write(w, prevout) };

function* writeAll<T>(w: ByteWriter, codec: Pick<Codec<T>, 'write'>, values: readonly T[]): Steps<void> {
  for (let i = 0; i < values.length; i++) {
    if (i % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield;
    codec.write(w, values[i] as T);
  }
}

/** Hashes shared by all witness signatures of a transaction, and the serialisation shared by its legacy ones. */
export class WitnessHashes {
  #prevouts: Hash256 | undefined;
  #sequences: Hash256 | undefined;
  #outputs: Hash256 | undefined;
  #blank: Uint8Array | undefined;

  constructor(
    readonly tx: TransactionFields,
    readonly format: TxFormat,
  ) {}

  /** Computes the shared parts in slices. */
  *prepare(): Steps<void> {
    const { tx, format } = this;
    if (tx.vin.length + tx.vout.length <= ITEMS_AT_ONCE) return;
    const prevouts = new ByteWriter();
    yield* writeAll(prevouts, onlyPrevout, tx.vin);
    this.#prevouts = yield* longSha256d(prevouts.finish());
    const outputs = new ByteWriter();
    yield* writeAll(outputs, txOutOf(tx.version, format), tx.vout);
    this.#outputs = yield* longSha256d(outputs.finish());
    this.#blank = yield* this.#writeBlank();
  }

  /** Serialised transaction with empty input scripts, the base of legacy ALL signatures; undefined if it has few inputs. */
  get blank(): Uint8Array | undefined {
    if (this.tx.vin.length > FEW_INPUTS) this.#blank ??= finish(this.#writeBlank());
    return this.#blank;
  }

  *#writeBlank(): Steps<Uint8Array> {
    const { tx, format } = this;
    const w = new ByteWriter();
    i32.write(w, tx.version);
    compactSize.write(w, tx.vin.length);
    yield* writeAll(w, blankInput, tx.vin);
    compactSize.write(w, tx.vout.length);
    yield* writeAll(w, txOutOf(tx.version, format), tx.vout);
    u32.write(w, tx.lockTime);
    return w.finish();
  }

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
    const w = scratch();
    write(w);
    return sha256d(w.view());
  }
}

/**
 * Signature hash of version 0 witnesses (BIP143).
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
  const prevouts = alone ? NULL_SIGHASH : hashes.prevouts;
  const sequences = alone || !all ? NULL_SIGHASH : hashes.sequences;
  const outputs = all ? hashes.outputs : base === SIGHASH_SINGLE && single ? hashes.outputsHash([single]) : NULL_SIGHASH;
  // Only now, because the hashes above are of the same buffer.
  const w = scratch();
  i32.write(w, tx.version);
  w.bytes(prevouts);
  w.bytes(sequences);
  outPoint.write(w, own.prevout);
  varBytes.write(w, scriptCode);
  w.i64(value);
  u32.write(w, own.sequence);
  w.bytes(outputs);
  u32.write(w, tx.lockTime);
  i32.write(w, hashType | 0);
  return sha256d(w.view());
}
