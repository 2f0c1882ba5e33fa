import type { GetChainTxStatsRequest, GetChainTxStatsResponse } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { invalidParameter } from '../../../util/errors.js';
import { requireBlockEntry } from '../../format/blocks.js';
import type { BlockchainModules } from '../modules.js';

type Chain = Pick<BlockchainModules['chain'], 'params' | 'tip' | 'entry' | 'isActive'>;

const MONTH_SEC = 30 * 24 * 60 * 60;
/** Default window of the operations document, in blocks; on a shorter chain it is reduced. */
const DOCUMENT_WINDOW = 86_400;

export const getChainTxStats: Handler<{ readonly chain: Chain }, GetChainTxStatsRequest, GetChainTxStatsResponse> = (
  { chain },
  request,
  { dialect },
) => {
  const final = finalBlock(chain, request.blockhash);
  const longest = Math.max(0, final.height - 1);
  const count = request.nblocks ?? Math.min(Math.floor(MONTH_SEC / chain.params.pos.targetSpacing), longest);
  if (dialect === 'document' && count === DOCUMENT_WINDOW) return statsOf(final, Math.min(count, longest));
  if (count < 0 || (count > 0 && count >= final.height))
    throw invalidParameter("Invalid block count: should be between 0 and the block's height - 1");
  return statsOf(final, count);
};

function finalBlock(chain: Chain, blockhash: string | undefined): BlockIndexEntry {
  if (blockhash === undefined) return chain.tip;
  const entry = requireBlockEntry(chain, parseHash(blockhash, 'blockhash'));
  if (!chain.isActive(entry)) throw invalidParameter('Block is not in main chain');
  return entry;
}

function statsOf(final: BlockIndexEntry, count: number): GetChainTxStatsResponse {
  const summary = {
    time: final.time,
    txcount: BigInt(final.chainTx),
    windowFinalBlockHash: formatHash(final.hash),
    windowFinalBlockHeight: final.height,
    windowBlockCount: count,
  };
  const first = final.ancestor(final.height - count);
  if (count === 0 || !first) return summary;
  const transactions = final.chainTx - first.chainTx;
  const interval = final.medianTimePast() - first.medianTimePast();
  return {
    ...summary,
    windowTxCount: BigInt(transactions),
    windowInterval: BigInt(interval),
    txrate: interval > 0 ? transactions / interval : undefined,
  };
}
