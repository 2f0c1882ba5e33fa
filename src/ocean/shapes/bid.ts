import type { AuctionBid } from '../../dfi/auctions/columns.js';
import { knowsEvm } from '../../params/network.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import { ownerText } from '../../script/address.js';
import { toHex } from '../../util/bytes.js';
import type { BidKey } from '../index/bids.js';
import type { OceanChain } from '../modules.js';
import { blockRefAt } from './block-ref.js';
import { hex8, plain } from './numbers.js';

/** Address of a bidder, or the hex of a script that has none. */
export function bidderOf(script: Uint8Array, { params }: Pick<OceanChain, 'params'>): string {
  return ownerText(script, params.address, { metachain: knowsEvm(params) });
}

/** Text by which bids for a batch are sorted, which is the token of a page as well. */
export function bidSort({ height, txid }: Pick<BidKey, 'height' | 'txid'>): string {
  return `${hex8(height)}-${formatHash(txid)}`;
}

/** Bid for a batch, also one that was outbid. @see docs/protocol/ocean.md 2.6 */
export function shownBid(chain: Pick<OceanChain, 'params' | 'entryAt'>, [key, { owner, amount }]: readonly [BidKey, AuctionBid]) {
  const vaultId = formatHash(key.vaultId);
  return {
    id: `${vaultId}-${key.index}-${formatHash(key.txid)}`,
    key: `${vaultId}-${key.index}`,
    sort: bidSort(key),
    vaultId,
    index: key.index,
    from: toHex(owner),
    address: bidderOf(owner, chain),
    amount: plain(formatAmount(amount.amount)),
    tokenId: amount.tokenId,
    block: blockRefAt(chain, key.height),
  };
}
