/** Order of secp256k1, big-endian. */
const GROUP_ORDER = Uint8Array.from(Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'));
const SCALAR_SIZE = 32;
/** Bytes of a signature that is parsed: r and s. */
export const SIGNATURE_SIZE = 2 * SCALAR_SIZE;

/**
 * Parses a signature in lax DER (`ecdsa_signature_parse_der_lax`): lengths in long form, padded integers and trailing bytes are accepted;
 * BIP66 is stricter. Integers not below the group order become zero, which never verifies.
 * @param into 64 bytes to write to instead of new ones
 * @returns r and s, 32 bytes big-endian each; undefined if the structure is malformed
 */
export function parseLaxDer(der: Uint8Array, into?: Uint8Array): Uint8Array | undefined {
  if (der[0] !== 0x30) return undefined;
  const sequenceLength = der[1];
  if (sequenceLength === undefined) return undefined;
  // The length of the sequence is skipped, not checked.
  const at = 2 + ((sequenceLength & 0x80) !== 0 ? sequenceLength & 0x7f : 0);
  if (at > der.length) return undefined;
  const r = readInteger(der, at);
  const s = r && readInteger(der, r.end);
  if (!r || !s) return undefined;
  const signature = into?.fill(0) ?? Buffer.alloc(SIGNATURE_SIZE);
  // If one integer overflows, the whole signature becomes zero.
  if (!placeScalar(signature, 0, der, r) || !placeScalar(signature, SCALAR_SIZE, der, s)) signature.fill(0);
  return signature;
}

/** Position of the big-endian digits of an integer, including padding. */
interface DerInteger {
  readonly start: number;
  readonly end: number;
}

function readInteger(der: Uint8Array, at: number): DerInteger | undefined {
  if (der[at] !== 0x02) return undefined;
  const first = der[at + 1];
  if (first === undefined) return undefined;
  let start = at + 2;
  let length = first;
  if ((first & 0x80) !== 0) {
    let count = first & 0x7f;
    if (count > der.length - start) return undefined;
    while (count > 0 && der[start] === 0) {
      start += 1;
      count -= 1;
    }
    if (count >= 4) return undefined;
    length = 0;
    for (; count > 0; count--) length = length * 256 + (der[start++] as number);
  }
  if (length > der.length - start) return undefined;
  return { start, end: start + length };
}

/** Writes the integer right-aligned. @returns false if it is not below the group order */
function placeScalar(signature: Uint8Array, offset: number, der: Uint8Array, { start, end }: DerInteger): boolean {
  let first = start;
  while (first < end && der[first] === 0) first += 1;
  if (end - first > SCALAR_SIZE) return false;
  const shift = offset + SCALAR_SIZE - end;
  for (let i = first; i < end; i++) signature[shift + i] = der[i] as number;
  return isBelow(signature, offset, GROUP_ORDER);
}

/** Compares the scalar at `offset`, big-endian. */
function isBelow(scalars: Uint8Array, offset: number, limit: Uint8Array): boolean {
  for (let i = 0; i < SCALAR_SIZE; i++) {
    const difference = (scalars[offset + i] as number) - (limit[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Strict DER of a signature. @param signature r and s, 32 bytes big-endian each */
export function encodeDer(signature: Uint8Array): Uint8Array {
  const r = derInteger(signature.subarray(0, SCALAR_SIZE));
  const s = derInteger(signature.subarray(SCALAR_SIZE));
  return Uint8Array.from([0x30, r.length + s.length, ...r, ...s]);
}

/** DER integer: tag, length, minimal non-negative form. */
function derInteger(scalar: Uint8Array): Uint8Array {
  let start = 0;
  while (start < SCALAR_SIZE - 1 && scalar[start] === 0) start += 1;
  const digits = scalar.subarray(start);
  const padding = ((digits[0] as number) & 0x80) !== 0 ? [0] : [];
  return Uint8Array.from([0x02, padding.length + digits.length, ...padding, ...digits]);
}

/** Half of the group order: for a larger s there is an equivalent signature with a smaller one. */
const HALF_ORDER = Uint8Array.from(Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex'));

/** True if s is in the lower half of the group (BIP62); false for malformed bytes. */
export function isLowS(der: Uint8Array): boolean {
  const signature = parseLaxDer(der);
  return signature !== undefined && !isBelow(HALF_ORDER, 0, signature.subarray(SCALAR_SIZE));
}
