import { EntryRefused } from '../../evm/block/entry-error.js';
import { TxRejected } from '../kernel/rejected.js';

/** Runs a step of the EVM. A refusal, of the entry or before it, rejects the custom transaction. @param text of the rejection */
export function rejectingEntries<T>(text: (reason: string) => string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof EntryRefused || error instanceof TxRejected) throw new TxRejected(text(error.message));
    throw error;
  }
}
