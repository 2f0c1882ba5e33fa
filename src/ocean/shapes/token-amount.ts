import type { Json, Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';
import { activePriceOf } from './active-price.js';
import { tokensBySymbol } from './known-tokens.js';
import { displaySymbol } from './token.js';

/** Modules that prices are looked up in. */
export type PriceModules = Pick<OceanModules, 'rows' | 'chain'>;

/** Newest active price of a pair as answers show it; undefined if the pair has none. */
export type PriceOf = (modules: PriceModules, pair: { readonly token: string; readonly currency: string }) => Json | undefined;

/** Shows an amount in a vault, which operations give as `1.00000000@DFI`. */
export type AmountFormat = (amount: string) => VaultTokenAmount;

/** Amount in a vault or a batch. */
export type VaultTokenAmount = { readonly amount: string } & ReturnType<typeof tokenParts>;

/**
 * Format of amounts in vaults, by the tokens of the tip. The price of each token is looked up once.
 * @see docs/protocol/ocean.md 1.9
 */
export async function amountFormat(
  modules: PriceModules & Pick<OceanModules, 'operations' | 'perTip'>,
  priceOf: PriceOf = activePriceOf,
): Promise<AmountFormat> {
  const tokens = await tokensBySymbol(modules);
  const shown = new Map<string, ReturnType<typeof tokenParts>>();
  return (amount) => {
    const at = amount.indexOf('@');
    const symbolKey = amount.slice(at + 1);
    const found = tokens.get(symbolKey);
    if (!found) throw new Error(`an operation names the unknown token ${symbolKey}`);
    const parts = shown.get(symbolKey) ?? tokenParts(modules, found, priceOf);
    shown.set(symbolKey, parts);
    return { amount: amount.slice(0, at), ...parts };
  };
}

function tokenParts(modules: PriceModules, [id, token]: readonly [string, Reader], priceOf: PriceOf) {
  const symbol = token.get('symbol').text();
  return {
    id,
    symbol,
    displaySymbol: displaySymbol(token),
    symbolKey: token.get('symbolKey').text(),
    name: token.get('name').text(),
    activePrice: priceOf(modules, { token: symbol, currency: 'USD' }),
  };
}
