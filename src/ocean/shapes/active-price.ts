import { byteText } from '../../dfi/kernel/text.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { type ActivePrice, isLivePrice, newestActivePrices } from '../index/active-prices.js';
import type { PairAtHeight } from '../index/keys.js';
import { pairName } from '../index/prices.js';
import type { OceanModules } from '../modules.js';
import { type BlockSource, blockRefAt } from './block-ref.js';
import { hex8 } from './numbers.js';
import { shownPrice } from './price.js';

/** Active price of a pair from a height on. @see docs/protocol/ocean.md 2.9 */
export function shownActivePrice(blocks: BlockSource, at: PairAtHeight, price: ActivePrice) {
  const { active, next } = price;
  const key = pairName(at);
  return {
    id: `${key}-${at.height}`,
    key,
    sort: hex8(at.height),
    active: active && shownPrice(active),
    next: next && shownPrice(next),
    isLive: isLivePrice(price),
    block: blockRefAt(blocks, at.height),
  };
}

/** Active price as objects of loans and vaults show it. */
export type ShownActivePrice = ReturnType<typeof shownActivePrice>;

/** Newest active price of a pair. @param pair readable texts @returns undefined if the index has none */
export function activePriceOf({ rows, chain }: Pick<OceanModules, 'rows' | 'chain'>, pair: PricePair): ShownActivePrice | undefined {
  const [newest] = newestActivePrices(rows.view, { token: byteText(pair.token), currency: byteText(pair.currency) }, 1);
  return newest && shownActivePrice({ rows, chain }, ...newest);
}
