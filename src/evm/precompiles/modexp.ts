import { EMPTY_BYTES } from '../../util/bytes.js';
import { refusedInput } from '../failure.js';
import { bitLength, readWord, WORD_SIZE } from '../words.js';

/** Largest size of base, exponent and modulus; `defid` refuses longer ones. */
const MAX_SIZE = 1024;
const HEADER_SIZE = 3 * WORD_SIZE;
const MIN_COST = 200;
/** `defid` charges even moduli so many times as much, because its library is slow with them. */
const EVEN_FACTOR = 20;
/** Numbers of an input, in the order of their sizes. */
const NUMBERS = ['base', 'exponent', 'modulus'] as const;

interface Sizes {
  readonly base: number;
  readonly exponent: number;
  readonly modulus: number;
}

/** @throws {Failure} if a size exceeds 1,024 */
function sizesOf(input: Uint8Array): Sizes {
  const [base, exponent, modulus] = NUMBERS.map((name, i) => {
    const size = readWord(input, i * WORD_SIZE);
    if (size > BigInt(MAX_SIZE)) throw refusedInput(`unreasonably large ${name} length`);
    return Number(size);
  }) as [number, number, number];
  return { base, exponent, modulus };
}

/** Gas for an input. @throws {Failure} if a number is longer than 1,024 bytes @see docs/protocol/evm-engine.md 3.2 */
export function modexpCost(input: Uint8Array): number {
  const { base, exponent, modulus } = sizesOf(input);
  if (modulus === 0) return 0;
  const words = Math.ceil(Math.max(base, modulus) / 8);
  const head = readWord(input, HEADER_SIZE + base, Math.min(exponent, WORD_SIZE));
  const extra = exponent > WORD_SIZE ? 8 * (exponent - WORD_SIZE) : 0;
  const iterations = Math.max(1, extra + bitLength(head) - 1);
  const cost = Math.max(MIN_COST, Math.floor((words * words * iterations) / 3));
  const lastByte = input[HEADER_SIZE + base + exponent + modulus - 1] ?? 0;
  return lastByte % 2 === 0 ? cost * EVEN_FACTOR : cost;
}

/** base ^ exponent mod modulus, as long as the modulus; zeros for a modulus of 0 or 1. */
export function modexp(input: Uint8Array): Uint8Array {
  const { base, exponent, modulus } = sizesOf(input);
  if (modulus === 0) return EMPTY_BYTES;
  const n = numberAt(input, HEADER_SIZE + base + exponent, modulus);
  if (n <= 1n) return new Uint8Array(modulus);
  const result = power(numberAt(input, HEADER_SIZE, base), numberAt(input, HEADER_SIZE + base, exponent), n);
  return Uint8Array.from(Buffer.from(result.toString(16).padStart(2 * modulus, '0'), 'hex'));
}

function numberAt(input: Uint8Array, at: number, size: number): bigint {
  const bytes = new Uint8Array(size);
  bytes.set(input.subarray(at, at + size));
  return size === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  const bits = exponent === 0n ? '' : exponent.toString(2);
  for (let i = bits.length - 1; i >= 0; i--) {
    if (bits[i] === '1') result = (result * square) % modulus;
    if (i > 0) square = (square * square) % modulus;
  }
  return result;
}
