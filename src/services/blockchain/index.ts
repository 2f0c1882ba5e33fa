import type { BlockchainServiceServer } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { Handlers } from '../../rpc/handler.js';
import { getBlock, getBlockHeader, preciousBlock } from './blocks.js';
import { listSmartContracts } from './contracts.js';
import { isAppliedCustomTx } from './custom-txs.js';
import { getBlockFilter } from './filters.js';
import { getGov, listGovs } from './governance.js';
import { type GoverningModules, setGov, setGovHeight, unsetGov } from './governance-changes.js';
import { getBlockchainInfo } from './info.js';
import {
  clearMempool,
  getMempoolAncestors,
  getMempoolDescendants,
  getMempoolEntry,
  getMempoolInfo,
  getRawMempool,
  saveMempool,
} from './mempool.js';
import type { BlockchainModules } from './modules.js';
import { getTxOutProof, verifyTxOutProof } from './proofs.js';
import { pruneBlockchain } from './prune.js';
import { scanTxOutSet } from './scan.js';
import { getBlockStats } from './stats.js';
import { getBestBlockHash, getBlockCount, getBlockHash, getDifficulty } from './tip.js';
import { getChainTips } from './tips.js';
import { getChainTxStats } from './tx-stats.js';
import { getTxOut, getTxOutSetInfo } from './utxos.js';
import { verifyChain } from './verify.js';

export type { BlockchainModules } from './modules.js';

export const blockchainHandlers = {
  clearMempool,
  getBestBlockHash,
  getBlock,
  getBlockchainInfo,
  getBlockCount,
  getBlockFilter,
  getBlockHash,
  getBlockHeader,
  getBlockStats,
  getChainTips,
  getChainTxStats,
  getDifficulty,
  getGov,
  getMempoolAncestors,
  getMempoolDescendants,
  getMempoolEntry,
  getMempoolInfo,
  getRawMempool,
  getTxOut,
  getTxOutProof,
  getTxOutSetInfo,
  isAppliedCustomTx,
  preciousBlock,
  listGovs,
  listSmartContracts,
  pruneBlockchain,
  saveMempool,
  scanTxOutSet,
  setGov,
  setGovHeight,
  unsetGov,
  verifyChain,
  verifyTxOutProof,
} satisfies Handlers<BlockchainServiceServer, BlockchainModules & GoverningModules>;
