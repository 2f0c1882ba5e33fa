import type { VerifyChainRequest, VerifyChainResponse } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { Handler } from '../../../rpc/handler.js';
import type { BlockchainModules } from '../modules.js';

type Modules = Pick<BlockchainModules, 'verification'> & { readonly chain: Pick<BlockchainModules['chain'], 'verify'> };

export const verifyChain: Handler<Modules, VerifyChainRequest, VerifyChainResponse> = async (
  { chain, verification },
  request,
  { signal },
) => {
  const level = request.checklevel ?? verification.level;
  const blocks = request.nblocks ?? verification.blocks;
  return { valid: await chain.verify(level, blocks, signal) };
};
