import { isActive, type NetworkParams } from '../../params/network.js';
import { trimEnds } from '../../util/trim.js';
import { TxRejected } from '../kernel/rejected.js';
import type { TokenFields } from './columns.js';

/** Longest symbol and name, in bytes. */
export const MAX_SYMBOL = 8;
/** That of a pool's shares, from Fort Canning on. */
export const MAX_POOL_SYMBOL = 16;
export const MAX_NAME = 128;
/** In front of the symbol of a token that is given up. */
const END_OF_LIFE = 'eol/';

/** A text of one char per byte without blanks around it, cut to a number of bytes. */
export function cutText(text: string, size: number): string {
  return trimEnds(text, ' \t\r\n').slice(0, size);
}

/** A token's texts as they are stored. */
export function cutTexts<T extends Pick<TokenFields, 'symbol' | 'name'>>(token: T, maxSymbol = MAX_SYMBOL): T {
  return { ...token, symbol: cutText(token.symbol, maxSymbol), name: cutText(token.name, MAX_NAME) };
}

/**
 * @param token the height that created it, and the one that names it now
 * @throws {TxRejected} whose text up to Metachain says what is wrong
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

export function withoutEndOfLife(symbol: string): string {
  return symbol.startsWith(END_OF_LIFE) ? symbol.slice(END_OF_LIFE.length) : symbol;
}

export function withEndOfLife(symbol: string): string {
  return `${END_OF_LIFE}${symbol}`;
}
