import type { ListLoanTokenLiquidityRequest, ListLoanTokenLiquidityResponse, SwapLiquidity } from '../../../gen/ts/dfi/node/v1/pools.js';
import { storedAttributes } from '../../dfi/attributes/attributes.js';
import { listFutures } from '../../dfi/futures/columns.js';
import { low64, multiplyAmounts } from '../../dfi/kernel/math.js';
import { readableText } from '../../dfi/kernel/text.js';
import { futureShare, poolAverages, type SwapDirection } from '../../dfi/pools/average-columns.js';
import { getToken, tokenBySymbol } from '../../dfi/tokens/columns.js';
import { formatAmount } from '../../primitives/amount.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import type { PoolsModules } from './modules.js';

type Modules = { readonly chain: Pick<PoolsModules['chain'], 'state'> };

/** @see docs/protocol/oracles-governance.md 6.5 */
export const listLoanTokenLiquidity: Handler<Modules, ListLoanTokenLiquidityRequest, ListLoanTokenLiquidityResponse> = ({
  chain: { state },
}) => {
  const dollar = tokenBySymbol(state, 'DUSD');
  if (!dollar) return { ways: [] };
  const share = futureShare(storedAttributes(state));
  return {
    ways: [...state.entries(poolAverages)].flatMap(([way, liquidity]): SwapLiquidity[] => {
      const source = getToken(state, way.source);
      const destination = getToken(state, way.destination);
      if (!source || !destination) return [];
      const limit = multiplyAmounts(liquidity, share);
      const remaining = low64(limit - pendingAmount(state, way, dollar.id));
      const amounts = { liquidity: formatAmount(liquidity), limit: formatAmount(limit), remaining: formatAmount(remaining) };
      return [{ way: { [`${readableText(source.symbol)}-${readableText(destination.symbol)}`]: amounts } }];
    }),
  };
};

/** Amount that pending future swaps move this way; swaps without a destination go to DUSD. */
function pendingAmount(view: StateView, { source, destination }: SwapDirection, dollarId: number): bigint {
  return listFutures(view, 'dfip2203')
    .filter(([, swap]) => swap.source.tokenId === source && (swap.destination || dollarId) === destination)
    .reduce((sum, [, swap]) => sum + swap.source.amount, 0n);
}
