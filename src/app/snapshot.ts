import { chainColumns } from '../chain/database.js';
import type { Config } from '../config/config.js';
import { dfiColumns } from '../dfi/execution/all-columns.js';
import { SnapshotExports } from '../snapshot/exports.js';
import { STATE_OPTIONS, type StateOption } from '../snapshot/format.js';
import type { AnyColumn } from '../storage/view.js';
import type { ServiceNeeds } from './services.js';
import type { StartedNode } from './started-node.js';

/** Columns of the chain and its state: those of a snapshot are among them. */
export const stateColumns: readonly AnyColumn[] = [...chainColumns, ...dfiColumns];

/** Options of this node that decide which rows its state has. */
export function stateOptions({ chain, network }: Config): readonly StateOption[] {
  const isSet: Readonly<Record<StateOption, boolean>> = {
    acindex: chain.accountIndex,
    vaultindex: chain.vaultIndex,
    dexstats: network.keepsSwapTotals ?? false,
    negativeinterest: network.keepsNegativeInterest ?? false,
  };
  return STATE_OPTIONS.filter((option) => isSet[option]);
}

/** Exports of snapshots by a running node. */
export function snapshotExports({ chain }: Pick<StartedNode, 'chain'>, { config, log, process }: ServiceNeeds): SnapshotExports {
  return new SnapshotExports({
    snapshot: () => chain.snapshot(),
    columns: stateColumns,
    options: stateOptions(config),
    log: log.child('snapshot'),
    signal: process.stopping,
  });
}
