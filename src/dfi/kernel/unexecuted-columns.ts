import { u8, u32 } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';

const ONLY_KEY = 0;

/** Under the one key 0: how many transactions of the EVM the chain has. They are the only ones that this program does not execute. */
export const unexecuted: Column<number, number> = { name: 'dfi/unexecuted', key: u8, value: u32 };

export function countUnexecuted(view: WritableView): void {
  view.put(unexecuted, ONLY_KEY, (view.get(unexecuted, ONLY_KEY) ?? 0) + 1);
}

/**
 * Whether effects are missing from the state: those of a transaction of the EVM, which may have moved any balance. A transaction that
 * fails on such a state may be right, so from there on no block is refused for it.
 */
export function lacksEffects(view: StateView): boolean {
  return view.has(unexecuted, ONLY_KEY);
}
