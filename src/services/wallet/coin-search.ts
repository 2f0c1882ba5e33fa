import type { CallContext } from '../../rpc/handler.js';
import type { CoinSearch } from '../../wallet/coin-search.js';
import type { Wallet } from '../../wallet/wallet.js';

/**
 * How coins are looked for in this call: as the operator has it, unless its caller wants it otherwise.
 * @see docs/protocol/rpc-chain.md 1.14
 */
export function coinSearchFor({ deps: { settings } }: Pick<Wallet, 'deps'>, { settings: wishes = {} }: CallContext): CoinSearch {
  const { fast, skipSolvable, eager } = settings.coinSearch;
  return {
    fast: wishes.walletfastselect ?? fast,
    skipSolvable: wishes.walletcoinoptskipsolvable ?? skipSolvable,
    eager: wishes.walletcoinopteagerselect ?? eager,
  };
}
