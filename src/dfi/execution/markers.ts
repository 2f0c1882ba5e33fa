import { type AnyCustomTx, noOperation } from '../context/custom-tx.js';

/**
 * Types without a message. `A` is the auto-auth transaction, which only provides a coin of the required signer. The others are the
 * categories of block events in the history; a transaction with such a type has no effect.
 */
export const markerTypes: readonly AnyCustomTx[] = [
  noOperation('A', 'AutoAuth'),
  noOperation('q', 'FutureSwapExecution'),
  noOperation('w', 'FutureSwapRefund'),
  noOperation('P', 'TokenSplit'),
  noOperation('Y', 'ProposalFeeRedistribution'),
  noOperation('?', 'TokenLock'),
];
