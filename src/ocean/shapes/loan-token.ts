import type { Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';
import { activePriceOf } from './active-price.js';
import { tokensBySymbol } from './known-tokens.js';
import { plain } from './numbers.js';
import { tokenData } from './token.js';
import type { PriceOf } from './token-amount.js';

type Modules = Pick<OceanModules, 'operations' | 'perTip' | 'rows' | 'chain'>;

/** Tokens that vaults may hold. @param collaterals answers of `getcollateraltoken`, or elements of `listcollateraltokens` */
export async function shownCollaterals(modules: Modules, collaterals: readonly Reader[], priceOf?: PriceOf) {
  const tokens = await tokensBySymbol(modules);
  return collaterals.map((collateral) => {
    const symbolKey = collateral.get('token').text();
    const found = tokens.get(symbolKey);
    if (!found) throw new Error(`a collateral is of the unknown token ${symbolKey}`);
    return {
      tokenId: collateral.get('tokenId').text(),
      token: tokenData(...found),
      factor: plain(collateral.get('factor').digits()),
      // Deprecated: clients of today need the member, but no height any more.
      activateAfterBlock: 0,
      ...priceParts(modules, collateral, priceOf),
    };
  });
}

/** Token that vaults may borrow. @param loanToken answer of `getloantoken`, or an element of `listloantokens` */
export function shownLoanToken(modules: Modules, loanToken: Reader, priceOf?: PriceOf) {
  const [found] = loanToken.get('token').members();
  if (!found) throw new Error('a loan token has no token');
  const [id, token] = found;
  return {
    tokenId: token.get('creationTx').text(),
    token: tokenData(id, token),
    interest: plain(loanToken.get('interest').digits()),
    ...priceParts(modules, loanToken, priceOf),
  };
}

/** Name and newest value of the price by which a token is valued. */
function priceParts(modules: Modules, terms: Reader, priceOf: PriceOf = activePriceOf) {
  const fixedIntervalPriceId = terms.get('fixedIntervalPriceId').text();
  const [token = '', currency = ''] = fixedIntervalPriceId.split('/');
  return { fixedIntervalPriceId, activePrice: priceOf(modules, { token, currency }) };
}
