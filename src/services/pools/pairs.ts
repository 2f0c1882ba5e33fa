import type {
  GetPoolPairRequest,
  GetPoolPairResponse,
  ListPoolPairsRequest,
  ListPoolPairsResponse,
  PoolPair as ShownPool,
  PoolPrice as ShownPrice,
} from '../../../gen/ts/dfi/node/v1/pools.js';
import { readState } from '../../chain/read-state.js';
import { balanceOf } from '../../dfi/accounts/columns.js';
import { multiplyDivide } from '../../dfi/kernel/math.js';
import { readableText } from '../../dfi/kernel/text.js';
import { type IdentifiedPool, type PoolPair, poolOf, pools } from '../../dfi/pools/columns.js';
import { isLargeEnough } from '../../dfi/pools/curve.js';
import { dexFeeOf } from '../../dfi/pools/fee-columns.js';
import { chargesFee } from '../../dfi/pools/fees.js';
import { rewardsOf } from '../../dfi/pools/reward-columns.js';
import { getToken, type Token } from '../../dfi/tokens/columns.js';
import { findTokenByText } from '../../dfi/tokens/queries.js';
import type { NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { cacheJson } from '../../rpc/write.js';
import { Projection } from '../../storage/projection.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import { formatTokenAmount } from '../format/amounts.js';
import { looseFlag, strictFlag } from '../format/options-object.js';
import { formatOwner } from '../format/owner.js';
import { firstId, pageLimit } from '../format/page.js';
import type { PoolsModules } from './modules.js';

type Modules = { readonly chain: Pick<PoolsModules['chain'], 'params' | 'state'> };
type ListModules = { readonly chain: Pick<PoolsModules['chain'], 'params' | 'state' | 'snapshot'> };

export const listPoolPairs: Handler<ListModules, ListPoolPairsRequest, ListPoolPairsResponse> = ({ chain }, request, call) => {
  const verbose = strictFlag(request, 'verbose') ?? true;
  const limit = pageLimit(request.limit);
  const from = firstId(request);
  return readState(chain, call, function* answer(state) {
    const shown: Record<number, ShownPool> = {};
    let count = 0;
    for (const found of pools(state, from)) {
      if (count >= limit) break;
      yield;
      const token = getToken(state, found.id);
      if (!token) continue;
      shown[found.id] = describe(state, found, token, chain.params, verbose);
      count += 1;
    }
    return { pools: shown };
  });
};

export const getPoolPair: Handler<Modules, GetPoolPairRequest, GetPoolPairResponse> = ({ chain }, request) => {
  const { state, params } = chain;
  const found = findTokenByText(state, request.key);
  const pool = found && poolOf(state, found.id);
  if (!found || !pool) throw new NodeError('not-found', 'Pool not found');
  return { pools: { [found.id]: describe(state, { id: found.id, pool }, found.token, params, looseFlag(request, 'verbose') ?? true) } };
};

/** Pools that are kept in the form in which operations show them. */
const KEPT_POOLS = 500;
const shownPools = new Projection<ShownPool>(KEPT_POOLS);

function describe(state: StateView, { id, pool }: IdentifiedPool, token: Token, params: NetworkParams, verbose: boolean): ShownPool {
  return shownPools.of(state, `${id} ${verbose}`, (view) => {
    const found = { id, pool: poolOf(view, id) ?? pool };
    return cacheJson(describeNow(view, found, getToken(view, id) ?? token, params, verbose));
  });
}

function describeNow(view: StateView, found: IdentifiedPool, token: Token, params: NetworkParams, verbose: boolean): ShownPool {
  const { pool } = found;
  const names: ShownPool = {
    symbol: readableText(token.symbol),
    name: readableText(token.name),
    status: pool.status,
    idtokena: String(pool.tokenA),
    idtokenb: String(pool.tokenB),
    priceA: undefined,
    priceB: undefined,
    customrewards: undefined,
  };
  return verbose ? Object.assign(names, feesOf(view, found), holdingsOf(view, found, params)) : names;
}

type Fees = Pick<
  ShownPool,
  'dexfeepcttokena' | 'dexfeeinpcttokena' | 'dexfeeoutpcttokena' | 'dexfeepcttokenb' | 'dexfeeinpcttokenb' | 'dexfeeoutpcttokenb'
>;

/** Fees above 0. Those by direction only if the pool charges the token in that direction. */
function feesOf(view: StateView, { id, pool: { tokenA, tokenB } }: IdentifiedPool): Fees {
  const inA = dexFeeOf(view, 'in', id, tokenA);
  const outA = dexFeeOf(view, 'out', id, tokenA);
  const inB = dexFeeOf(view, 'in', id, tokenB);
  const outB = dexFeeOf(view, 'out', id, tokenB);
  return {
    dexfeepcttokena: inA > 0n ? inA : undefined,
    dexfeepcttokenb: outB > 0n ? outB : undefined,
    dexfeeinpcttokena: inA > 0n && chargesFee(view, id, 'a', 'in') ? inA : undefined,
    dexfeeoutpcttokena: outA > 0n && chargesFee(view, id, 'a', 'out') ? outA : undefined,
    dexfeeinpcttokenb: inB > 0n && chargesFee(view, id, 'b', 'in') ? inB : undefined,
    dexfeeoutpcttokenb: outB > 0n && chargesFee(view, id, 'b', 'out') ? outB : undefined,
  };
}

function holdingsOf(view: StateView, { id, pool }: IdentifiedPool, params: NetworkParams): Partial<ShownPool> {
  const { reserveA, reserveB } = pool;
  const { share = 0n, loanShare = 0n } = rewardsOf(view, id);
  return {
    reservea: reserveA,
    reserveb: reserveB,
    commission: pool.commission,
    totalliquidity: pool.totalLiquidity,
    priceA: priceOf(reserveA, reserveB),
    priceB: priceOf(reserveB, reserveA),
    tradeenabled: isLargeEnough(pool),
    owneraddress: formatOwner(pool.owner, params),
    blockcommissiona: pool.commissionA,
    blockcommissionb: pool.commissionB,
    rewardpct: share,
    rewardloanpct: loanShare,
    customrewards: customRewards(view, pool),
    creationtx: formatHash(pool.creationTx),
    creationheight: BigInt(pool.creationHeight),
  };
}

function priceOf(reserve: bigint, other: bigint): ShownPrice {
  if (other === 0n) return { form: { $case: 'none', value: '0' } };
  return { form: { $case: 'price', value: multiplyDivide(reserve, COIN, other) } };
}

function customRewards(view: StateView, { owner, rewards }: PoolPair): ShownPool['customrewards'] {
  const affordable = rewards.filter(({ tokenId, amount }) => balanceOf(view, owner, tokenId) >= amount);
  if (affordable.length === 0) return undefined;
  return { amounts: affordable.map((amount) => formatTokenAmount(view, amount, 'id')) };
}
