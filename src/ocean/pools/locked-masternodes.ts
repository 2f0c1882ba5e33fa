import { masternodes, masternodeTimelocks } from '../../dfi/masternodes/columns.js';
import { isActive } from '../../params/network.js';
import type { OceanChain } from '../modules.js';

/** Masternodes with one timelock that did not resign. */
export interface LockedMasternodes {
  readonly weeks: number;
  readonly count: number;
  /** Satoshis. */
  readonly collateral: bigint;
}

/** By timelock, the shortest first. @see docs/protocol/ocean.md 3.3.9 */
export function lockedMasternodes({ state, params }: Pick<OceanChain, 'state' | 'params'>): LockedMasternodes[] {
  const byWeeks = new Map<number, LockedMasternodes>();
  const timelocks = new Map([...state.entries(masternodeTimelocks)].map(([id, weeks]) => [Buffer.from(id).toString('latin1'), weeks]));
  for (const [id, { creationHeight, resignHeight }] of state.entries(masternodes)) {
    if (resignHeight >= 0) continue;
    const weeks = timelocks.get(Buffer.from(id).toString('latin1')) ?? 0;
    const { collateral, collateralDakota } = params.masternode;
    const own = isActive(params, 'dakota', creationHeight) ? collateralDakota : collateral;
    const { count, collateral: sum } = byWeeks.get(weeks) ?? { count: 0, collateral: 0n };
    byWeeks.set(weeks, { weeks, count: count + 1, collateral: sum + own });
  }
  return [...byWeeks.values()].sort((a, b) => a.weeks - b.weeks);
}
