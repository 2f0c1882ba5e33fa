import { getBlock, getBlockHeader, preciousBlock } from './blocks.js';
import { getBlockFilter } from './filters.js';
import { getBlockchainInfo } from './info.js';
import { getTxOutProof, verifyTxOutProof } from './proofs.js';
import { getBlockStats } from './stats.js';
import { getBestBlockHash, getBlockCount, getBlockHash, getDifficulty } from './tip.js';
import { getChainTips } from './tips.js';
import { getChainTxStats } from './tx-stats.js';
import { getTxOut, getTxOutSetInfo } from './utxos.js';
import { verifyChain } from './verify.js';

export type { BlockchainModules } from './modules.js';

export const blockchainHandlers = {
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
  getTxOut,
  getTxOutProof,
  getTxOutSetInfo,
  preciousBlock,
  verifyChain,
  verifyTxOutProof,
};
