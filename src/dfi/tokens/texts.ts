import { isActive, type NetworkParams } from '../../params/network.js';
import { trimBlanks } from '../../util/trim.js';
import { TxRejected } from '../kernel/rejected.js';
import type { TokenFields } from './columns.js';

/** Longest symbol, in bytes. */
export const MAX_SYMBOL = 8;
/** Longest symbol of a pool share token, in bytes, from Fort Canning on. */
export const MAX_POOL_SYMBOL = 16;
/** Longest name, in bytes. */
export const MAX_NAME = 128;
/** Prefix of the symbol of a deprecated token. */
const END_OF_LIFE = 'eol/';

/** Trims blanks from a text of one char per byte, unless there is nothing else, then cuts it to `size` bytes. */
export function cutText(text: string, size: number): string {
  return trimBlanks(text).slice(0, size);
}

/** Token with symbol and name cut to the lengths that are stored. */
export function cutTexts<T extends Pick<TokenFields, 'symbol' | 'name'>>(token: T, maxSymbol = MAX_SYMBOL): T {
  return { ...token, symbol: cutText(token.symbol, maxSymbol), name: cutText(token.name, MAX_NAME) };
}

/**
 * Requires a symbol that is not empty, starts with no digit and has no forbidden characters.
 * @param token height that created it, and height of the transaction that sets the symbol
 * @throws {TxRejected} until Metachain with a text that names the violated rule
 * @see docs/protocol/accounts.md 4.1, 11
 */
export function requireValidSymbol(symbol: string, token: { createdAt: number; height: number }, params: NetworkParams): void {
  const fault = faultOf(symbol, isActive(params, 'fortCanningCrunch', token.createdAt));
  if (fault === undefined) return;
  const isLate = isActive(params, 'metachain', token.height);
  throw new TxRejected(isLate ? 'Invalid token symbol. Valid: Start with an alphabet, non-empty, not contain # or /' : fault);
}

function faultOf(symbol: string, slashForbidden: boolean): string | undefined {
  if (symbol === '' || /^\d/.test(symbol)) return 'token symbol should be non-empty and starts with a letter';
  if (symbol.includes('#')) return "token symbol should not contain '#'";
  return slashForbidden && symbol.includes('/') ? "token symbol should not contain '/'" : undefined;
}

/** Symbol without the prefix of deprecated tokens. */
export function withoutEndOfLife(symbol: string): string {
  return symbol.startsWith(END_OF_LIFE) ? symbol.slice(END_OF_LIFE.length) : symbol;
}

/** Symbol with the prefix of deprecated tokens. */
export function withEndOfLife(symbol: string): string {
  return `${END_OF_LIFE}${symbol}`;
}
