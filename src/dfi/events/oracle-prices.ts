import { isActive } from '../../params/network.js';
import { priceInterval, renewFixedPrices } from '../state/fixed-prices.js';
import type { BlockEvent } from './define.js';

/** Fixes the prices of the next interval. @see docs/protocol/oracles-governance.md 1.5 */
export const oraclePrices: BlockEvent = {
  name: 'oracle prices',
  isDue: ({ height, params }) => isActive(params, 'fortCanning', height),
  run({ view, height, time, params }) {
    if (height % priceInterval(view, params) === 0) renewFixedPrices(view, time, params);
  },
};
