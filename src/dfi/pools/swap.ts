import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { INT64_MAX } from '../../util/numbers.js';
import { Accounts } from '../accounts/columns.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { isTokenLocked } from '../attributes/features.js';
import { attributeAt } from '../attributes/path.js';
import type { TokenAmount } from '../kernel/amounts.js';
import type { HeightContext } from '../kernel/block-context.js';
import { divide } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken, tokenBySymbol } from '../tokens/columns.js';
import { type PoolPair, poolByTokens, poolOf, putHoldings } from './columns.js';
import { type PoolPrice, type PoolSwapResult, priceNumber, swapInPool } from './curve.js';
import { dexFees } from './fees.js';
import { addToSwapTotals } from './swap-totals.js';

/** Parties, tokens and amount of a swap. */
export interface Swap {
  readonly from: Uint8Array;
  readonly tokenFrom: number;
  readonly amountFrom: bigint;
  readonly to: Uint8Array;
  readonly tokenTo: number;
  readonly maxPrice: PoolPrice;
}

/** One pool of a path and its result. */
export interface SwapStep extends PoolSwapResult {
  readonly poolId: number;
  readonly before: PoolPair;
  readonly paid: TokenAmount;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Callbacks for the steps of a swap. */
interface SwapWatcher {
  /** Called before the first pool, once it is known. */
  begin?(): void;
  /** Called before a pool is read. */
  readonly enter?: EnterPool | undefined;
  /** Called with the result of each pool. */
  step?(step: SwapStep): void;
}

/** Called with the id of each pool that a swap reaches. */
export type EnterPool = (poolId: number) => void;

/** Largest number of pools in a path, from Fort Canning Hill on. */
const MAX_POOLS = 3;
/** Largest amount of DFI in whole coins, and largest meaningful price, from Metachain on. */
const HIGHEST_WHOLE = 1_200_000_000n;

/** Price limit that never applies. */
export function noMaxPrice({ height, params }: HeightContext): PoolPrice {
  return isActive(params, 'metachain', height) ? { integer: HIGHEST_WHOLE, fraction: 0n } : { integer: INT64_MAX, fraction: INT64_MAX };
}

function limitsNothing({ integer, fraction }: PoolPrice, { height, params }: HeightContext): boolean {
  if (!isActive(params, 'metachain', height)) return integer === INT64_MAX && fraction === INT64_MAX;
  return integer > HIGHEST_WHOLE || (integer === HIGHEST_WHOLE && fraction >= 0n);
}

/**
 * Swaps along a path of pools and updates balances and pools. The history includes the amount paid to the first pool, the amount paid
 * out by the last, and fees. A failed swap leaves its earlier steps in the view: the caller must drop it.
 * @param path ids of pools; empty for the pool of the two tokens
 * @returns satoshis of the last pool's token that were paid out
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 2.7
 */
export function swapTokens(accounts: Accounts, swap: Swap, path: readonly number[], at: HeightContext, enter?: EnterPool): bigint {
  const { view } = accounts;
  const { from, to } = swap;
  const hidden = new Accounts(view);
  const toSelf = to.length === 0 && isActive(at.params, 'grandCentral', at.height);
  const steps: SwapStep[] = [];
  const received = follow(view, swap, path, at, {
    enter,
    begin() {
      materialiseRewards(view, from, at);
      materialiseRewards(view, to, at);
    },
    step(step) {
      const { poolId, pool, paid, out, burntIn, burntOut, isFirst, isLast } = step;
      steps.push(step);
      putHoldings(view, poolId, at.height, pool, true);
      (isFirst ? accounts : hidden).sub(from, paid);
      if (isLast) accounts.add(toSelf ? from : to, out);
      else hidden.add(from, out);
      const { burn } = at.params.scripts;
      accounts.add(burn, { tokenId: paid.tokenId, amount: burntIn });
      accounts.add(burn, { tokenId: out.tokenId, amount: burntOut });
    },
  });
  if (at.params.keepsSwapTotals) addToSwapTotals(view, steps, equalBytes(to, at.params.scripts.burn));
  return received;
}

/**
 * Result of a swap in satoshis, without any change. A path that contains a pool twice therefore uses its unchanged reserves twice.
 * @throws {TxRejected}
 */
export function quoteSwap(view: StateView, swap: Swap, path: readonly number[], at: HeightContext, enter?: EnterPool): bigint {
  return follow(view, swap, path, at, { enter });
}

interface FollowedPools {
  readonly ids: readonly number[];
  readonly limit: PoolPrice;
}

function follow(view: StateView, swap: Swap, path: readonly number[], at: HeightContext, watcher: SwapWatcher): bigint {
  const { height, params } = at;
  const { tokenFrom, tokenTo, amountFrom } = swap;
  if (amountFrom <= 0n) throw new TxRejected('Input amount should be positive');
  const isHill = isActive(params, 'fortCanningHill', height);
  const { ids, limit } = poolsToFollow(view, swap, path, at);
  watcher.begin?.();
  let paid: TokenAmount = { tokenId: tokenFrom, amount: amountFrom };
  for (const [i, poolId] of ids.entries()) {
    watcher.enter?.(poolId);
    const pool = poolOf(view, poolId);
    if (!pool) throw new TxRejected('Cannot find the pool pair.');
    const isLast = i === ids.length - 1;
    if (isHill && isLast) requireEnd(swap, paid, pool);
    if (isTokenLocked(view, pool.tokenA) || isTokenLocked(view, pool.tokenB)) {
      throw new TxRejected('Pool currently disabled due to locked token');
    }
    const result = swapInPool(pool, paid, { fees: dexFees(view, poolId, pool, paid.tokenId), limit, height, params });
    watcher.step?.({ ...result, poolId, before: pool, paid, isFirst: i === 0, isLast });
    paid = result.out;
  }
  if (isActive(params, 'grandCentral', height) && paid.tokenId !== tokenTo) {
    throw new TxRejected('Final swap output is not same as idTokenTo');
  }
  requireTotalPrice(swap, paid.amount, at);
  return paid.amount;
}

/**
 * Pools of a path, or the direct pool if there is none, with the maximum price for each of them.
 * Within a path only the total has a maximum price.
 * @throws {TxRejected}
 */
function poolsToFollow(view: StateView, { tokenFrom, tokenTo, maxPrice }: Swap, path: readonly number[], at: HeightContext): FollowedPools {
  const { height, params } = at;
  const ids = isActive(params, 'fortCanning', height) ? path : [];
  if (ids.length > MAX_POOLS && isActive(params, 'fortCanningHill', height)) {
    throw new TxRejected(`Too many pool IDs provided, max ${MAX_POOLS} allowed, ${ids.length} provided`);
  }
  if (ids.length > 0) return { ids, limit: noMaxPrice(at) };
  const direct = poolByTokens(view, tokenFrom, tokenTo);
  if (!direct) throw new TxRejected('Cannot find the pool pair.');
  return { ids: [direct.id], limit: maxPrice };
}

/** @param received satoshis of the last pool @throws {TxRejected} from Fort Canning on, if the whole path costs more than the maximum price */
function requireTotalPrice({ amountFrom, maxPrice }: Swap, received: bigint, at: HeightContext): void {
  if (!isActive(at.params, 'fortCanning', at.height) || limitsNothing(maxPrice, at) || received === 0n) return;
  if (divide(amountFrom * COIN, received) > priceNumber(maxPrice)) throw new TxRejected('Price is higher than indicated.');
}

function requireEnd({ tokenTo }: Swap, paid: TokenAmount, { tokenA, tokenB }: { readonly tokenA: number; readonly tokenB: number }): void {
  if (tokenTo === paid.tokenId) throw new TxRejected('Final swap should have idTokenTo as destination, not source');
  if (tokenA !== tokenTo && tokenB !== tokenTo) {
    throw new TxRejected('Final swap pool should have idTokenTo, incorrect final pool ID provided');
  }
}

const BURN_DUSD = attributeAt('v0/params/dfip2206a/dusd_interest_burn');

/**
 * Swaps tokens that loans and auctions charge into DFI, through DUSD, for burning or keeping. A swap to the burn address ends with DUSD
 * if an attribute asks to burn interest in DUSD, unless `forced`.
 * @throws {TxRejected} with the effects of earlier steps in the view; block events ignore the error
 * @see docs/protocol/defi.md 2.7
 */
export function swapToBurnable(
  accounts: Accounts,
  { tokenId, amount }: TokenAmount,
  { from, to, forced = false }: { readonly from: Uint8Array; readonly to: Uint8Array; readonly forced?: boolean },
  at: HeightContext,
): void {
  const { view } = accounts;
  const token = getToken(view, tokenId);
  if (!token) throw new TxRejected(`Cannot find token with id ${tokenId}!`);
  const dusd = tokenBySymbol(view, 'DUSD');
  if (!dusd) throw new TxRejected('Cannot find token DUSD');
  const mayBurn = !forced && equalBytes(to, at.params.scripts.burn);
  const burnsDusd = mayBurn && (valueAs(storedAttributes(view), BURN_DUSD, 'bool') ?? false);
  const swap: Swap = { from, to, tokenFrom: tokenId, amountFrom: amount, tokenTo: 0, maxPrice: noMaxPrice(at) };
  if (tokenId === dusd.id) {
    if (burnsDusd) {
      accounts.sub(from, { tokenId, amount });
      accounts.add(to, { tokenId, amount });
    } else swapTokens(accounts, swap, [], at);
    return;
  }
  const last = poolByTokens(view, dusd.id, 0);
  if (!last) throw new TxRejected('Cannot find pool pair DUSD-DFI!');
  const first = poolByTokens(view, tokenId, dusd.id);
  if (!first) throw new TxRejected(`Cannot find pool pair ${token.symbol}-DUSD!`);
  if (burnsDusd) swapTokens(accounts, { ...swap, tokenTo: dusd.id }, [], at);
  else swapTokens(accounts, swap, [first.id, last.id], at);
}
