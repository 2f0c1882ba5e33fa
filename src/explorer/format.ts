const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A decimal number with thin spaces between thousands, and without the zeros at the end of its fraction. */
export function amount(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign, whole = '', fraction = ''] = match;
  const digits = fraction.replace(/0+$/, '');
  return `${sign}${whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u2009')}${digits === '' ? '' : `.${digits}`}`;
}

/** Value and symbol of `12.5@DFI`. The symbol of a stranger's token may have an @ itself. */
export function amountParts(text: string): readonly [value: string, symbol: string] {
  const at = text.indexOf('@');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Beginning and end of a hash or an address. */
export function short(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-8)}`;
}

/** Time in seconds since 1970, in the time zone of the reader. */
export function time(seconds: string): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString();
}

/** Time since then in words. @param now both in seconds since 1970 */
export function age(seconds: string, now: number): string {
  const past = Math.round(now - Number(seconds));
  if (past < 0) return `in ${span(-past)}`;
  return past === 0 ? 'now' : `${span(past)} ago`;
}

/** A number of seconds in its largest unit. */
export function span(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes in a fitting unit. */
export function size(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A share as percentage. @param share from 0 to 1 */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
