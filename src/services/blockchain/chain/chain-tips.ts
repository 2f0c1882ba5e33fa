import type { ChainTip, GetChainTipsRequest, GetChainTipsResponse } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { compareBytes } from '../../../util/bytes.js';
import type { BlockchainModules } from '../modules.js';

type Chain = Pick<BlockchainModules['chain'], 'tip' | 'entries' | 'isActive' | 'forkPoint'>;

export const getChainTips: Handler<{ readonly chain: Chain }, GetChainTipsRequest, GetChainTipsResponse> = ({ chain }) => {
  const tips = [chain.tip, ...staleTips(chain)].sort((a, b) => b.height - a.height || compareBytes(a.hash, b.hash));
  return { tips: tips.map((tip) => formatTip(tip, chain)) };
};

/** Tips of branches: blocks outside the active chain without a child. */
function staleTips(chain: Chain): BlockIndexEntry[] {
  const stale: BlockIndexEntry[] = [];
  const parents = new Set<BlockIndexEntry>();
  for (const entry of chain.entries()) {
    if (chain.isActive(entry)) continue;
    stale.push(entry);
    if (entry.parent) parents.add(entry.parent);
  }
  return stale.filter((entry) => !parents.has(entry));
}

function formatTip(entry: BlockIndexEntry, chain: Chain): ChainTip {
  const branchlen = entry.height - chain.forkPoint(entry).height;
  return { height: entry.height, hash: formatHash(entry.hash), branchlen, status: statusOf(entry, chain) };
}

function statusOf(entry: BlockIndexEntry, chain: Chain): string {
  if (chain.isActive(entry)) return 'active';
  if (entry.failed) return 'invalid';
  // The count is known only once all blocks below are stored.
  if (entry.chainTx === 0) return 'headers-only';
  return entry.valid ? 'valid-fork' : 'valid-headers';
}
