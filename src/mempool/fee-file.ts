import { sha256 } from '../crypto/hash.js';
import { ByteReader, ByteWriter, DecodeError } from '../primitives/codec.js';
import { equalBytes, fromHex } from '../util/bytes.js';
import type { FeeRecord } from './fee-estimator.js';

/** `dfi-fees` in ASCII. */
const MAGIC = fromHex('6466692d66656573');
/** Rises with each change of the format, of the buckets, or of the decay of a history. */
const VERSION = 1;
const CHECKSUM_SIZE = 32;
const COUNT_SIZE = 8;

/**
 * Serialises the memory of a fee estimator: magic (8 bytes), u32 version, u32 heights `best`, `first` and `last`, u32 number of buckets,
 * u32 number of histories; of each history u32 number of rows, then the rows, each a little-endian f64 per bucket; SHA-256 of all before.
 */
export function encodeFees({ bestHeight, firstHeight, lastHeight, histories }: FeeRecord): Uint8Array {
  const w = new ByteWriter();
  w.bytes(MAGIC);
  const buckets = histories[0]?.[0]?.length ?? 0;
  for (const value of [VERSION, bestHeight, firstHeight, lastHeight, buckets, histories.length]) w.u32(value);
  for (const rows of histories) {
    w.u32(rows.length);
    for (const row of rows) w.bytes(bytesOf(row));
  }
  const content = w.finish();
  return Buffer.concat([content, sha256(content)]);
}

/** @throws {DecodeError} for a file that is damaged, or of another version */
export function decodeFees(bytes: Uint8Array): FeeRecord {
  const end = Math.max(0, bytes.length - CHECKSUM_SIZE);
  const r = new ByteReader(bytes.subarray(0, end));
  if (!equalBytes(r.bytes(MAGIC.length), MAGIC)) throw new DecodeError('it is no file of fee estimates of this node');
  const version = r.u32();
  if (version !== VERSION) throw new DecodeError(`version ${version} is unknown`);
  if (!equalBytes(sha256(bytes.subarray(0, end)), bytes.subarray(end))) throw new DecodeError('the checksum is wrong');
  const [bestHeight, firstHeight, lastHeight] = [r.u32(), r.u32(), r.u32()];
  if (firstHeight > lastHeight || lastHeight > bestHeight) throw new DecodeError('the range of blocks is invalid');
  const buckets = r.u32();
  if (buckets === 0) throw new DecodeError('it has no buckets');
  const histories: Float64Array[][] = [];
  for (let left = r.u32(); left > 0; left--) {
    const rows: Float64Array[] = [];
    for (let row = r.u32(); row > 0; row--) rows.push(countsOf(r.bytes(buckets * COUNT_SIZE)));
    histories.push(rows);
  }
  if (r.remaining > 0) throw new DecodeError(`excess ${r.remaining} bytes`);
  return { bestHeight, firstHeight, lastHeight, histories };
}

function bytesOf(row: Float64Array): Uint8Array {
  const bytes = new Uint8Array(row.length * COUNT_SIZE);
  const view = new DataView(bytes.buffer);
  row.forEach((count, bucket) => {
    view.setFloat64(bucket * COUNT_SIZE, count, true);
  });
  return bytes;
}

function countsOf(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const row = Float64Array.from({ length: bytes.length / COUNT_SIZE }, (_, bucket) => view.getFloat64(bucket * COUNT_SIZE, true));
  if (!row.every((count) => Number.isFinite(count) && count >= 0)) throw new DecodeError('a count is not a number, or negative');
  return row;
}
