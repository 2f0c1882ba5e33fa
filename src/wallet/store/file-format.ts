import { sha256 } from '../../crypto/hash.js';
import {
  ByteReader,
  ByteWriter,
  type Codec,
  compactSize,
  DecodeError,
  decode,
  encode,
  list,
  optional,
  struct,
  varBytes,
  varString,
} from '../../primitives/codec.js';
import type { RawChange } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';

/** A wallet's file is damaged. The message has position and reason; the file is not changed. */
export class WalletDamaged extends Error {
  override name = 'WalletDamaged';

  /** Error text for the client that loads the wallet of that name. */
  describe(name: string): string {
    const option = name === '' ? '' : ` -wallet=${name}`;
    return `Error loading ${name}: Wallet corrupted: ${this.message}. Its file was not changed; dfi-wallet${option} salvage recovers intact rows.`;
  }
}

/** The file is a wallet of another program: not damaged, so there is nothing to salvage. Reported wherever a damaged one is. */
export class ForeignWallet extends WalletDamaged {
  override name = 'ForeignWallet';

  override describe(name: string): string {
    return `Error loading ${name}: ${this.message}`;
  }
}

/** The private keys are encrypted, and the master key that decrypts them is missing. Salvage cannot recover it. */
export class MasterKeyLost extends WalletDamaged {
  override name = 'MasterKeyLost';

  override describe(name: string): string {
    return `Error loading ${name}: Wallet corrupted: ${this.message}`;
  }
}

/** A later version of the program wrote the file. */
export class WalletTooNew extends Error {
  override name = 'WalletTooNew';
}

/*
 * Format 2, integers little-endian, checksums the first bytes of a SHA-256:
 *
 *   header   magic (8), format version (4), wallet id (16), checksum of these (8)
 *   frame    length of the body (4), number of the frame from 0 (4), checksum of the body (8), checksum of these 16 bytes (8), body
 *   body     number of rows (CompactSize); a row is its length (CompactSize), column, key, and value or nothing, and a checksum (4)
 *
 * A copy of a wallet begins and ends with a frame of a single row, see `asCopy`.
 *
 * The length of a frame has a checksum of its own, which distinguishes a damaged frame from an incomplete one. Rows have one so that
 * all but the damaged ones can be salvaged.
 *
 * Format 1 had no checksum of the header and its frames were: length (4), checksum of the body (8), a list of rows.
 */
/** First bytes of every wallet file. */
const MAGIC = Buffer.from('DFIWALT\n');
/** Format that is written; earlier ones are read. */
export const FORMAT_VERSION = 2;
const ID_SIZE = 16;
const CHECKSUM_SIZE = 8;
const ROW_CHECKSUM_SIZE = 4;
const OLD_HEADER_SIZE = MAGIC.length + 4 + ID_SIZE;
export const HEADER_SIZE = OLD_HEADER_SIZE + CHECKSUM_SIZE;
const OLD_FRAME_SIZE = 4 + CHECKSUM_SIZE;
const FRAME_SIZE = 4 + 4 + 2 * CHECKSUM_SIZE;

const change: Codec<RawChange> = struct<RawChange>({ column: varString, key: varBytes, value: optional(varBytes) });
const oldBody: Codec<readonly RawChange[]> = list(change);
const row: Codec<RawChange> = {
  write(w, value) {
    const bytes = encode(change, value);
    varBytes.write(w, bytes);
    w.bytes(checksum(bytes, ROW_CHECKSUM_SIZE));
  },
  read(r) {
    const bytes = varBytes.read(r);
    if (!equalBytes(r.bytes(ROW_CHECKSUM_SIZE), checksum(bytes, ROW_CHECKSUM_SIZE))) throw new DecodeError('checksum of a row');
    return decode(change, bytes);
  },
};
const body: Codec<readonly RawChange[]> = list(row);

/** Column of the row that is in a file while rows are copied to it. */
export const COPYING = 'copying';
const COPYING_KEY = Uint8Array.of(0);
/**
 * First batch of a copy of a wallet. The frames of a copy are no history: a part of them is no earlier state of the wallet. A file that has
 * the row, such as a backup that a full disk cut off, is therefore refused.
 */
export const COPY_BEGINS: readonly RawChange[] = [{ column: COPYING, key: COPYING_KEY, value: Uint8Array.of(1) }];
/** Last batch of a copy of a wallet. */
export const COPY_ENDS: readonly RawChange[] = [{ column: COPYING, key: COPYING_KEY, value: undefined }];

/** Batches of a copy: those of its rows between the first and the last one. */
export function* asCopy(batches: Iterable<readonly RawChange[]>): Generator<readonly RawChange[]> {
  yield COPY_BEGINS;
  yield* batches;
  yield COPY_ENDS;
}

/** Decoded header of a file. */
export interface FileHeader {
  readonly version: number;
  /** Wallet id, 16 bytes. */
  readonly id: Uint8Array;
  /** Offset of the first frame. */
  readonly size: number;
}

/** A frame at an offset: complete, cut off at the end of the file, or damaged. */
export type Frame =
  | { readonly kind: 'whole'; readonly batch: readonly RawChange[]; readonly end: number }
  | { readonly kind: 'torn' }
  | { readonly kind: 'damaged'; readonly reason: string; readonly end?: number };

/** Encodes the header of a file. */
export function headerOf(id: Uint8Array): Uint8Array {
  const w = new ByteWriter(OLD_HEADER_SIZE);
  w.bytes(MAGIC);
  w.u32(FORMAT_VERSION);
  w.bytes(id);
  const fields = w.finish();
  return Buffer.concat([fields, checksum(fields)]);
}

/** First bytes of a file of SQLite. */
const SQLITE_MAGIC = Buffer.from('SQLite format 3\0');
/** Offset and value of the magic number of a B-tree of Berkeley DB, in the byte order of the machine that wrote it. */
const BERKELEY_MAGIC = { at: 12, value: 0x00053162 } as const;

/** @throws {ForeignWallet} if a file is a wallet of `defid` or another database */
export function refuseForeignWallet(bytes: Uint8Array, path: string): void {
  if (isWalletHeader(bytes)) return;
  if (isBerkeley(bytes)) {
    throw new ForeignWallet(
      `${path} is a wallet of defid, which this program cannot read. It was not changed. Its keys are transferred by a file that dumpwallet of defid writes and importwallet of this program reads.`,
    );
  }
  if (startsWith(bytes, SQLITE_MAGIC))
    throw new ForeignWallet(`${path} is an SQLite database, not a wallet of this program. It was not changed.`);
}

/** True for bytes that begin as a wallet file of this program does. */
export function isWalletHeader(bytes: Uint8Array): boolean {
  return startsWith(bytes, MAGIC);
}

function startsWith(bytes: Uint8Array, magic: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, magic.length), magic);
}

function isBerkeley(bytes: Uint8Array): boolean {
  const { at, value } = BERKELEY_MAGIC;
  if (bytes.length < at + 4) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(at, true) === value || view.getUint32(at, false) === value;
}

/** @throws {WalletDamaged}, {@link ForeignWallet} or {@link WalletTooNew} */
export function readHeader(bytes: Uint8Array, path: string): FileHeader {
  refuseForeignWallet(bytes, path);
  if (bytes.length < OLD_HEADER_SIZE || !isWalletHeader(bytes)) {
    throw new WalletDamaged(`${path} is not a wallet file of this program`);
  }
  const r = new ByteReader(bytes.subarray(MAGIC.length, OLD_HEADER_SIZE));
  const version = r.u32();
  if (version > FORMAT_VERSION) throw new WalletTooNew(`${path} has format ${version}, this program supports ${FORMAT_VERSION}`);
  const id = Uint8Array.from(r.bytes(ID_SIZE));
  if (version === 1) return { version, id, size: OLD_HEADER_SIZE };
  const expected = checksum(bytes.subarray(0, OLD_HEADER_SIZE));
  if (version === FORMAT_VERSION && equalBytes(bytes.subarray(OLD_HEADER_SIZE, HEADER_SIZE), expected)) {
    return { version, id, size: HEADER_SIZE };
  }
  throw new WalletDamaged(`the header of ${path} is damaged`);
}

/** Encodes a batch as a frame. @param number number of the frame, from 0 */
export function frameOf(number: number, batch: readonly RawChange[]): Uint8Array {
  const bytes = encode(body, batch);
  const w = new ByteWriter(FRAME_SIZE + bytes.length);
  w.u32(bytes.length);
  w.u32(number);
  w.bytes(checksum(bytes));
  const fields = w.finish();
  return Buffer.concat([fields, checksum(fields), bytes]);
}

/** Offset of the first frame. */
export function startOfFrames(version: number): number {
  return version === 1 ? OLD_HEADER_SIZE : HEADER_SIZE;
}

/**
 * Reads the frame at an offset.
 * @param version format of the file
 * @param number expected number of the frame; undefined for any
 */
export function readFrame(bytes: Uint8Array, at: number, version: number, number: number | undefined): Frame {
  const rest = bytes.subarray(at);
  // After a loss of power a file system may have extended the file without writing the content.
  if (rest.every((byte) => byte === 0)) return { kind: 'torn' };
  return version === 1 ? readOldFrame(rest, at) : readNewFrame(rest, at, number);
}

function readNewFrame(rest: Uint8Array, at: number, expected: number | undefined): Frame {
  const found = rest.length >= 8 ? uint32(rest, 4) : undefined;
  const number = expected ?? found;
  if (rest.length < FRAME_SIZE) return found === undefined || found === number ? { kind: 'torn' } : damaged('the beginning of a frame', at);
  const fields = rest.subarray(0, FRAME_SIZE - CHECKSUM_SIZE);
  if (!equalBytes(rest.subarray(FRAME_SIZE - CHECKSUM_SIZE, FRAME_SIZE), checksum(fields))) return damaged('the length of a frame', at);
  if (found !== number) return damaged(`a frame that is number ${found} instead of ${number}`, at);
  const end = FRAME_SIZE + uint32(rest, 0);
  if (end > rest.length) return { kind: 'torn' };
  return readBody(rest.subarray(FRAME_SIZE, end), fields.subarray(8), body, at, at + end);
}

function readOldFrame(rest: Uint8Array, at: number): Frame {
  if (rest.length < OLD_FRAME_SIZE) return { kind: 'torn' };
  const sum = rest.subarray(4, OLD_FRAME_SIZE);
  const end = OLD_FRAME_SIZE + uint32(rest, 0);
  if (end <= rest.length) return readBody(rest.subarray(OLD_FRAME_SIZE, end), sum, oldBody, at, at + end);
  // The rest of the file is the complete body, so the length is wrong.
  return equalBytes(checksum(rest.subarray(OLD_FRAME_SIZE)), sum) ? damaged('the length of a frame', at) : { kind: 'torn' };
}

function readBody(bytes: Uint8Array, sum: Uint8Array, codec: Codec<readonly RawChange[]>, at: number, end: number): Frame {
  if (!equalBytes(checksum(bytes), sum)) return { ...damaged('the content of a frame', at), end };
  try {
    return { kind: 'whole', batch: decode(codec, bytes), end };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { ...damaged('the form of a frame', at), end };
  }
}

function damaged(what: string, at: number): { readonly kind: 'damaged'; readonly reason: string } {
  return { kind: 'damaged', reason: `${what} at byte ${at} is damaged` };
}

/**
 * Finds the first complete frame at or after an offset, with any number.
 * @returns its offset; undefined if there is none
 */
export function findFrame(bytes: Uint8Array, from: number, version: number): number | undefined {
  for (let at = from; at + (version === 1 ? OLD_FRAME_SIZE : FRAME_SIZE) < bytes.length; at++) {
    // Cheap checks first: checksums are computed at few offsets.
    const length = uint32(bytes, at);
    if (length === 0 || at + length > bytes.length) continue;
    if (version !== 1 && uint32(bytes, at + 4) > bytes.length) continue;
    if (readFrame(bytes, at, version, undefined).kind === 'whole') return at;
  }
  return undefined;
}

/** Rows with correct checksums in a range of a file of format 2, also inside damaged frames. */
export function* findRows(bytes: Uint8Array, from: number, to: number): Generator<RawChange> {
  for (let at = from; at < to; ) {
    const found = rowAt(bytes.subarray(at, to));
    if (found) yield found.row;
    at += found?.size ?? 1;
  }
}

function rowAt(bytes: Uint8Array): { readonly row: RawChange; readonly size: number } | undefined {
  try {
    const r = new ByteReader(bytes);
    const size = compactSize.read(r);
    if (size < 4 || size + ROW_CHECKSUM_SIZE > r.remaining) return undefined;
    const left = r.remaining - size - ROW_CHECKSUM_SIZE;
    const found = row.read(new ByteReader(bytes));
    return { row: found, size: bytes.length - left };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Rows of a damaged frame of format 1, up to the first that cannot be decoded. Each of them may be wrong. */
export function* guessOldRows(bytes: Uint8Array, at: number, end: number): Generator<RawChange> {
  const r = new ByteReader(bytes.subarray(at + OLD_FRAME_SIZE, end));
  try {
    for (let left = compactSize.read(r); left > 0; left--) yield change.read(r);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
}

function checksum(bytes: Uint8Array, size = CHECKSUM_SIZE): Uint8Array {
  return sha256(bytes).subarray(0, size);
}

function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
