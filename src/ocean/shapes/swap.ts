import { formatAmount } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import type { SwapKey, SwapRow } from '../index/swaps.js';
import type { BlockRef } from './block-ref.js';
import { hex8 } from './numbers.js';

/** Place of a swap in the list of a pool as text, which is the cursor after it. */
export function swapSort({ height, txno }: Pick<SwapKey, 'height' | 'txno'>): string {
  return hex8(height) + hex8(txno);
}

/** Swap of a pool. @see docs/protocol/ocean.md 2.15 */
export function swapData(key: SwapKey, { txid, amount, tokenFrom }: SwapRow, block: BlockRef) {
  return {
    id: `${key.pool}-${formatHash(txid)}`,
    sort: swapSort(key),
    txid: formatHash(txid),
    txno: key.txno,
    poolPairId: String(key.pool),
    fromAmount: formatAmount(amount),
    fromTokenId: tokenFrom,
    block,
  };
}
