const MONEY = /^\s*(\d{0,10})(?:\.(\d{0,8}))?\s*$/;

/**
 * Parses an amount of an option: digits, a point, up to eight decimals.
 * @returns satoshis; undefined for any other text
 */
export function parseMoney(text: string): bigint | undefined {
  const match = MONEY.exec(text);
  if (!match || text.trim() === '') return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole || '0') * 100_000_000n + BigInt(fraction.padEnd(8, '0'));
}
