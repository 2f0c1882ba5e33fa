import { i64, struct, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { type AttributeSource, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';

/** Direction of a swap in a pool: the token paid and the token received. */
export interface SwapDirection {
  readonly source: number;
  readonly destination: number;
}

export interface SampleKey extends SwapDirection {
  readonly height: number;
}

const way = { source: u32be, destination: u32be };

/** Reserves of the source token in pools of DUSD and a loan token, by height, oldest first. In satoshis. */
export const poolSamples: Column<SampleKey, bigint> = {
  name: 'dfi/pool-sample',
  key: struct<SampleKey>({ height: u32be, ...way }),
  value: i64,
};

/** Averages of those samples in satoshis, as of the last settlement block of futures. */
export const poolAverages: Column<SwapDirection, bigint> = { name: 'dfi/pool-average', key: struct<SwapDirection>(way), value: i64 };

/** Columns of the samples of pool reserves and their averages. */
export const poolAverageColumns: readonly AnyColumn[] = [poolSamples, poolAverages];

/** Limit on the part of a pool that futures may move. Periods are in blocks. */
export interface FutureLimit {
  readonly samplingPeriod: number;
  readonly period: number;
  /** Share of the average, scaled by COIN. */
  readonly share: bigint;
}

const DEFAULT_SAMPLING_PERIOD = 120n;
const DEFAULT_PERIOD = 28n * 2880n;
const DEFAULT_SHARE = 10_000_000n;

/** Undefined while futures are not limited. @see docs/protocol/oracles-governance.md 6.5 */
export function futureLimit(source: AttributeSource): FutureLimit | undefined {
  const amount = (name: string) => valueAs(source, attributeAt(`v0/params/dfip2211f/${name}`), 'amount');
  if (!(valueAs(source, attributeAt('v0/params/dfip2211f/active'), 'bool') ?? false)) return undefined;
  return {
    samplingPeriod: Number(amount('liquidity_calc_sampling_period') ?? DEFAULT_SAMPLING_PERIOD),
    period: Number(amount('block_period') ?? DEFAULT_PERIOD),
    share: futureShare(source),
  };
}

/** Share of an average that futures may move, scaled by COIN; also while the limit is off. */
export function futureShare(source: AttributeSource): bigint {
  return valueAs(source, attributeAt('v0/params/dfip2211f/average_liquidity_percentage'), 'amount') ?? DEFAULT_SHARE;
}

/** Average reserve of the source token in satoshis; undefined if there is none. */
export function poolAverage(view: StateView, swap: SwapDirection): bigint | undefined {
  return view.get(poolAverages, swap);
}

/** Deletes all samples and averages. */
export function deletePoolAverages(view: WritableView): void {
  for (const [key] of [...view.entries(poolSamples)]) view.delete(poolSamples, key);
  for (const [key] of [...view.entries(poolAverages)]) view.delete(poolAverages, key);
}
