import { ByteReader, ByteWriter, compactSize, DecodeError, decode, i64, u64 } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { type Transaction, type TxFormat, transaction } from '../primitives/transaction.js';
import { compareBytes, fromHex } from '../util/bytes.js';
import { inRelayOrder } from './order.js';
import type { Pool } from './pool.js';

const VERSION = 1n;

/** An entry of mempool.dat. */
export interface DumpedTransaction {
  readonly tx: Transaction;
  /** Seconds since 1970 at which it entered. */
  readonly time: number;
  readonly feeDelta: bigint;
}

/** Content of mempool.dat. */
export interface Dump {
  readonly transactions: readonly DumpedTransaction[];
  /** Deltas of transactions that were not in the pool. */
  readonly feeDeltas: readonly (readonly [Hash256, bigint])[];
}

/** Snapshot of the pool; parents before children. */
export function dumpOf(pool: Pool): Dump {
  const entries = inRelayOrder(pool.entries());
  const here = new Set(entries.map(({ key }) => key));
  const others = [...pool.feeDeltas()].filter(([key]) => !here.has(key)).map(([key, delta]) => [fromHex(key), delta] as const);
  return {
    transactions: entries.map(({ tx, time, feeDelta }) => ({ tx, time, feeDelta })),
    feeDeltas: others.sort(([a], [b]) => compareBytes(a, b)),
  };
}

/**
 * Serialises a dump in pieces: u64 version, u64 count, then each transaction with witnesses, i64 time and i64 fee delta; finally a
 * CompactSize count and the remaining deltas as txid and i64, sorted by txid bytes.
 * @see docs/protocol/chain.md 5.6
 */
export function* encodeDump({ transactions, feeDeltas }: Dump): Generator<Uint8Array> {
  const head = new ByteWriter(16);
  u64.write(head, VERSION);
  u64.write(head, BigInt(transactions.length));
  yield head.finish();
  for (const { tx, time, feeDelta } of transactions) {
    const w = new ByteWriter(tx.raw.length + 16);
    w.bytes(tx.raw);
    i64.write(w, BigInt(time));
    i64.write(w, feeDelta);
    yield w.finish();
  }
  const tail = new ByteWriter(9 + feeDeltas.length * 40);
  compactSize.write(tail, feeDeltas.length);
  for (const [txid, delta] of feeDeltas) {
    hash256.write(tail, txid);
    i64.write(tail, delta);
  }
  yield tail.finish();
}

/**
 * Transactions of a dump, each decoded when it is asked for, so that those in front of damaged bytes can be used.
 * @returns the remaining deltas
 * @throws {DecodeError} if the bytes are not a dump, are truncated, or have trailing data
 */
export function* readDump(bytes: Uint8Array, format: TxFormat): Generator<DumpedTransaction, Dump['feeDeltas']> {
  const r = new ByteReader(bytes);
  const version = u64.read(r);
  if (version !== VERSION) throw new DecodeError(`version ${version} is unknown`);
  const codec = transaction(format);
  for (let left = u64.read(r); left > 0n; left -= 1n) {
    // A copy, because a view of the bytes would keep all of them in memory for as long as the transaction is in the pool.
    const raw = Uint8Array.from(codec.read(r).raw);
    yield { tx: decode(codec, raw), time: readTime(r), feeDelta: i64.read(r) };
  }
  const feeDeltas: (readonly [Hash256, bigint])[] = [];
  for (let left = compactSize.read(r); left > 0; left--) feeDeltas.push([hash256.read(r), i64.read(r)]);
  if (r.remaining > 0) throw new DecodeError(`excess ${r.remaining} bytes`);
  return feeDeltas;
}

/** A whole dump. @throws {DecodeError} as {@link readDump} */
export function decodeDump(bytes: Uint8Array, format: TxFormat): Dump {
  const reading = readDump(bytes, format);
  const transactions: DumpedTransaction[] = [];
  for (;;) {
    const { done, value } = reading.next();
    if (done) return { transactions, feeDeltas: value };
    transactions.push(value);
  }
}

/** Time of entry, seconds. Values beyond the safe integers cannot come from a dump of ours. */
function readTime(r: ByteReader): number {
  const time = Number(i64.read(r));
  if (!Number.isSafeInteger(time)) throw new DecodeError(`time ${time} is out of range`);
  return time;
}
