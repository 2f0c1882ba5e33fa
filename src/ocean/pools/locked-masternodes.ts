import { masternodes, masternodeTimelocks } from '../../dfi/masternodes/columns.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import { byteText } from '../../util/bytes.js';
import { Slicer, type Steps } from '../../util/slicer.js';
import type { OceanChain } from '../modules.js';

/** Masternodes with one timelock that did not resign. */
export interface LockedMasternodes {
  readonly weeks: number;
  readonly count: number;
  /** Satoshis. */
  readonly collateral: bigint;
}

/** By timelock, the shortest first. Reading all masternodes of mainnet takes several turns. @see docs/protocol/ocean.md 3.3.9 */
export async function lockedMasternodes(chain: Pick<OceanChain, 'snapshot' | 'params'>): Promise<readonly LockedMasternodes[]> {
  const snapshot = chain.snapshot();
  try {
    return await new Slicer().run(inSteps(snapshot, chain.params));
  } finally {
    snapshot.close();
  }
}

function* inSteps(state: StateView, params: NetworkParams): Steps<LockedMasternodes[]> {
  const timelocks = new Map<string, number>();
  for (const [id, weeks] of state.entries(masternodeTimelocks)) {
    timelocks.set(byteText(id), weeks);
    yield;
  }
  const byWeeks = new Map<number, LockedMasternodes>();
  const { collateral, collateralDakota } = params.masternode;
  for (const [id, { creationHeight, resignHeight }] of state.entries(masternodes)) {
    yield;
    if (resignHeight >= 0) continue;
    const weeks = timelocks.get(byteText(id)) ?? 0;
    const own = isActive(params, 'dakota', creationHeight) ? collateralDakota : collateral;
    const { count, collateral: sum } = byWeeks.get(weeks) ?? { count: 0, collateral: 0n };
    byWeeks.set(weeks, { weeks, count: count + 1, collateral: sum + own });
  }
  return [...byWeeks.values()].sort((a, b) => a.weeks - b.weeks);
}
