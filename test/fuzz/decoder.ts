import { type Codec, DecodeError, decode, encode } from '../../src/primitives/codec.js';

/** Something that reads bytes from outside, or that were written long ago. */
export interface Decoder {
  readonly name: string;
  decode(bytes: Uint8Array): unknown;
  /** Absent where nothing is written back. */
  encode?(value: unknown): Uint8Array;
  /** Every value has one spelling: what is read is written as the same bytes. */
  readonly isExact: boolean;
  /** The error that it throws for bytes that are wrong. */
  isOwnError(error: unknown): boolean;
}

const isDecodeError = (error: unknown): boolean => error instanceof DecodeError;

export function codecDecoder(name: string, codec: Codec<unknown>, isExact = false): Decoder {
  return { name, isExact, decode: (bytes) => decode(codec, bytes), encode: (value) => encode(codec, value), isOwnError: isDecodeError };
}

/** What reads bytes and writes nothing back. */
export function bytesDecoder(name: string, read: (bytes: Uint8Array) => unknown, isOwnError = isDecodeError): Decoder {
  return { name, isExact: false, decode: read, isOwnError };
}

/** What reads text; the bytes are taken for UTF-8. */
export function textDecoder(name: string, read: (text: string) => unknown, isOwnError: (error: unknown) => boolean): Decoder {
  return bytesDecoder(name, (bytes) => read(Buffer.from(bytes).toString('utf8')), isOwnError);
}
