import { concatBytes } from '../../../src/util/bytes.js';

/** DER of a compact signature, its integers padded where their first bit is set. */
export function encodeDer(compact: Uint8Array): Uint8Array {
  const body = concatBytes(integer(compact.subarray(1, 33)), integer(compact.subarray(33)));
  return concatBytes(Uint8Array.of(0x30, body.length), body);
}

function integer(bytes: Uint8Array): Uint8Array {
  const digits = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  const value = ((digits[0] as number) & 0x80) !== 0 ? concatBytes(Uint8Array.of(0), digits) : digits;
  return concatBytes(Uint8Array.of(2, value.length), value);
}
