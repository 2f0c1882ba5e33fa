import type {
  FutureSwapValue,
  GetPendingDusdSwapsRequest,
  GetPendingDusdSwapsResponse,
  GetPendingFutureSwapsRequest,
  GetPendingFutureSwapsResponse,
  ListPendingDusdSwapsRequest,
  ListPendingDusdSwapsResponse,
  ListPendingFutureSwapsRequest,
  ListPendingFutureSwapsResponse,
} from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import { type FutureSwap, listFutures } from '../../dfi/futures/columns.js';
import { readableText } from '../../dfi/kernel/text.js';
import { getToken } from '../../dfi/tokens/columns.js';
import type { Handler } from '../../rpc/handler.js';
import { addressesOf } from '../../script/address.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { formatTokenAmount, tokenSymbol } from '../format/amounts.js';
import { parseOwner } from '../format/owner.js';
import type { AccountsModules } from './modules.js';

/** Swap as operations show it; undefined if its source token is unknown. */
function formatSwap(view: StateView, { source, destination }: FutureSwap): FutureSwapValue | undefined {
  const token = getToken(view, source.tokenId);
  if (!token) return undefined;
  const symbol = token.symbol === 'DUSD' ? tokenSymbol(view, destination) : 'DUSD';
  const tokensymbol = readableText(token.symbol);
  return { source: formatTokenAmount(view, source), destination: symbol, tokensymbol, amount: source.amount };
}

export const listPendingFutureSwaps: Handler<AccountsModules, ListPendingFutureSwapsRequest, ListPendingFutureSwapsResponse> = ({
  chain: { state, params },
}) => ({
  swaps: listFutures(state, 'dfip2203').flatMap(([key, swap]) => {
    const [owner] = addressesOf(key.owner, params.address);
    const value = formatSwap(state, swap);
    return owner === undefined || !value ? [] : [{ owner, source: value.source, destination: value.destination, values: [value] }];
  }),
});

export const getPendingFutureSwaps: Handler<AccountsModules, GetPendingFutureSwapsRequest, GetPendingFutureSwapsResponse> = (
  { chain },
  { address },
) => {
  const { state } = chain;
  const owner = parseOwner(address, chain);
  const own = listFutures(state, 'dfip2203').filter(([key]) => equalBytes(key.owner, owner));
  return { owner: address, values: own.flatMap(([, swap]) => formatSwap(state, swap) ?? []) };
};

export const listPendingDusdSwaps: Handler<AccountsModules, ListPendingDusdSwapsRequest, ListPendingDusdSwapsResponse> = ({
  chain: { state, params },
}) => ({
  swaps: listFutures(state, 'dfip2206f').flatMap(([key, { source }]) =>
    addressesOf(key.owner, params.address)
      .slice(0, 1)
      .map((owner) => ({ owner, amount: source.amount })),
  ),
});

export const getPendingDusdSwaps: Handler<AccountsModules, GetPendingDusdSwapsRequest, GetPendingDusdSwapsResponse> = (
  { chain },
  { address },
) => {
  const { state } = chain;
  const owner = parseOwner(address, chain);
  const own = listFutures(state, 'dfip2206f').filter(([key]) => equalBytes(key.owner, owner));
  const amount = own.reduce((sum, [, { source }]) => sum + source.amount, 0n);
  return amount === 0n ? {} : { owner: address, amount };
};
