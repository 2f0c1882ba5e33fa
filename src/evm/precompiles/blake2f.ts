import { refusedInput } from '../failure.js';
import { mixRounds, WORDS } from './blake2-rounds.js';

const INPUT_SIZE = 213;
const STATE_WORDS = 8;
/** Initial vector. @see RFC 7693, 2.6 */
const IV = BigUint64Array.of(
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
);
/** Positions in the state of the two counters and of the final flag. */
const COUNTERS = 12;
const FINAL = 14;
const BAD_SIZE = refusedInput('input length for Blake2 F precompile should be exactly 213 bytes');
const BAD_FLAG = refusedInput('incorrect final block indicator flag');

/** Number of rounds that an input asks for. @throws {Failure} if the input has another size */
export function rounds(input: Uint8Array): number {
  if (input.length !== INPUT_SIZE) throw BAD_SIZE;
  return new DataView(input.buffer, input.byteOffset).getUint32(0);
}

/**
 * Compression function F of BLAKE2b.
 * @param input rounds, state, message, two counters, final flag
 * @returns the new state, 64 bytes
 * @throws {Failure} for a final flag other than 0 and 1, or as {@link rounds} @see EIP-152
 */
export function compress(input: Uint8Array): Uint8Array {
  const count = rounds(input);
  const flag = input[INPUT_SIZE - 1] ?? 0;
  if (flag > 1) throw BAD_FLAG;
  const words = new BigUint64Array(Uint8Array.from(input.subarray(4, INPUT_SIZE - 1)).buffer);
  const before = words.subarray(0, STATE_WORDS);
  const state = new BigUint64Array(WORDS);
  state.set(before);
  state.set(IV, STATE_WORDS);
  state[COUNTERS] = (state[COUNTERS] as bigint) ^ (words[STATE_WORDS + WORDS] as bigint);
  state[COUNTERS + 1] = (state[COUNTERS + 1] as bigint) ^ (words[STATE_WORDS + WORDS + 1] as bigint);
  if (flag === 1) state[FINAL] = ~(state[FINAL] as bigint);
  mixRounds(state, words.subarray(STATE_WORDS, STATE_WORDS + WORDS), count);
  const output = BigUint64Array.from(before, (word, i) => word ^ (state[i] as bigint) ^ (state[i + STATE_WORDS] as bigint));
  return new Uint8Array(output.buffer);
}
