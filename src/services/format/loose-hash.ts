import { HASH_DIGITS, type Hash256, parseHash256 } from '../../primitives/hash.js';

/**
 * Hash from leading hex digits of a text, padded with zeros on the left. Never fails: some operations of `defid` parse hashes
 * like this.
 */
export function parseLooseHash(text: string): Hash256 {
  const digits = /^\s*(?:0x)?([0-9a-f]*)/i.exec(text)?.[1] ?? '';
  return parseHash256(digits.slice(-HASH_DIGITS).padStart(HASH_DIGITS, '0'));
}
