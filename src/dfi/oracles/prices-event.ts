import { isActive } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { priceInterval, updateFixedPrices } from './fixed-prices.js';

/** Updates the fixed interval prices at the end of each interval. @see docs/protocol/oracles-governance.md 1.5 */
export const oraclePrices: BlockEvent = {
  name: 'oracle prices',
  isDue: ({ height, params }) => isActive(params, 'fortCanning', height),
  run({ view, height, time, params }) {
    if (height % priceInterval(view, params) === 0) updateFixedPrices(view, time, params);
  },
};
