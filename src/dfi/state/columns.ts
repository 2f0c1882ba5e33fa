import type { AnyColumn } from '../../storage/view.js';
import {
  masternodeOperators,
  masternodeOwners,
  masternodes,
  masternodeTimelocks,
  newCollaterals,
  pendingUpdates,
  stakerTimes,
  subNodeTimes,
} from './masternodes.js';

/** Every column of the DeFi state, for opening the store. */
export const dfiColumns: readonly AnyColumn[] = [
  masternodes,
  masternodeOperators,
  masternodeOwners,
  masternodeTimelocks,
  newCollaterals,
  pendingUpdates,
  stakerTimes,
  subNodeTimes,
];
