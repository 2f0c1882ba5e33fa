import { isActive } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes } from '../attributes/attributes.js';
import type { BlockEventContext } from '../context/block-event.js';
import { divide, low64 } from '../kernel/math.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { type FutureLimit, futureLimit, poolAverages, poolSamples, type SwapDirection } from './average-columns.js';
import { pools } from './columns.js';

/** Below this height a swap above the limit was accepted on the test network. */
const FIRST_TEST_HEIGHT = 1_520_000;

/**
 * Samples the reserves of pools of DUSD and a loan token at the end of each sampling period. In a settlement block of futures it also
 * updates the averages.
 * @param loanTokens tokens with future swaps
 * @param isSettlement true in a settlement block of futures
 * @see docs/protocol/oracles-governance.md 6.5
 */
export function samplePools(context: BlockEventContext, loanTokens: readonly number[], isSettlement: boolean): void {
  const { view, height, params } = context;
  if (!isActive(params, 'df23', height) || (params.name === 'test' && height < FIRST_TEST_HEIGHT)) return;
  const limit = futureLimit(storedAttributes(view));
  const dollar = tokenBySymbol(view, 'DUSD');
  if (!limit || !dollar || (height - params.upgrades.df23) % limit.samplingPeriod !== 0) return;
  const sampled = new Set(loanTokens.filter((id) => id !== dollar.id));
  for (const { pool } of pools(view)) {
    const { tokenA, tokenB, reserveA, reserveB } = pool;
    const isDollarPool = tokenA === dollar.id || tokenB === dollar.id;
    if (!isDollarPool || (!sampled.has(tokenA) && !sampled.has(tokenB))) continue;
    view.put(poolSamples, { height, source: tokenA, destination: tokenB }, reserveA);
    view.put(poolSamples, { height, source: tokenB, destination: tokenA }, reserveB);
  }
  deleteOldSamples(context, limit);
  if (isSettlement) updateAverages(context, limit);
}

function deleteOldSamples({ view, height }: BlockEventContext, { period }: FutureLimit): void {
  const old = [];
  for (const [key] of view.entries(poolSamples)) {
    if (key.height > height - period) break;
    old.push(key);
  }
  for (const key of old) view.delete(poolSamples, key);
}

/** A direction with fewer samples than a full period has no average. */
function updateAverages({ view }: BlockEventContext, { period, samplingPeriod }: FutureLimit): void {
  const expected = Math.floor(period / samplingPeriod);
  for (const { way, samples } of samplesByWay(view)) {
    if (samples.length < expected) view.delete(poolAverages, way);
    else view.put(poolAverages, way, low64(divide(sumOf(samples), BigInt(expected))));
  }
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, each) => sum + each, 0n);
}

interface Samples {
  readonly way: SwapDirection;
  readonly samples: bigint[];
}

function samplesByWay(view: StateView): Iterable<Samples> {
  const found = new Map<string, Samples>();
  for (const [{ source, destination }, reserve] of view.entries(poolSamples)) {
    const key = `${source}/${destination}`;
    const own = found.get(key) ?? { way: { source, destination }, samples: [] };
    own.samples.push(reserve);
    found.set(key, own);
  }
  return found.values();
}
