import type {
  DusdSwap,
  FutureSwapValue,
  GetPendingDusdSwapsRequest,
  GetPendingDusdSwapsResponse,
  GetPendingFutureSwapsRequest,
  GetPendingFutureSwapsResponse,
  ListPendingDusdSwapsRequest,
  ListPendingDusdSwapsResponse,
  ListPendingFutureSwapsRequest,
  ListPendingFutureSwapsResponse,
  PendingFutureSwap,
} from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import { readState } from '../../chain/read-state.js';
import { dusdSwaps, type FutureSwap, futureSwaps } from '../../dfi/futures/columns.js';
import { readableText } from '../../dfi/kernel/text.js';
import { isLoanToken, loanSymbol } from '../../dfi/loan-tokens/columns.js';
import { getToken } from '../../dfi/tokens/columns.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { addressOf, parseOwner } from '../format/owner.js';
import type { AccountsModules } from './modules.js';

/** Swap as operations show it; undefined if its source token is unknown, or its destination is no loan token, which a split can cause. */
function formatSwap(view: StateView, { source, destination }: FutureSwap): FutureSwapValue | undefined {
  const token = getToken(view, source.tokenId);
  const isPurchase = token?.symbol === 'DUSD';
  if (!token || (isPurchase && !isLoanToken(view, destination))) return undefined;
  const tokensymbol = readableText(token.symbol);
  return {
    // The symbol without an id, also for tokens that are no DAT.
    source: { ...source, token: tokensymbol },
    destination: isPurchase ? readableText(loanSymbol(view, destination)) : 'DUSD',
    tokensymbol,
    amount: source.amount,
  };
}

export const listPendingFutureSwaps: Handler<AccountsModules, ListPendingFutureSwapsRequest, ListPendingFutureSwapsResponse> = (
  { chain },
  _request,
  call,
) =>
  readState(chain, call, function* answer(state) {
    const swaps: PendingFutureSwap[] = [];
    for (const [key, swap] of state.entries(futureSwaps)) {
      yield;
      const owner = addressOf(key.owner, chain.params);
      const value = formatSwap(state, swap);
      if (owner !== undefined && value) swaps.push({ owner, source: value.source, destination: value.destination, values: [value] });
    }
    return { swaps };
  });

export const getPendingFutureSwaps: Handler<AccountsModules, GetPendingFutureSwapsRequest, GetPendingFutureSwapsResponse> = (
  { chain },
  { address },
  call,
) => {
  const owner = parseOwner(address, chain);
  return readState(chain, call, function* answer(state) {
    const values: FutureSwapValue[] = [];
    for (const [key, swap] of state.entries(futureSwaps)) {
      yield;
      const value = equalBytes(key.owner, owner) ? formatSwap(state, swap) : undefined;
      if (value) values.push(value);
    }
    return { owner: address, values };
  });
};

export const listPendingDusdSwaps: Handler<AccountsModules, ListPendingDusdSwapsRequest, ListPendingDusdSwapsResponse> = (
  { chain },
  _request,
  call,
) =>
  readState(chain, call, function* answer(state) {
    const swaps: DusdSwap[] = [];
    for (const [key, amount] of state.entries(dusdSwaps)) {
      yield;
      const owner = addressOf(key.owner, chain.params);
      if (owner !== undefined) swaps.push({ owner, amount });
    }
    return { swaps };
  });

export const getPendingDusdSwaps: Handler<AccountsModules, GetPendingDusdSwapsRequest, GetPendingDusdSwapsResponse> = (
  { chain },
  { address },
  call,
) => {
  const owner = parseOwner(address, chain);
  return readState(chain, call, function* answer(state) {
    let sum = 0n;
    for (const [key, amount] of state.entries(dusdSwaps)) {
      yield;
      if (equalBytes(key.owner, owner)) sum += amount;
    }
    return sum === 0n ? {} : { owner: address, amount: sum };
  });
};
