import { type AnyCustomTx, noOperation } from '../context/custom-tx.js';

/**
 * Types without a message. `A` lends its outputs to another transaction as proof of who sent it; the others are how block events
 * are called in the history, and harmless in a transaction.
 */
export const markerTypes: readonly AnyCustomTx[] = [
  noOperation('A', 'AutoAuth'),
  noOperation('q', 'FutureSwapExecution'),
  noOperation('w', 'FutureSwapRefund'),
  noOperation('P', 'TokenSplit'),
  noOperation('Y', 'ProposalFeeRedistribution'),
  noOperation('?', 'TokenLock'),
];
