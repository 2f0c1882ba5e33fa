import { HASH_DIGITS, type Hash256, parseHash256 } from '../../primitives/hash.js';
import { isHex } from '../../util/bytes.js';
import { invalidNext } from './request.js';

const DIGITS = 8;

/**
 * Numbers of 32 bits with which a cursor begins, as eight hex digits each, and the text after them.
 * @throws {OceanError} if it begins with fewer numbers
 */
export function sortNumbers(next: string, count: number): readonly [readonly number[], string] {
  const numbers: number[] = [];
  for (let i = 0; i < count; i++) {
    const digits = next.slice(i * DIGITS, (i + 1) * DIGITS);
    if (!/^[0-9a-f]{8}$/.test(digits)) throw invalidNext();
    numbers.push(Number.parseInt(digits, 16));
  }
  return [numbers, next.slice(count * DIGITS)];
}

/** The last of the numbers that a cursor consists of, e.g. a height after a time. @throws {OceanError} for another text */
export function lastSortNumber(next: string, count: number): number {
  const [numbers, rest] = sortNumbers(next, count);
  const last = numbers.at(-1);
  if (last === undefined || rest !== '') throw invalidNext();
  return last;
}

/** Hash in display order. @returns undefined for another text */
export function hashOf(text: string): Hash256 | undefined {
  return text.length === HASH_DIGITS && isHex(text) ? parseHash256(text) : undefined;
}

/** Hash, in display order, that is a cursor or a part of one. @throws {OceanError} for another text */
export function sortHash(text: string): Hash256 {
  const hash = hashOf(text);
  if (!hash) throw invalidNext();
  return hash;
}
