import { isActive } from '../../params/network.js';
import type { BlockEvent } from '../context/block-event.js';
import { executeSplits } from './execute.js';

/** Tokens are split behind most events of a block; from Metachain on before all of them. @see docs/protocol/defi.md 10.2 */
export const lateTokenSplits: BlockEvent = {
  name: 'token splits',
  isDue: ({ height, params }) => isActive(params, 'fortCanningCrunch', height) && !isActive(params, 'metachain', height),
  run: (context) => executeSplits(context, context.splits),
};

export const earlyTokenSplits: BlockEvent = {
  ...lateTokenSplits,
  isDue: ({ height, params }) => isActive(params, 'metachain', height),
};
