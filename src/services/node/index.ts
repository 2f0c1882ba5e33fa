import type { NodeServiceServer } from '../../../gen/ts/dfi/node/v1/node.js';
import type { Handlers } from '../../rpc/handler.js';
import { validateAddress } from './addresses.js';
import { generateToAddress, invalidateBlock, reconsiderBlock } from './blocks.js';
import { getMemoryInfo, getRpcInfo, help, logging, setMockTime, stop, syncWithValidationInterfaceQueue, uptime } from './control.js';
import { echo, echoJson } from './echo.js';
import type { NodeModules } from './modules.js';
import { ping } from './network.js';
import { getVersionInfo } from './version.js';
import { waitForBlock, waitForBlockHeight, waitForNewBlock } from './wait.js';

export type { NodeModules, ProcessControl } from './modules.js';

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'addNode'
  | 'clearBanned'
  | 'createMasternode'
  | 'createMultisig'
  | 'decodeCustomTx'
  | 'deriveAddresses'
  | 'disconnectNode'
  | 'estimateSmartFee'
  | 'getActiveMasternodeCount'
  | 'getAddedNodeInfo'
  | 'getAnchorTeams'
  | 'getConnectionCount'
  | 'getCustomTx'
  | 'getDescriptorInfo'
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
  | 'signMessageWithPrivKey'
  | 'spvFundAddress'
  | 'spvListAnchorAuths'
  | 'spvListAnchorRewardConfirms'
  | 'spvSetLastHeight'
  | 'updateMasternode'
  | 'verifyMessage';

export const nodeHandlers = {
  echo,
  echoJson,
  generateToAddress,
  getMemoryInfo,
  getRpcInfo,
  getVersionInfo,
  help,
  invalidateBlock,
  logging,
  ping,
  reconsiderBlock,
  setMockTime,
  stop,
  syncWithValidationInterfaceQueue,
  uptime,
  validateAddress,
  waitForBlock,
  waitForBlockHeight,
  waitForNewBlock,
} satisfies Handlers<NodeServiceServer, NodeModules, NotBuilt>;
