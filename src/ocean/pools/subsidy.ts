import type { NetworkParams } from '../../params/network.js';
import { LIVE_SUBSIDY } from '../../params/shared.js';
import { Decimal } from './decimal.js';

/** Decimals of the relative reduction, and the reduction at which the emission ends. */
const REDUCTION_DECIMALS = 5;
const LAST_REDUCTION = new Decimal(1n, 5);

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
