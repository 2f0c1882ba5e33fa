import type { DevServiceServer } from '../../../gen/ts/dfi/dev/v1/dev.js';
import type { Handlers } from '../../rpc/handler.js';
import { setBalance, setPrice } from './changes.js';
import { impersonate } from './impersonation.js';
import { mine, setAutomine, setIntervalMining } from './mining.js';
import type { DevModules } from './modules.js';
import { dumpState, loadState, revert, snapshot } from './snapshots.js';
import { advanceTime, setNextBlockTime, setTime } from './time.js';

export const devHandlers = {
  advanceTime,
  dumpState,
  impersonate,
  loadState,
  mine,
  revert,
  setAutomine,
  setBalance,
  setIntervalMining,
  setNextBlockTime,
  setPrice,
  setTime,
  snapshot,
} satisfies Handlers<DevServiceServer, DevModules>;
