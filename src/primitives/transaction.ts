import { sha256d } from '../crypto/hash.js';
import { isLong, longSha256d } from '../crypto/hash-stream.js';
import { finish, type Steps } from '../util/slicer.js';
import { ByteReader, ByteWriter, type Codec, compactSize, DecodeError, i32, i64, u32, varBytes } from './codec.js';
import type { Hash256 } from './hash.js';
import { isNullOutPoint, type OutPoint, outPoint } from './outpoint.js';
import { TransactionReading } from './transaction-reading.js';
import { varInt32, varIntLength } from './var-int.js';
import { type WitnessStack, writeWitness } from './witness.js';

/** Input of a transaction; `scriptSig` is a raw script, `sequence` unsigned 32 bits. */
export interface TxIn {
  readonly prevout: OutPoint;
  readonly scriptSig: Uint8Array;
  readonly sequence: number;
  /** Witness stack; empty if the input has none. */
  readonly witness: WitnessStack;
}

/** Output of a transaction; `scriptPubKey` is a raw script. */
export interface TxOut {
  /** Satoshis of the token. */
  readonly value: bigint;
  readonly scriptPubKey: Uint8Array;
  /** 0 is DFI. */
  readonly tokenId: number;
}

/** Fields of a transaction, also of one that is still being built: `makeTransaction` adds its ids. */
export interface TransactionFields {
  readonly version: number;
  readonly vin: readonly TxIn[];
  readonly vout: readonly TxOut[];
  readonly lockTime: number;
}

/** A transaction with its ids, bytes and size. */
export interface Transaction extends TransactionFields {
  readonly txid: Hash256;
  readonly wtxid: Hash256;
  /** Serialisation with witness data, if it has any. */
  readonly raw: Uint8Array;
  /** Bytes of the serialisation without witness data. */
  readonly strippedSize: number;
}

/**
 * Serialisation options. Outputs carry a token id from version 4 on, unless the network was started with `-txnotokens`, so all readers
 * and writers of transactions need this.
 */
export interface TxFormat {
  readonly tokenIds: boolean;
}

/** First transaction version whose outputs carry a token id. */
export const TX_VERSION_TOKENS = 4;

/** Sequence of an input that disables the lock time of its transaction. */
export const SEQUENCE_FINAL = 0xffffffff;
/** Highest sequence that leaves the lock time in force; the transaction is not replaceable. */
export const SEQUENCE_NOT_FINAL = 0xfffffffe;
/** Highest sequence that signals replaceability (BIP125). */
export const SEQUENCE_REPLACEABLE = 0xfffffffd;
/** Bit of a sequence that disables its relative lock time (BIP68). */
export const SEQUENCE_LOCKTIME_DISABLED = 0x80000000;
/** Bit of a sequence whose relative lock time is in units of 512 seconds instead of blocks (BIP68). */
export const SEQUENCE_LOCKTIME_BY_TIME = 0x00400000;
/** Bits of a sequence that hold its relative lock time (BIP68). */
export const SEQUENCE_LOCKTIME_MASK = 0x0000ffff;
/** Lock times below are heights, others are seconds since 1970. */
export const LOCKTIME_THRESHOLD = 500_000_000;

function hasTokenIds(version: number, format: TxFormat): boolean {
  return format.tokenIds && version >= TX_VERSION_TOKENS;
}

/** Output: value, script, and the token id as VARINT where `withToken`. */
export function txOut(withToken: boolean): Codec<TxOut> {
  return {
    write(w, out) {
      i64.write(w, out.value);
      varBytes.write(w, out.scriptPubKey);
      if (withToken) varInt32.write(w, out.tokenId);
    },
    read(r) {
      const value = i64.read(r);
      const scriptPubKey = varBytes.read(r);
      return { value, scriptPubKey, tokenId: withToken ? varInt32.read(r) : 0 };
    },
  };
}

const txOutPlain = txOut(false);
const txOutToken = txOut(true);

/** Format of an output of a transaction of that version. */
export function txOutOf(version: number, format: TxFormat): Codec<TxOut> {
  return hasTokenIds(version, format) ? txOutToken : txOutPlain;
}

const txIn: Pick<Codec<TxIn>, 'write'> = {
  write(w, input) {
    outPoint.write(w, input.prevout);
    varBytes.write(w, input.scriptSig);
    u32.write(w, input.sequence);
  },
};

/** Elements of a list that are written, or read, per slice. */
const ITEMS_AT_ONCE = 256;
const READ_AT_ONCE = 128;

/** Writes a short list, the usual case. @returns false, without writing, if it is long */
function writeShort<T>(w: ByteWriter, element: Pick<Codec<T>, 'write'>, values: readonly T[]): boolean {
  if (values.length > ITEMS_AT_ONCE) return false;
  compactSize.write(w, values.length);
  for (let i = 0; i < values.length; i++) element.write(w, values[i] as T);
  return true;
}

function* writeLong<T>(w: ByteWriter, element: Pick<Codec<T>, 'write'>, values: readonly T[]): Steps<void> {
  compactSize.write(w, values.length);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % ITEMS_AT_ONCE === 0) yield;
    element.write(w, values[i] as T);
  }
}

/** Serialisation, with witness data if `withWitness` and there is any. */
export function serializeTransaction(tx: TransactionFields, format: TxFormat, withWitness = true): Uint8Array {
  return finish(serializeLong(tx, format, withWitness));
}

function* serializeLong(tx: TransactionFields, format: TxFormat, withWitness: boolean): Steps<Uint8Array> {
  const w = new ByteWriter();
  const witness = withWitness && hasWitness(tx);
  i32.write(w, tx.version);
  if (witness) {
    w.u8(0);
    w.u8(1);
  }
  const out = txOutOf(tx.version, format);
  if (!writeShort(w, txIn, tx.vin)) yield* writeLong(w, txIn, tx.vin);
  if (!writeShort(w, out, tx.vout)) yield* writeLong(w, out, tx.vout);
  if (witness) {
    for (let i = 0; i < tx.vin.length; i++) {
      if (i > 0 && i % ITEMS_AT_ONCE === 0) yield;
      writeWitness(w, (tx.vin[i] as TxIn).witness);
    }
  }
  u32.write(w, tx.lockTime);
  return w.finish();
}

/** Makes a transaction of its fields, and computes its ids. */
export function makeTransaction(fields: TransactionFields, format: TxFormat): Transaction {
  return finish(makeLongTransaction(fields, format));
}

/** Sliced {@link makeTransaction}, for megabytes. */
export function* makeLongTransaction(fields: TransactionFields, format: TxFormat): Steps<Transaction> {
  const raw = yield* serializeLong(fields, format, true);
  const stripped = hasWitness(fields) ? yield* serializeLong(fields, format, false) : raw;
  const txid = isLong(stripped) ? yield* longSha256d(stripped) : sha256d(stripped);
  return {
    version: fields.version,
    vin: fields.vin,
    vout: fields.vout,
    lockTime: fields.lockTime,
    txid,
    wtxid: stripped === raw ? txid : isLong(raw) ? yield* longSha256d(raw) : sha256d(raw),
    raw,
    strippedSize: stripped.length,
  };
}

/** Serialisation of a transaction and its size without witness data: all that its weight depends on. */
export type TransactionSize = Pick<Transaction, 'raw' | 'strippedSize'>;

/** Measures a transaction that is still being built, without hashing it. */
export function measureTransaction(fields: TransactionFields, format: TxFormat): TransactionSize {
  const raw = serializeTransaction(fields, format);
  return { raw, strippedSize: hasWitness(fields) ? serializeTransaction(fields, format, false).length : raw.length };
}

/**
 * Transactions in the form of BIP144: version, [00 01], inputs, outputs, [witness stacks], lock time.
 * With `witness` false the marker is not recognised, so that a transaction without inputs can be read. A `txid`
 * that the reader can be sure of is not computed again, and the `wtxid` only when it is asked for.
 */
export function transaction(
  format: TxFormat,
  { witness = true, txid }: { readonly witness?: boolean; readonly txid?: Hash256 } = {},
): Codec<Transaction> {
  return {
    write(w, tx) {
      w.bytes(tx.raw);
    },
    read: (r) => readWhole(r, format, witness, txid),
  };
}

/** Decodes a transaction in slices, for megabytes. @throws {DecodeError} as `decode` does */
export function* decodeLongTransaction(bytes: Uint8Array, format: TxFormat, witness: boolean): Steps<Transaction> {
  const r = new ByteReader(bytes);
  const tx = yield* readLongTransaction(r, format, witness);
  if (r.remaining > 0) throw new DecodeError(`excess ${r.remaining} bytes`);
  return tx;
}

/** Sliced read of the transaction at the reader's position. */
export function readLongTransaction(r: ByteReader, format: TxFormat, witness: boolean): Steps<Transaction> {
  return readTransaction(r, format, witness);
}

function* readTransaction(r: ByteReader, format: TxFormat, allowWitness: boolean): Steps<Transaction> {
  const reading = new TransactionReading(r, (version) => txOutOf(version, format), allowWitness);
  while (!reading.advance(READ_AT_ONCE)) yield;
  const raw = reading.raw();
  if (!isLong(raw)) return identified(reading, raw);
  // A copy, because the next transaction that is read would overwrite a view.
  const stripped = reading.hasWitnesses ? Uint8Array.from(reading.stripped(raw)) : raw;
  const txid = yield* longSha256d(stripped);
  return assembled(reading, raw, txid, stripped === raw ? txid : yield* longSha256d(raw));
}

function readWhole(r: ByteReader, format: TxFormat, allowWitness: boolean, knownTxid: Hash256 | undefined): Transaction {
  const reading = new TransactionReading(r, (version) => txOutOf(version, format), allowWitness);
  while (!reading.advance(Number.POSITIVE_INFINITY)) {}
  const raw = reading.raw();
  if (!knownTxid) return identified(reading, raw);
  if (reading.hasWitnesses) return new KnownTransaction(reading, knownTxid, raw);
  return assembled(reading, raw, knownTxid, knownTxid);
}

function identified(reading: TransactionReading, raw: Uint8Array): Transaction {
  const txid = sha256d(reading.stripped(raw));
  return assembled(reading, raw, txid, reading.hasWitnesses ? sha256d(raw) : txid);
}

function assembled(
  { version, vin, vout, lockTime, strippedSize }: TransactionReading,
  raw: Uint8Array,
  txid: Hash256,
  wtxid: Hash256,
): Transaction {
  return { version, vin, vout, lockTime, txid, wtxid, raw, strippedSize };
}

/** A transaction with a given txid, which is not verified. */
class KnownTransaction implements Transaction {
  readonly version: number;
  readonly vin: readonly TxIn[];
  readonly vout: readonly TxOut[];
  readonly lockTime: number;
  readonly strippedSize: number;
  #wtxid: Hash256 | undefined;

  constructor(
    { version, vin, vout, lockTime, strippedSize }: TransactionReading,
    readonly txid: Hash256,
    readonly raw: Uint8Array,
  ) {
    this.version = version;
    this.vin = vin;
    this.vout = vout;
    this.lockTime = lockTime;
    this.strippedSize = strippedSize;
  }

  get wtxid(): Hash256 {
    this.#wtxid ??= sha256d(this.raw);
    return this.#wtxid;
  }
}

export function hasWitness(tx: TransactionFields): boolean {
  return tx.vin.some((input) => input.witness.length > 0);
}

/** Serialisation without witness data. */
export function strippedBytes(tx: Transaction, format: TxFormat): Uint8Array {
  return tx.strippedSize === tx.raw.length ? tx.raw : serializeTransaction(tx, format, false);
}

/** True for a single null input. Masternode transactions of the genesis block and anchor rewards match too. */
export function isCoinbase(tx: TransactionFields): boolean {
  const [first] = tx.vin;
  return tx.vin.length === 1 && first !== undefined && isNullOutPoint(first.prevout);
}

/** Weight units of a byte outside the witness (BIP141). */
export const WITNESS_SCALE_FACTOR = 4;

/** 3 × stripped size + full size (BIP141). */
export function transactionWeight(tx: TransactionSize): number {
  return tx.strippedSize * (WITNESS_SCALE_FACTOR - 1) + tx.raw.length;
}

/** Virtual bytes: weight / 4, rounded up. */
export function virtualSize(tx: TransactionSize): number {
  return Math.ceil(transactionWeight(tx) / WITNESS_SCALE_FACTOR);
}

/** Size of a CompactSize, bytes. */
export function compactSizeLength(value: number): number {
  return value < 0xfd ? 1 : value <= 0xffff ? 3 : 5;
}

const VALUE_SIZE = 8;

/** Serialised size of an output in a transaction of that version, bytes. */
export function txOutSize({ scriptPubKey, tokenId }: TxOut, version: number, format: TxFormat): number {
  const token = hasTokenIds(version, format) ? varIntLength(tokenId) : 0;
  return VALUE_SIZE + compactSizeLength(scriptPubKey.length) + scriptPubKey.length + token;
}
