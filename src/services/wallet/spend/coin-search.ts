import type { CallContext } from '../../../rpc/handler.js';
import type { CoinSearch } from '../../../wallet/coin-search.js';
import type { Wallet } from '../../../wallet/wallet.js';

/**
 * Options of the coin search in this call: those of the node, overridden by those of the call.
 * @see docs/protocol/rpc-chain.md 1.14
 */
export function coinSearchFor({ deps: { settings } }: Pick<Wallet, 'deps'>, { settings: overrides = {} }: CallContext): CoinSearch {
  const { fast, skipSolvable, eager } = settings.coinSearch;
  return {
    fast: overrides.walletfastselect ?? fast,
    skipSolvable: overrides.walletcoinoptskipsolvable ?? skipSolvable,
    eager: overrides.walletcoinopteagerselect ?? eager,
  };
}
