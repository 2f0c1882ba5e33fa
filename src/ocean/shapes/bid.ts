import type { AuctionBid } from '../../dfi/auctions/columns.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import type { BidKey } from '../index/bids.js';
import type { OceanModules } from '../modules.js';
import { blockRefAt } from './block-ref.js';
import { hex8, plain } from './numbers.js';
import { shownOwner } from './script.js';

/** Text by which bids for a batch are sorted, which is the cursor after one as well. */
export function bidSort({ height, txid }: Pick<BidKey, 'height' | 'txid'>): string {
  return `${hex8(height)}-${formatHash(txid)}`;
}

/** Bid for a batch, also one that was outbid. @see docs/protocol/ocean.md 2.6 */
export function shownBid(modules: Pick<OceanModules, 'chain' | 'rows'>, [key, { owner, amount }]: readonly [BidKey, AuctionBid]) {
  const vaultId = formatHash(key.vaultId);
  return {
    id: `${vaultId}-${key.index}-${formatHash(key.txid)}`,
    key: `${vaultId}-${key.index}`,
    sort: bidSort(key),
    vaultId,
    index: key.index,
    from: toHex(owner),
    address: shownOwner(owner, modules.chain.params),
    amount: plain(formatAmount(amount.amount)),
    tokenId: amount.tokenId,
    block: blockRefAt(modules, key.height),
  };
}
