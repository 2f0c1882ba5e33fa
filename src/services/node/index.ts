import type { NodeServiceServer } from '../../../gen/ts/dfi/node/v1/node.js';
import type { Handlers } from '../../rpc/handler.js';
import { clearGovHeights, unsetGovHeight } from '../blockchain/governance/changes.js';
import { logAccountBalances } from './chain/account-dump.js';
import { generateToAddress, invalidateBlock, reconsiderBlock, setInterruptBlock, setMockCheckpoint } from './chain/blocks.js';
import { decodeCustomTx, getCustomTx } from './chain/custom-txs.js';
import { estimateSmartFee } from './chain/fees.js';
import { waitForBlock, waitForBlockHeight, waitForNewBlock } from './chain/wait.js';
import { getRpcStats, listRpcStats } from './control/call-stats.js';
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
} from './control/control.js';
import { echo, echoJson } from './control/echo.js';
import { subscribeRescan } from './control/rescans.js';
import { getVersionInfo } from './control/version.js';
import { getZmqNotifications } from './control/zmq.js';
import { logVmMaps } from './evm/all-links.js';
import { dumpEvmDb, logEvmAccountStates } from './evm/dumps.js';
import { evmTx } from './evm/evm-tx.js';
import { vmMap } from './evm/links.js';
import { getAnchorTeams, listAnchors } from './masternodes/anchors.js';
import { createMasternode, resignMasternode, updateMasternode } from './masternodes/masternode-changes.js';
import { getActiveMasternodeCount, getMasternode, getMasternodeBlocks, listMasternodes } from './masternodes/masternodes.js';
import type { NodeModules } from './modules.js';
import { clearBanned, listBanned, setBan } from './network/bans.js';
import { addNode, getAddedNodeInfo, getNodeAddresses } from './network/known-nodes.js';
import { getNetworkInfo } from './network/network.js';
import { disconnectNode, getConnectionCount, getNetTotals, getPeerInfo, ping, setNetworkActive } from './network/peers.js';
import { getNodeStatusInfo } from './network/status.js';
import { getLockedTokens, listLockedTokens, releaseLockedTokens } from './tokens/locked-tokens.js';
import { createToken, updateToken } from './tokens/token-creation.js';
import { burnTokens, mintTokens } from './tokens/token-supply.js';
import { getToken, listTokens } from './tokens/tokens.js';
import { validateAddress } from './utilities/addresses.js';
import { deriveAddresses, getDescriptorInfo } from './utilities/descriptors.js';
import { signMessageWithPrivKey, verifyMessage } from './utilities/messages.js';
import { createMultisig } from './utilities/multisig.js';

export type { NodeModules } from './modules.js';

export const nodeHandlers = {
  burnTokens,
  createMasternode,
  createToken,
  mintTokens,
  clearGovHeights,
  releaseLockedTokens,
  resignMasternode,
  updateMasternode,
  unsetGovHeight,
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
  dumpEvmDb,
  echo,
  echoJson,
  estimateSmartFee,
  evmTx,
  generateToAddress,
  getAddedNodeInfo,
  getConnectionCount,
  getCustomTx,
  getDescriptorInfo,
  getMemoryInfo,
  getNetTotals,
  getNetworkInfo,
  getNodeAddresses,
  getNodeStatusInfo,
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
  logEvmAccountStates,
  logVmMaps,
  logging,
  ping,
  reconsiderBlock,
  setBan,
  setInterruptBlock,
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
  vmMap,
  waitForBlock,
  waitForBlockHeight,
  waitForNewBlock,
} satisfies Handlers<NodeServiceServer, NodeModules>;
