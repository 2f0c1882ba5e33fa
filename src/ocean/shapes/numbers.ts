import { parseAmount } from '../../primitives/amount.js';

/** Amount in satoshis. @param digits text of an operation @throws {Error} if it is no amount */
export function satoshis(digits: string): bigint {
  const amount = parseAmount(digits);
  if (amount === undefined) throw new Error(`an operation returned a malformed amount: ${digits}`);
  return amount;
}

/** Unsigned 32-bit number as eight hex digits, whose order as text is that of the numbers. */
export function hex8(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** Decimal text without zeros at its end, and without a point if it is whole. @param digits text of a number without exponent */
export function plain(digits: string): string {
  if (!digits.includes('.')) return digits;
  const short = digits.replace(/\.?0+$/, '');
  return short === '-0' || short === '' ? '0' : short;
}
