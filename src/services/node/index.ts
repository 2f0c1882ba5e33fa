import type { NodeServiceServer } from '../../../gen/ts/dfi/node/v1/node.js';
import type { Handlers } from '../../rpc/handler.js';
import { logAccountBalances } from './account-dump.js';
import { validateAddress } from './addresses.js';
import { getAnchorTeams, listAnchors } from './anchors.js';
import { clearBanned, listBanned, setBan } from './bans.js';
import { generateToAddress, invalidateBlock, reconsiderBlock, setMockCheckpoint } from './blocks.js';
import { getRpcStats, listRpcStats } from './call-stats.js';
import {
  getAccess,
  getMemoryInfo,
  getRpcInfo,
  help,
  logging,
  setMockTime,
  stop,
  syncWithValidationInterfaceQueue,
  uptime,
} from './control.js';
import { decodeCustomTx, getCustomTx } from './custom-txs.js';
import { deriveAddresses, getDescriptorInfo } from './descriptors.js';
import { echo, echoJson } from './echo.js';
import { estimateSmartFee } from './fees.js';
import { addNode, getAddedNodeInfo, getNodeAddresses } from './known-nodes.js';
import { getLockedTokens, listLockedTokens, releaseLockedTokens } from './locked-tokens.js';
import { createMasternode, resignMasternode, updateMasternode } from './masternode-changes.js';
import { getActiveMasternodeCount, getMasternode, getMasternodeBlocks, listMasternodes } from './masternodes.js';
import { signMessageWithPrivKey, verifyMessage } from './messages.js';
import type { NodeModules } from './modules.js';
import { createMultisig } from './multisig.js';
import { getNetworkInfo } from './network.js';
import { disconnectNode, getConnectionCount, getNetTotals, getPeerInfo, ping, setNetworkActive } from './peers.js';
import { subscribeRescan } from './rescans.js';
import { createToken, updateToken } from './token-creation.js';
import { burnTokens, mintTokens } from './token-supply.js';
import { getToken, listTokens } from './tokens.js';
import { getVersionInfo } from './version.js';
import { waitForBlock, waitForBlockHeight, waitForNewBlock } from './wait.js';
import { getZmqNotifications } from './zmq.js';

export type { NodeModules } from './modules.js';

/** Operations that are declared but not implemented yet. */
type NotImplemented = 'spvFundAddress' | 'spvListAnchorAuths' | 'spvListAnchorRewardConfirms' | 'spvSetLastHeight';

export const nodeHandlers = {
  burnTokens,
  createMasternode,
  createToken,
  mintTokens,
  releaseLockedTokens,
  resignMasternode,
  updateMasternode,
  updateToken,
  getActiveMasternodeCount,
  getAnchorTeams,
  getLockedTokens,
  getMasternode,
  getMasternodeBlocks,
  getToken,
  listAnchors,
  listLockedTokens,
  listMasternodes,
  listTokens,
  addNode,
  clearBanned,
  createMultisig,
  decodeCustomTx,
  deriveAddresses,
  disconnectNode,
  echo,
  echoJson,
  estimateSmartFee,
  generateToAddress,
  getAddedNodeInfo,
  getConnectionCount,
  getCustomTx,
  getDescriptorInfo,
  getMemoryInfo,
  getNetTotals,
  getNetworkInfo,
  getNodeAddresses,
  getPeerInfo,
  getRpcInfo,
  getRpcStats,
  getVersionInfo,
  getZmqNotifications,
  help,
  invalidateBlock,
  listBanned,
  listRpcStats,
  logAccountBalances,
  logging,
  ping,
  reconsiderBlock,
  setBan,
  setMockCheckpoint,
  setMockTime,
  setNetworkActive,
  signMessageWithPrivKey,
  stop,
  subscribeRescan,
  syncWithValidationInterfaceQueue,
  getAccess,
  uptime,
  validateAddress,
  verifyMessage,
  waitForBlock,
  waitForBlockHeight,
  waitForNewBlock,
} satisfies Handlers<NodeServiceServer, NodeModules, NotImplemented>;
