import type { WritableView } from '../../storage/view.js';
import { valueAs } from '../attributes/attributes.js';
import { liveKey, storedTotals } from '../attributes/live-totals.js';
import type { DexFlow, DexPool } from '../attributes/value.js';
import type { SwapStep } from './swap.js';

const DEX = liveKey('dex');
const NO_FLOW: DexFlow = { swaps: 0n, feeBurn: 0n, commissions: 0n };

/**
 * Adds a swap to the totals of its pools, which are informational attributes. No rule reads them.
 * @param burnsResult the amount paid out at the end is burnt too
 */
export function addToSwapTotals(view: WritableView, steps: readonly SwapStep[], burnsResult: boolean): void {
  const totals = storedTotals(view);
  const pools = new Map((valueAs(totals, DEX, 'dex') ?? []).map((each) => [each.pool, each]));
  for (const step of steps) pools.set(step.poolId, withStep(pools.get(step.poolId), step, burnsResult && step.isLast));
  totals.set(DEX, { kind: 'dex', value: [...pools.values()].sort((a, b) => a.pool - b.pool) });
}

function withStep(known: DexPool | undefined, step: SwapStep, burnsResult: boolean): DexPool {
  const { poolId, before, pool, paid, out, burntIn, burntOut } = step;
  const { a, b } = known ?? { a: NO_FLOW, b: NO_FLOW };
  const forward = paid.tokenId === pool.tokenA;
  const [from, to] = forward ? [a, b] : [b, a];
  const wentIn = forward ? pool.reserveA - before.reserveA : pool.reserveB - before.reserveB;
  const commission = forward ? pool.commissionA - before.commissionA : pool.commissionB - before.commissionB;
  const paidIn: DexFlow = {
    swaps: from.swaps + wentIn,
    feeBurn: from.feeBurn + burntIn,
    commissions: from.commissions + commission,
  };
  const paidOut: DexFlow = { ...to, feeBurn: to.feeBurn + burntOut + (burnsResult ? out.amount : 0n) };
  return { pool: poolId, a: forward ? paidIn : paidOut, b: forward ? paidOut : paidIn };
}
