import type {
  GetBestBlockHashRequest,
  GetBestBlockHashResponse,
  GetBlockCountRequest,
  GetBlockCountResponse,
  GetBlockHashRequest,
  GetBlockHashResponse,
  GetDifficultyRequest,
  GetDifficultyResponse,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { difficultyOf } from '../../../consensus/pos/target.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import type { BlockchainModules } from '../modules.js';

type Modules = { readonly chain: Pick<BlockchainModules['chain'], 'tip' | 'entryAt'> };

export const getBestBlockHash: Handler<Modules, GetBestBlockHashRequest, GetBestBlockHashResponse> = ({ chain }) => ({
  blockhash: formatHash(chain.tip.hash),
});

export const getBlockCount: Handler<Modules, GetBlockCountRequest, GetBlockCountResponse> = ({ chain }) => ({ height: chain.tip.height });

export const getBlockHash: Handler<Modules, GetBlockHashRequest, GetBlockHashResponse> = ({ chain }, request) => {
  const { height } = request;
  const entry = height < 0 ? undefined : chain.entryAt(height);
  if (!entry) throw new NodeError('out-of-range', 'Block height out of range');
  return { blockhash: formatHash(entry.hash) };
};

export const getDifficulty: Handler<Modules, GetDifficultyRequest, GetDifficultyResponse> = ({ chain }) => ({
  difficulty: difficultyOf(chain.tip.bits),
});
