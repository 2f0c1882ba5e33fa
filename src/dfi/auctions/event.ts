import { isActive } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { closeAuctions } from './closing.js';
import { liquidateVaults } from './liquidation.js';

/** Liquidates vaults whose collateral ratio is too low, and closes auctions at their end. @see docs/protocol/defi.md 3.13 */
export const vaultAuctions: BlockEvent = {
  name: 'auctions',
  isDue: ({ height, params }) => isActive(params, 'fortCanning', height),
  run(context) {
    liquidateVaults(context);
    closeAuctions(context);
  },
};
