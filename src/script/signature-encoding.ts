/**
 * True for a signature in strict DER followed by the hash type byte (BIP66):
 * `30 [length] 02 [length R] [R] 02 [length S] [S] [hash type]`, integers positive and without needless padding.
 */
export function isStrictDerSignature(signature: Uint8Array): boolean {
  const size = signature.length;
  if (size < 9 || size > 73) return false;
  if (signature[0] !== 0x30 || signature[1] !== size - 3) return false;
  const sizeR = signature[3] as number;
  if (5 + sizeR >= size) return false;
  const sizeS = signature[5 + sizeR] as number;
  if (sizeR + sizeS + 7 !== size) return false;
  return isMinimalInteger(signature, 2) && isMinimalInteger(signature, 4 + sizeR);
}

/** True if a minimal positive DER integer starts at `at`: tag 2, length, value without needless zero bytes. */
function isMinimalInteger(signature: Uint8Array, at: number): boolean {
  const size = signature[at + 1] as number;
  const first = signature[at + 2] as number;
  if (signature[at] !== 0x02 || size === 0 || (first & 0x80) !== 0) return false;
  return size === 1 || first !== 0 || ((signature[at + 3] as number) & 0x80) !== 0;
}

/** Signs all inputs and all outputs. */
export const SIGHASH_ALL = 1;
/** Signs all inputs and no output. */
export const SIGHASH_NONE = 2;
/** Signs all inputs and the output at the index of the signed input. */
export const SIGHASH_SINGLE = 3;
/** Flag added to one of the others: of the inputs, only the signed one is covered. */
export const SIGHASH_ANYONECANPAY = 0x80;

/** True for ALL, NONE or SINGLE, with or without ANYONECANPAY. */
export function isDefinedHashType(hashType: number): boolean {
  const base = hashType & ~SIGHASH_ANYONECANPAY;
  return base >= SIGHASH_ALL && base <= SIGHASH_SINGLE;
}

const BASE_NAMES: ReadonlyMap<number, string> = new Map([
  [SIGHASH_ALL, 'ALL'],
  [SIGHASH_NONE, 'NONE'],
  [SIGHASH_SINGLE, 'SINGLE'],
]);
const HASH_TYPES: ReadonlyMap<string, number> = new Map(
  [0, SIGHASH_ANYONECANPAY].flatMap((flag) =>
    [...BASE_NAMES.keys()].map((base) => [hashTypeName(base | flag) as string, base | flag] as const),
  ),
);

/** Name of a hash type, e.g. `NONE|ANYONECANPAY`. @returns undefined for an undefined hash type */
export function hashTypeName(hashType: number): string | undefined {
  if (!isDefinedHashType(hashType)) return undefined;
  const suffix = (hashType & SIGHASH_ANYONECANPAY) === 0 ? '' : '|ANYONECANPAY';
  return `${BASE_NAMES.get(hashType & ~SIGHASH_ANYONECANPAY)}${suffix}`;
}

/** The hash type of a name. @returns undefined for any other text */
export function parseHashType(name: string): number | undefined {
  return HASH_TYPES.get(name);
}
