import type { BlockchainServiceServer } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { Handlers } from '../../rpc/handler.js';
import { getBlock, getBlockHeader, preciousBlock } from './blocks/blocks.js';
import { getBlockFilter } from './blocks/filters.js';
import { getTxOutProof, verifyTxOutProof } from './blocks/proofs.js';
import { getChainTips } from './chain/chain-tips.js';
import { getBlockchainInfo } from './chain/info.js';
import { pruneBlockchain } from './chain/prune.js';
import { getBestBlockHash, getBlockCount, getBlockHash, getDifficulty } from './chain/tip.js';
import { verifyChain } from './chain/verify.js';
import { listSmartContracts } from './contracts.js';
import { isAppliedCustomTx } from './custom-txs.js';
import { type GoverningModules, setGov, setGovHeight, unsetGov } from './governance/changes.js';
import { getGov, listGovs } from './governance/variables.js';
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
import { getBlockStats } from './stats/getblockstats.js';
import { getChainTxStats } from './stats/getchaintxstats.js';
import { scanTxOutSet } from './utxos/scantxoutset.js';
import { getTxOut, getTxOutSetInfo } from './utxos/utxos.js';

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
