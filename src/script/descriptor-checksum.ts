import { DescriptorError } from './descriptor-error.js';

// Order of Bitcoin Core, chosen for error detection: the other case of a letter is a multiple of 32 places away, in another group only.
const INPUT = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const OUTPUT = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** Places of ASCII characters in the order; −1 for those that it lacks. */
const PLACES = Int8Array.from({ length: 128 }, (_, code) => INPUT.indexOf(String.fromCharCode(code)));
const CHECKSUM_SIZE = 8;
const CLASSES_AT_ONCE = 3;

const KEPT_BITS = 15;
const KEPT = (1 << KEPT_BITS) - 1;
/** Generator polynomial, 40 bits each in two halves: XORed into the register for each bit that is shifted out. */
const GENERATOR = [
  [0xf5dee, 0x51989],
  [0xa9fdc, 0xa3312],
  [0x1bab1, 0x0e32d],
  [0x3706b, 0x1677a],
  [0x644d6, 0x26ffd],
] as const;
/** Precomputed for each value of the five bits that are shifted out together: upper halves, lower halves. */
const [UPPER_FOLDS, LOWER_FOLDS] = ([0, 1] as const).map((half) =>
  Int32Array.from({ length: 32 }, (_, out) => GENERATOR.reduce((fold, word, bit) => ((out >> bit) & 1 ? fold ^ word[half] : fold), 0)),
) as [Int32Array, Int32Array];

/** Checksum register of 40 bits, in two halves to avoid bigint. */
class Register {
  #upper = 0;
  #lower = 1;

  /** @param value 5 bits */
  feed(value: number): void {
    const out = this.#upper >>> KEPT_BITS;
    const upper = ((this.#upper & KEPT) << 5) | (this.#lower >>> KEPT_BITS);
    this.#upper = upper ^ (UPPER_FOLDS[out] as number);
    this.#lower = ((this.#lower & KEPT) << 5) ^ value ^ (LOWER_FOLDS[out] as number);
  }

  /** Returns eight groups of five bits, highest first. */
  finish(): number[] {
    return [this.#upper, this.#lower ^ 1].flatMap((half) => [15, 10, 5, 0].map((shift) => (half >>> shift) & 31));
  }
}

/**
 * Checksum of a descriptor, without the `#`.
 * @returns undefined if the text has a character that is invalid in descriptors
 * @see docs/protocol/rpc-chain.md 3.1.26
 */
export function descriptorChecksum(payload: string): string | undefined {
  const register = new Register();
  let classes = 0;
  let pending = 0;
  for (let i = 0; i < payload.length; i++) {
    const position = PLACES[payload.charCodeAt(i)] ?? -1;
    if (position < 0) return undefined;
    register.feed(position & 31);
    classes = classes * 3 + (position >> 5);
    pending += 1;
    if (pending < CLASSES_AT_ONCE) continue;
    register.feed(classes);
    classes = 0;
    pending = 0;
  }
  if (pending > 0) register.feed(classes);
  for (let i = 0; i < CHECKSUM_SIZE; i++) register.feed(0);
  return register
    .finish()
    .map((group) => OUTPUT[group])
    .join('');
}

/** Appends `#` and the checksum. */
export function withChecksum(payload: string): string {
  const checksum = descriptorChecksum(payload);
  if (checksum === undefined) throw new TypeError('no descriptor has such characters');
  return `${payload}#${checksum}`;
}

/** A descriptor split at its checksum of 8 characters. */
export interface CheckedText {
  /** The descriptor without its checksum. */
  readonly payload: string;
  readonly checksum: string;
}

/**
 * Splits a descriptor from its checksum, which is verified.
 * @param required reject a descriptor without checksum
 * @throws {DescriptorError} if it is missing, malformed or wrong
 */
export function checkChecksum(text: string, { required }: { readonly required: boolean }): CheckedText {
  const [payload = '', given, ...more] = text.split('#');
  if (more.length > 0) throw new DescriptorError("Multiple '#' symbols");
  if (given === undefined && required) throw new DescriptorError('Missing checksum');
  if (given !== undefined && Buffer.byteLength(given) !== CHECKSUM_SIZE) {
    throw new DescriptorError(`Expected 8 character checksum, not ${Buffer.byteLength(given)} characters`);
  }
  const checksum = descriptorChecksum(payload);
  if (checksum === undefined) throw new DescriptorError('Invalid characters in payload');
  if (given !== undefined && given !== checksum) {
    throw new DescriptorError(`Provided checksum '${given}' does not match computed checksum '${checksum}'`);
  }
  return { payload, checksum };
}
