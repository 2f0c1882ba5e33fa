import { sha256 } from '../crypto/hash.js';
import { ByteReader, ByteWriter, type Codec, DecodeError, list, optional, struct, u32, varBytes, varString } from '../primitives/codec.js';
import type { RawChange } from '../storage/view.js';
import { equalBytes } from '../util/bytes.js';

/** A wallet's file cannot be read as one. */
export class WalletDamaged extends Error {
  override name = 'WalletDamaged';
}

/** A later version of the program wrote the file. */
export class WalletTooNew extends Error {
  override name = 'WalletTooNew';
}

export const MAGIC = Buffer.from('DFIWALT\n');
const FORMAT_VERSION = 1;
const ID_SIZE = 16;
export const HEADER_SIZE = MAGIC.length + 4 + ID_SIZE;
const CHECKSUM_SIZE = 8;
const FRAME_SIZE = 4 + CHECKSUM_SIZE;

const changes: Codec<readonly RawChange[]> = list(struct<RawChange>({ column: varString, key: varBytes, value: optional(varBytes) }));

export function headerOf(id: Uint8Array): Uint8Array {
  const w = new ByteWriter(HEADER_SIZE);
  w.bytes(MAGIC);
  w.u32(FORMAT_VERSION);
  w.bytes(id);
  return w.finish();
}

export function readHeader(bytes: Uint8Array, path: string): Uint8Array {
  if (bytes.length < HEADER_SIZE || !equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) {
    throw new WalletDamaged(`${path} is no wallet of this program`);
  }
  const r = new ByteReader(bytes.subarray(MAGIC.length, HEADER_SIZE));
  const version = r.u32();
  if (version > FORMAT_VERSION) throw new WalletTooNew(`${path} has format ${version}, this program knows ${FORMAT_VERSION}`);
  return Uint8Array.from(r.bytes(ID_SIZE));
}

export function frameOf(batch: readonly RawChange[]): Uint8Array {
  const body = new ByteWriter(1024);
  changes.write(body, batch);
  const bytes = body.finish();
  const w = new ByteWriter(FRAME_SIZE + bytes.length);
  u32.write(w, bytes.length);
  w.bytes(sha256(bytes).subarray(0, CHECKSUM_SIZE));
  w.bytes(bytes);
  return w.finish();
}

/** @returns undefined for a batch that a kill or a loss of power cut off: it is broken, and nothing follows it */
export function readBatch(bytes: Uint8Array, at: number): { readonly changes: readonly RawChange[]; readonly end: number } | undefined {
  if (bytes.length - at < FRAME_SIZE) return undefined;
  const r = new ByteReader(bytes.subarray(at, at + FRAME_SIZE));
  const end = at + FRAME_SIZE + r.u32();
  if (end > bytes.length) return undefined;
  const body = bytes.subarray(at + FRAME_SIZE, end);
  const whole = equalBytes(sha256(body).subarray(0, CHECKSUM_SIZE), r.bytes(CHECKSUM_SIZE));
  if (!whole && end === bytes.length) return undefined;
  try {
    if (whole) return { changes: changes.read(new ByteReader(body)), end };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
  throw new WalletDamaged(`a batch of the wallet is damaged at byte ${at}`);
}
