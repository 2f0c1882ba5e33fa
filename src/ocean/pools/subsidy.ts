import { blockSubsidy } from '../../consensus/subsidy.js';
import type { NetworkParams } from '../../params/network.js';
import { LIVE_SUBSIDY } from '../../params/shared.js';
import { Decimal } from './decimal.js';

// The emission that wallets show: the schedule of mainnet, by which not all development networks pay.

/** Heights of Eunos and coins of genesis by which the satoshi table of a network is made. */
interface Schedule {
  readonly eunos: number;
  /** Satoshis. */
  readonly genesis: bigint;
}

const MAIN_SCHEDULE: Schedule = { eunos: 894_000, genesis: 59_100_003_000_000_000n };
const OTHER_SCHEDULE: Schedule = { eunos: 354_950, genesis: 30_400_004_000_000_000n };

/** Decimals of the relative reduction, and the reduction at which the emission ends. */
const REDUCTION_DECIMALS = 5;
const LAST_REDUCTION = new Decimal(1n, 5);

/**
 * Emission of the block at that height by the satoshi table; of genesis all coins that it made.
 * @returns satoshis
 * @see docs/protocol/ocean.md 3.3.1
 */
export function tabledSubsidy(height: number, params: NetworkParams): bigint {
  const { eunos, genesis } = params.name === 'main' ? MAIN_SCHEDULE : OTHER_SCHEDULE;
  if (height === 0) return genesis;
  return blockSubsidy(height, { ...params, upgrades: { ...params.upgrades, eunos }, subsidy: LIVE_SUBSIDY });
}

/**
 * Emission of the block at that height in DFI, reduced without rounding. Below Eunos it is that of Eunos.
 * @see docs/protocol/ocean.md 3.3.1
 */
export function unroundedSubsidy(height: number, { upgrades }: Pick<NetworkParams, 'upgrades'>): Decimal {
  const { reducedBase, reductionAmount, reductionPeriod } = LIVE_SUBSIDY;
  const share = new Decimal(reductionAmount, REDUCTION_DECIMALS);
  let emission = Decimal.ofAmount(reducedBase);
  for (let periods = Math.floor((height - upgrades.eunos) / reductionPeriod); periods > 0; periods--) {
    const reduction = emission.times(share);
    if (reduction.minus(LAST_REDUCTION).units <= 0n) return Decimal.ZERO;
    emission = emission.minus(reduction);
  }
  return emission;
}
