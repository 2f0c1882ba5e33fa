import type { Reader } from '../api/json.js';
import { plain } from './numbers.js';

/** Token as paths and prices name it. */
export interface TokenIdentifier {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly displaySymbol: string;
  readonly [name: string]: string;
}

/** DATs whose symbol is shown as it is. */
const UNCHANGED = new Set(['DUSD', 'DFI', 'csETH']);

/** Symbol of a DAT as wallets show it: `BTC` is `dBTC`. @see docs/protocol/ocean.md 1.9 */
export function displayedDat(symbol: string): string {
  return UNCHANGED.has(symbol) ? symbol : `d${symbol}`;
}

/** Symbol of a pair of DATs, both halves as wallets show them. */
export function displayedPair(symbol: string): string {
  return symbol.split('-').map(displayedDat).join('-');
}

/** @param token answer of `gettoken` or an element of `listtokens`, without the id */
export function displaySymbol(token: Reader): string {
  const symbol = token.get('symbol').text();
  if (token.get('isLPS').flag()) return displayedPair(symbol);
  return token.get('isDAT').flag() ? displayedDat(symbol) : symbol;
}

/** @param token answer of `gettoken` or an element of `listtokens`, without the id */
export function tokenIdentifier(id: string, token: Reader): TokenIdentifier {
  return { id, name: token.get('name').text(), symbol: token.get('symbol').text(), displaySymbol: displaySymbol(token) };
}

/** Token with all properties. @param token answer of `gettoken` or an element of `listtokens`, without the id */
export function tokenData(id: string, token: Reader) {
  const collateralAddress = token.get('collateralAddress');
  return {
    id,
    symbol: token.get('symbol').text(),
    symbolKey: token.get('symbolKey').text(),
    name: token.get('name').text(),
    decimal: token.get('decimal').number(),
    limit: plain(token.get('limit').digits()),
    mintable: token.get('mintable').flag(),
    tradeable: token.get('tradeable').flag(),
    isDAT: token.get('isDAT').flag(),
    isLPS: token.get('isLPS').flag(),
    isLoanToken: token.get('isLoanToken').flag(),
    finalized: token.get('finalized').flag(),
    minted: plain(token.get('minted').digits()),
    creation: { tx: token.get('creationTx').text(), height: token.get('creationHeight').number() },
    destruction: { tx: token.get('destructionTx').text(), height: token.get('destructionHeight').number() },
    collateralAddress: collateralAddress.isThere && collateralAddress.text() !== '' ? collateralAddress.text() : undefined,
    displaySymbol: displaySymbol(token),
  };
}
