import { isActive } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { executeSplits } from './execute.js';

/** Token splits before Metachain, which run after most events of the block. @see docs/protocol/defi.md 10.2 */
export const lateTokenSplits: BlockEvent = {
  name: 'token splits',
  isDue: ({ height, params }) => isActive(params, 'fortCanningCrunch', height) && !isActive(params, 'metachain', height),
  run: (context) => executeSplits(context, context.splits),
};

/** Token splits from Metachain on, which run before the other events of the block. */
export const earlyTokenSplits: BlockEvent = {
  ...lateTokenSplits,
  isDue: ({ height, params }) => isActive(params, 'metachain', height),
};
