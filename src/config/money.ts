const MONEY = /^\s*(\d{0,10})(?:\.(\d{0,8}))?\s*$/;

/**
 * Satoshis of an amount as flags are written: digits, a point, up to eight decimals.
 * @returns undefined if the text is anything else
 */
export function parseMoney(text: string): bigint | undefined {
  const match = MONEY.exec(text);
  if (!match || text.trim() === '') return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole || '0') * 100_000_000n + BigInt(fraction.padEnd(8, '0'));
}
