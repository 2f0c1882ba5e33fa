import { type Hash256, parseHash256 } from '../../primitives/hash.js';

const HASH_DIGITS = 64;

/** The hash whose digits a text begins with; what is missing in front is 0. Nothing is refused: some operations are that lenient. */
export function parseLooseHash(text: string): Hash256 {
  const digits = /^\s*(?:0x)?([0-9a-f]*)/i.exec(text)?.[1] ?? '';
  return parseHash256(digits.slice(-HASH_DIGITS).padStart(HASH_DIGITS, '0'));
}
