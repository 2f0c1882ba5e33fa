import { type Codec, DecodeError, decode, encode } from '../../src/primitives/codec.js';

/** A decoder of bytes from outside, or of stored records. */
export interface Decoder {
  readonly name: string;
  decode(bytes: Uint8Array): unknown;
  /** Absent if the decoded value is never encoded. */
  encode?(value: unknown): Uint8Array;
  /** True if every value has one encoding, so that decoding and encoding returns the same bytes. */
  readonly isExact: boolean;
  /** True for the errors that malformed bytes may cause. */
  isOwnError(error: unknown): boolean;
}

const isDecodeError = (error: unknown): boolean => error instanceof DecodeError;

export function codecDecoder(name: string, codec: Codec<unknown>, isExact = false): Decoder {
  return { name, isExact, decode: (bytes) => decode(codec, bytes), encode: (value) => encode(codec, value), isOwnError: isDecodeError };
}

/** A decoder whose values are never encoded. */
export function bytesDecoder(name: string, read: (bytes: Uint8Array) => unknown, isOwnError = isDecodeError): Decoder {
  return { name, isExact: false, decode: read, isOwnError };
}

/** A decoder of text; the bytes are read as UTF-8. */
export function textDecoder(name: string, read: (text: string) => unknown, isOwnError: (error: unknown) => boolean): Decoder {
  return bytesDecoder(name, (bytes) => read(Buffer.from(bytes).toString('utf8')), isOwnError);
}
