import { isActive } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { liquidateVaults } from './liquidation.js';
import { settleAuctions } from './settlement.js';

/** Vaults that hold too little are put up for auction; auctions that are over are settled. @see docs/protocol/defi.md 3.13 */
export const vaultAuctions: BlockEvent = {
  name: 'auctions',
  isDue: ({ height, params }) => isActive(params, 'fortCanning', height),
  run(context) {
    liquidateVaults(context);
    settleAuctions(context);
  },
};
