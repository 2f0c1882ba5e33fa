import { type AnyCustomTx, noOperation } from '../context/custom-tx.js';
import { EVENT_TYPES } from '../kernel/event-types.js';

/** Types without a message: auto-auth, which only provides a coin of the required signer, and those of block events in the history. */
export const markerTypes: readonly AnyCustomTx[] = [
  noOperation('A', 'AutoAuth'),
  ...Object.values(EVENT_TYPES).map(({ type, name, since }) => noOperation(type, name, since)),
];
