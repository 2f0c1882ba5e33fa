import { recoverCompact } from '../../crypto/ecdsa.js';
import { ripemd160, sha256 } from '../../crypto/hash.js';
import { keccak256 } from '../../crypto/keccak.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { wordCount } from '../gas.js';
import type { Precompile } from '../machine.js';
import { readWord, WORD_SIZE } from '../words.js';
import { compress, rounds } from './blake2f.js';
import { add, multiply, pairCount, pairing } from './bn254.js';
import { modexp, modexpCost } from './modexp.js';

const SIGNATURE_HEADER = 27;

/** Precompiled contracts of Ethereum, by address. @see docs/protocol/evm-engine.md 3.1 */
export const STANDARD_PRECOMPILES: ReadonlyMap<bigint, Precompile> = new Map<bigint, Precompile>([
  [1n, { ...perWord(3000, 0), run: recover }],
  [2n, { ...perWord(60, 12), run: sha256 }],
  [3n, { ...perWord(600, 120), run: (input) => padded(ripemd160(input)) }],
  [4n, { ...perWord(15, 3), run: (input) => input.slice() }],
  [5n, { cost: modexpCost, run: modexp }],
  [6n, { cost: () => 150, run: add }],
  [7n, { cost: () => 6000, run: multiply }],
  [8n, { cost: (input) => 45000 + 34000 * pairCount(input), run: pairing }],
  [9n, { cost: rounds, run: compress }],
]);

function perWord(base: number, word: number): Pick<Precompile, 'cost' | 'comparesFirst'> {
  return { cost: (input) => base + word * wordCount(input.length), comparesFirst: true };
}

function padded(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD_SIZE);
  word.set(bytes, WORD_SIZE - bytes.length);
  return word;
}

/** Address of the signer of a hash; no output for a bad signature. A high s is accepted. */
function recover(input: Uint8Array): Uint8Array {
  const v = readWord(input, WORD_SIZE);
  if (v !== 27n && v !== 28n) return EMPTY_BYTES;
  const bytes = new Uint8Array(4 * WORD_SIZE);
  bytes.set(input.subarray(0, bytes.length));
  const signature = new Uint8Array(1 + 2 * WORD_SIZE);
  signature[0] = SIGNATURE_HEADER + Number(v - 27n);
  signature.set(bytes.subarray(2 * WORD_SIZE), 1);
  const key = recoverCompact(signature, bytes.subarray(0, WORD_SIZE))?.publicKey;
  return key ? padded(keccak256(key.subarray(1)).subarray(12)) : EMPTY_BYTES;
}
