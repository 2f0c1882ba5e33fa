import type { ListLoanTokenLiquidityRequest, ListLoanTokenLiquidityResponse, SwapLiquidity } from '../../../gen/ts/dfi/node/v1/pools.js';
import { readState } from '../../chain/read-state.js';
import { storedAttributes } from '../../dfi/attributes/attributes.js';
import { futureSwaps } from '../../dfi/futures/columns.js';
import { low64, multiplyAmounts } from '../../dfi/kernel/math.js';
import { readableText } from '../../dfi/kernel/text.js';
import { futureShare, poolAverages, type SwapDirection } from '../../dfi/pools/average-columns.js';
import { getToken, tokenBySymbol } from '../../dfi/tokens/columns.js';
import { formatAmount } from '../../primitives/amount.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import type { Steps } from '../../util/slicer.js';
import type { PoolsModules } from './modules.js';

type Modules = { readonly chain: Pick<PoolsModules['chain'], 'state' | 'snapshot'> };

/** @see docs/protocol/oracles-governance.md 6.5 */
export const listLoanTokenLiquidity: Handler<Modules, ListLoanTokenLiquidityRequest, ListLoanTokenLiquidityResponse> = (
  { chain },
  _request,
  call,
) =>
  readState(chain, call, function* answer(state) {
    const dollar = tokenBySymbol(state, 'DUSD');
    if (!dollar) return { ways: [] };
    const share = futureShare(storedAttributes(state));
    const pending = yield* pendingAmounts(state, dollar.id);
    const ways: SwapLiquidity[] = [];
    for (const [way, liquidity] of state.entries(poolAverages)) {
      yield;
      const source = getToken(state, way.source);
      const destination = getToken(state, way.destination);
      if (!source || !destination) continue;
      const limit = multiplyAmounts(liquidity, share);
      const remaining = low64(limit - (pending.get(keyOf(way)) ?? 0n));
      const amounts = { liquidity: formatAmount(liquidity), limit: formatAmount(limit), remaining: formatAmount(remaining) };
      ways.push({ way: { [`${readableText(source.symbol)}-${readableText(destination.symbol)}`]: amounts } });
    }
    return { ways };
  });

/** Amounts that pending future swaps move each way; swaps without a destination go to DUSD. */
function* pendingAmounts(view: StateView, dollarId: number): Steps<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const [, { source, destination }] of view.entries(futureSwaps)) {
    yield;
    const key = keyOf({ source: source.tokenId, destination: destination || dollarId });
    sums.set(key, (sums.get(key) ?? 0n) + source.amount);
  }
  return sums;
}

const keyOf = ({ source, destination }: SwapDirection): string => `${source} ${destination}`;
