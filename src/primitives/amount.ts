import { trimRight } from '../util/trim.js';

/** Amounts are satoshis: 1 DFI = 100,000,000. */
export const COIN = 100_000_000n;
/** Maximum amount of DFI, satoshis. */
export const MAX_MONEY = 1_200_000_000n * COIN;

/** True from 0 to `MAX_MONEY`, inclusive. */
export function isMoneyRange(value: bigint): boolean {
  return value >= 0n && value <= MAX_MONEY;
}

/** Formats satoshis with eight decimals: `-0.00000001`, `10.00000000`. */
export function formatAmount(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(9, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a decimal amount in the syntax of JSON numbers, exactly: `1`, `0.5`, `1e-8`.
 * @returns satoshis; undefined if the text is not such a number, not a whole number of satoshis, or at least 10^18 satoshis
 */
export function parseAmount(text: string): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const written = trimRight(whole + fraction, '0');
  const digits = written.replace(/^0+/, '');
  if (digits === '') return 0n;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 1000) return undefined;
  const trailing = whole.length + fraction.length - written.length;
  const scale = exponent - fraction.length + 8 + trailing;
  if (scale < 0 || digits.length + scale > 18) return undefined;
  const value = BigInt(digits) * 10n ** BigInt(scale);
  return sign ? -value : value;
}
