import { DecodeError } from '../../primitives/codec.js';
import { NodeError } from '../../util/errors.js';

/** Runs a decoder. @throws {NodeError} `deserialization` with the text `fault`, if the bytes are invalid */
export function decoding<T>(fault: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw decodeFault(error, fault);
  }
}

/** The error of a client whose bytes are invalid; any other error is returned unchanged. */
export function decodeFault(error: unknown, fault: string): unknown {
  return error instanceof DecodeError ? new NodeError('deserialization', fault) : error;
}

/** Bytes of a text in hex. @throws {DecodeError} for any other text */
export function hexBytes(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, 'hex');
  if (hex === '' || bytes.length * 2 !== hex.length) throw new DecodeError('not hexadecimal');
  return bytes;
}
