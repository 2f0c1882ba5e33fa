import { isActive } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { executeRestart } from './restart.js';

/** Runs before token splits, so that a split in the same block applies to the new token. @see docs/protocol/defi.md 9.7 */
export const tokenRestart: BlockEvent = {
  name: 'token restart',
  isDue: ({ height, params }) => isActive(params, 'df24', height),
  run: executeRestart,
};
