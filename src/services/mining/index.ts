import type { MiningServiceServer } from '../../../gen/ts/dfi/mining/v1/mining.js';
import type { Handlers } from '../../rpc/handler.js';
import { getNetworkHashPs } from './hash-rate.js';
import { getMiningInfo, getMintingInfo } from './info.js';
import type { MiningModules } from './modules.js';
import { prioritiseTransaction } from './priority.js';
import { submitBlock, submitHeader } from './submit.js';
import { getBlockTemplate } from './template.js';

export type { MiningModules } from './modules.js';

export const miningHandlers = {
  getBlockTemplate,
  getMiningInfo,
  getMintingInfo,
  getNetworkHashPs,
  prioritiseTransaction,
  submitBlock,
  submitHeader,
} satisfies Handlers<MiningServiceServer, MiningModules>;
