import { Failure } from '../failure.js';

const INPUT_SIZE = 213;
const STATE_WORDS = 8;
const MESSAGE_WORDS = 16;
/** Order of the message words in each round, then repeated. @see RFC 7693, 2.7 */
const SIGMA: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
/** Initial vector: low and high halves of the words in turn. @see RFC 7693, 2.6 */
const IV = Uint32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
);
/** Columns, then diagonals, of the four by four words that a round mixes. */
const MIXED: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];
const BAD_INPUT = new Failure('Other("invalid input for BLAKE2b")');

/** Number of rounds that an input asks for. @throws {Failure} if the input has another size or a bad final flag */
export function rounds(input: Uint8Array): number {
  const flag = input[INPUT_SIZE - 1];
  if (input.length !== INPUT_SIZE || flag === undefined || flag > 1) throw BAD_INPUT;
  return new DataView(input.buffer, input.byteOffset).getUint32(0);
}

/** Compression function F of BLAKE2b. @param input rounds, state, message, two counters, final flag @returns the new state, 64 bytes @see EIP-152 */
export function compress(input: Uint8Array): Uint8Array {
  const count = rounds(input);
  const words = new Uint32Array(input.slice(4, INPUT_SIZE - 1).buffer);
  const state = words.subarray(0, 2 * STATE_WORDS);
  const message = words.subarray(2 * STATE_WORDS, 2 * (STATE_WORDS + MESSAGE_WORDS));
  const v = new Uint32Array(2 * MESSAGE_WORDS);
  v.set(state);
  v.set(IV, 2 * STATE_WORDS);
  for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ (words[48 + i] as number);
  if (input[INPUT_SIZE - 1] === 1) {
    v[28] = ~(v[28] as number);
    v[29] = ~(v[29] as number);
  }
  for (let round = 0; round < count; round++) mixRound(v, message, SIGMA[round % SIGMA.length] as readonly number[]);
  const output = Uint32Array.from(state, (word, i) => word ^ (v[i] as number) ^ (v[i + 2 * STATE_WORDS] as number));
  return new Uint8Array(output.buffer);
}

function mixRound(v: Uint32Array, message: Uint32Array, sigma: readonly number[]): void {
  for (let i = 0; i < MIXED.length; i++) {
    const [a, b, c, d] = MIXED[i] as readonly [number, number, number, number];
    mix(v, 2 * a, 2 * b, 2 * c, 2 * d, message, 2 * (sigma[2 * i] as number), 2 * (sigma[2 * i + 1] as number));
  }
}

/** Function G. Positions are those of the low halves. @see RFC 7693, 3.1 */
function mix(v: Uint32Array, a: number, b: number, c: number, d: number, message: Uint32Array, x: number, y: number): void {
  addWords(v, a, v[b] as number, v[b + 1] as number);
  addWords(v, a, message[x] as number, message[x + 1] as number);
  rotate(v, d, a, 32);
  addWords(v, c, v[d] as number, v[d + 1] as number);
  rotate(v, b, c, 24);
  addWords(v, a, v[b] as number, v[b + 1] as number);
  addWords(v, a, message[y] as number, message[y + 1] as number);
  rotate(v, d, a, 16);
  addWords(v, c, v[d] as number, v[d + 1] as number);
  rotate(v, b, c, 63);
}

function addWords(v: Uint32Array, at: number, low: number, high: number): void {
  const sum = (v[at] as number) + low;
  v[at] = sum;
  v[at + 1] = (v[at + 1] as number) + high + (sum > 0xffffffff ? 1 : 0);
}

/** Rotates the exclusive or of two words to the right by `bits`. */
function rotate(v: Uint32Array, at: number, other: number, bits: number): void {
  const low = (v[at] as number) ^ (v[other] as number);
  const high = (v[at + 1] as number) ^ (v[other + 1] as number);
  if (bits === 32) {
    v[at] = high;
    v[at + 1] = low;
  } else if (bits < 32) {
    v[at] = (low >>> bits) | (high << (32 - bits));
    v[at + 1] = (high >>> bits) | (low << (32 - bits));
  } else {
    v[at] = (high >>> (bits - 32)) | (low << (64 - bits));
    v[at + 1] = (low >>> (bits - 32)) | (high << (64 - bits));
  }
}
