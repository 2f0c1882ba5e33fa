import { ByteReader, ByteWriter, DecodeError } from '../primitives/codec.js';
import type { TxFormat } from '../primitives/transaction.js';
import { fromLongBase64, toLongBase64 } from '../util/long-base64.js';
import { finish, type Steps } from '../util/slicer.js';
import { readLongPsbt, writeLongPsbt } from './codec.js';
import type { Psbt } from './psbt.js';

/** Encodes a PSBT as Base64. */
export function formatPsbt(psbt: Psbt, format: TxFormat): string {
  return finish(formatLongPsbt(psbt, format));
}

/** Sliced {@link formatPsbt}. */
export function* formatLongPsbt(psbt: Psbt, format: TxFormat): Steps<string> {
  const w = new ByteWriter();
  yield* writeLongPsbt(w, psbt, format);
  return yield* toLongBase64(w.finish());
}

/** Error text for truncated data, as of `defid`. */
const END_OF_DATA = 'CDataStream::read(): end of data';

/**
 * Parses a PSBT in Base64.
 * @throws {DecodeError} with the text of `defid` (docs/protocol/rpc-chain.md 3.3.10)
 */
export function parsePsbt(text: string, format: TxFormat): Psbt {
  return finish(parseLongPsbt(text, format));
}

/** Sliced {@link parsePsbt}. */
export function* parseLongPsbt(text: string, format: TxFormat): Steps<Psbt> {
  const bytes = yield* fromLongBase64(text);
  if (!bytes) throw new DecodeError('invalid base64');
  const r = new ByteReader(bytes);
  const psbt = yield* readPsbt(r, format);
  if (r.remaining > 0) throw new DecodeError('extra data after PSBT');
  return psbt;
}

function* readPsbt(r: ByteReader, format: TxFormat): Steps<Psbt> {
  try {
    return yield* readLongPsbt(r, format);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const detail = error.message === 'end of data' ? END_OF_DATA : error.message;
    throw new DecodeError(`${detail}: iostream error`, { cause: error });
  }
}
