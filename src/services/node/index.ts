import type { NodeServiceServer } from '../../../gen/ts/dfi/node/v1/node.js';
import type { Handlers } from '../../rpc/handler.js';
import { validateAddress } from './addresses.js';
import { generateToAddress, invalidateBlock, reconsiderBlock } from './blocks.js';
import { getMemoryInfo, getRpcInfo, help, logging, setMockTime, stop, syncWithValidationInterfaceQueue, uptime } from './control.js';
import { deriveAddresses, getDescriptorInfo } from './descriptors.js';
import { echo, echoJson } from './echo.js';
import { estimateSmartFee } from './fees.js';
import { signMessageWithPrivKey, verifyMessage } from './messages.js';
import type { NodeModules } from './modules.js';
import { createMultisig } from './multisig.js';
import { ping } from './network.js';
import { getVersionInfo } from './version.js';
import { waitForBlock, waitForBlockHeight, waitForNewBlock } from './wait.js';

export type { NodeModules, ProcessControl } from './modules.js';

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'addNode'
  | 'clearBanned'
  | 'createMasternode'
  | 'decodeCustomTx'
  | 'disconnectNode'
  | 'getActiveMasternodeCount'
  | 'getAddedNodeInfo'
  | 'getAnchorTeams'
  | 'getConnectionCount'
  | 'getCustomTx'
  | 'getMasternode'
  | 'getMasternodeBlocks'
  | 'getNetTotals'
  | 'getNetworkInfo'
  | 'getNodeAddresses'
  | 'getPeerInfo'
  | 'getRpcStats'
  | 'getToken'
  | 'getZmqNotifications'
  | 'listAnchors'
  | 'listBanned'
  | 'listMasternodes'
  | 'listRpcStats'
  | 'listTokens'
  | 'resignMasternode'
  | 'setBan'
  | 'setMockCheckpoint'
  | 'setNetworkActive'
  | 'spvFundAddress'
  | 'spvListAnchorAuths'
  | 'spvListAnchorRewardConfirms'
  | 'spvSetLastHeight'
  | 'updateMasternode';

export const nodeHandlers = {
  createMultisig,
  deriveAddresses,
  echo,
  echoJson,
  estimateSmartFee,
  generateToAddress,
  getDescriptorInfo,
  getMemoryInfo,
  getRpcInfo,
  getVersionInfo,
  help,
  invalidateBlock,
  logging,
  ping,
  reconsiderBlock,
  setMockTime,
  signMessageWithPrivKey,
  stop,
  syncWithValidationInterfaceQueue,
  uptime,
  validateAddress,
  verifyMessage,
  waitForBlock,
  waitForBlockHeight,
  waitForNewBlock,
} satisfies Handlers<NodeServiceServer, NodeModules, NotBuilt>;
