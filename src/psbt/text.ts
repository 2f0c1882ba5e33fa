import { ByteReader, DecodeError, encode } from '../primitives/codec.js';
import type { TxFormat } from '../primitives/transaction.js';
import { decodeBase64, encodeBase64 } from '../util/base64.js';
import { psbtCodec } from './codec.js';
import type { Psbt } from './psbt.js';

/** Base64 of a PSBT. */
export function formatPsbt(psbt: Psbt, format: TxFormat): string {
  return encodeBase64(encode(psbtCodec(format), psbt));
}

/** What callers are told where the bytes end too early. */
const END_OF_DATA = 'CDataStream::read(): end of data';

/**
 * The PSBT of Base64 text.
 * @throws {DecodeError} with the reference's text (docs/protocol/rpc-chain.md 3.3.10)
 */
export function parsePsbt(text: string, format: TxFormat): Psbt {
  const bytes = decodeBase64(text);
  if (!bytes) throw new DecodeError('invalid base64');
  const r = new ByteReader(bytes);
  const psbt = readPsbt(r, format);
  if (r.remaining > 0) throw new DecodeError('extra data after PSBT');
  return psbt;
}

function readPsbt(r: ByteReader, format: TxFormat): Psbt {
  try {
    return psbtCodec(format).read(r);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const detail = error.message === 'end of data' ? END_OF_DATA : error.message;
    throw new DecodeError(`${detail}: iostream error`, { cause: error });
  }
}
