import { isActive, type NetworkParams } from '../../params/network.js';
import { TxRejected } from '../rejected.js';
import type { TokenFields } from '../state/tokens.js';

/** Longest symbol and name, in bytes. */
export const MAX_SYMBOL = 8;
/** That of a pool's shares, from Fort Canning on. */
export const MAX_POOL_SYMBOL = 16;
export const MAX_NAME = 128;
/** In front of the symbol of a token that is given up. */
const END_OF_LIFE = 'eol/';

/** A text of one char per byte without blanks around it, cut to a number of bytes. */
export function cutText(text: string, size: number): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').slice(0, size);
}

/** A token's texts as they are stored. */
export function cutTexts<T extends Pick<TokenFields, 'symbol' | 'name'>>(token: T, maxSymbol = MAX_SYMBOL): T {
  return { ...token, symbol: cutText(token.symbol, maxSymbol), name: cutText(token.name, MAX_NAME) };
}

/** @param creationHeight of the token. @throws {TxRejected} @see spec: accounts 4.1 */
export function requireValidSymbol(symbol: string, creationHeight: number, params: NetworkParams): void {
  const slashForbidden = isActive(params, 'fortCanningCrunch', creationHeight);
  const isValid = symbol !== '' && !/^\d/.test(symbol) && !symbol.includes('#') && !(slashForbidden && symbol.includes('/'));
  if (!isValid) throw new TxRejected('Invalid token symbol. Valid: Start with an alphabet, non-empty, not contain # or /');
}

export function withoutEndOfLife(symbol: string): string {
  return symbol.startsWith(END_OF_LIFE) ? symbol.slice(END_OF_LIFE.length) : symbol;
}

export function withEndOfLife(symbol: string): string {
  return `${END_OF_LIFE}${symbol}`;
}
