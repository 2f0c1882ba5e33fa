import { readFileSync } from 'node:fs';
import { headers, type Mark, marks, TIP_KEY, tips } from '../chain/records.js';
import { ConfigError } from '../config/errors.js';
import { evmTip } from '../dfi/evm/blocks.js';
import { parseStartState, putStartState } from '../dfi/evm/start-state.js';
import { Overlay } from '../storage/overlay.js';
import type { Store } from '../storage/view.js';

const REPLACED: Mark = 'replaced';

/**
 * Replaces the state of the EVM by that of a file. If the chain has EVM blocks, its blocks so far can no longer be disconnected: their undo
 * records are about the state that was replaced.
 * @throws {ConfigError} for a bad file
 */
export function loadStartState(store: Store, file: string): void {
  const view = new Overlay(store);
  const tip = store.get(tips, TIP_KEY);
  const height = tip && store.get(headers, tip)?.height;
  if (height !== undefined && evmTip(store)) view.put(marks, REPLACED, height);
  try {
    putStartState(view, parseStartState(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new ConfigError(`Error in the file of -ethstartstate: ${(cause as Error).message}`, { cause });
  }
  store.writeRows(view.rowChanges(), { sync: true });
}
