import { u8, u32 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';

const ONLY_KEY = 0;

/** Number of EVM transactions (type `9`) in the chain, under the one key 0. They are the only type that this program does not execute. */
export const unexecuted: Column<number, number> = { name: 'dfi/unexecuted', key: u8, value: u32 };

/** Counts an EVM transaction of a block. */
export function countUnexecuted(view: WritableView): void {
  view.put(unexecuted, ONLY_KEY, (view.get(unexecuted, ONLY_KEY) ?? 0) + 1);
}

/**
 * True if the chain has an EVM transaction. Its effects are missing from our state and may concern any balance, so a transaction that
 * fails here may be valid: from then on a failing custom transaction makes no block invalid.
 */
export function hasSkippedEvmTransactions(view: StateView): boolean {
  return view.has(unexecuted, ONLY_KEY);
}
