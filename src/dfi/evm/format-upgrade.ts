import { INTRINSICS } from '../../evm/contracts/addresses.js';
import { addressBytes } from '../../evm/words.js';
import { restBytes, u8 } from '../../primitives/codec.js';
import { type Change, inBatches } from '../../storage/batches.js';
import { StoreDamaged } from '../../storage/errors.js';
import type { Migration } from '../../storage/version.js';
import type { AnyColumn, Column, StateView, UndoLog } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import type { Logger } from '../../util/logger.js';
import { evmEntryLists, evmReceiptLists } from './block-columns.js';
import { evmTip } from './blocks.js';
import { counterRoot, countersAt } from './counter-storage.js';
import { type AccountVersionKey, evmAccountVersions, evmSlotVersions } from './history-columns.js';
import { evmSlots, evmStateAccounts, evmStorageNodes, type StoredAccount } from './state-columns.js';
import { isSameVersion } from './view-state.js';

/** Tip of the ledger that versions with format 2 kept in place of the state of the EVM, under the one key 0. */
const ledgerTips: Column<number, Uint8Array> = { name: 'dfi/evm-tip', key: u8, value: restBytes };

/** Format 2 kept a ledger of transfers where the EVM is on. The state of contracts cannot be derived from it. */
export const refuseLedger: Migration = {
  from: 2,
  run(store) {
    if (store.get(ledgerTips, 0) === undefined) return;
    throw new StoreDamaged(
      'the database was written by a version that did not execute EVM transactions; start with -reindex to build the database again',
    );
  },
};

/** Columns that format 3 kept for the contract with the block counters too. */
const COUNTER_COLUMNS = [evmSlots, evmSlotVersions, evmStorageNodes] as readonly AnyColumn[];
const COUNTER_PREFIX = addressBytes(INTRINSICS);

/**
 * Format 3 had rows for blocks without entries, for the storage of the block counters, and for versions of accounts that differ in the
 * storage root alone.
 */
export function dropRedundantRows(log: Pick<Logger, 'info'>): Migration {
  return {
    from: 3,
    async run(store) {
      if (!evmTip(store)) return;
      log.info('removing redundant rows of EVM blocks, which takes minutes for a million blocks');
      await inBatches(store, emptyLists(store));
      if (hasCountersOnly(store)) await inBatches(store, counterRows(store));
      await inBatches(store, rootVersions(store));
    },
  };
}

/**
 * Undo record without the rows that {@link dropRedundantRows} removed, which blocks that were connected before have in theirs.
 * @param view state after the block
 */
export function currentUndo(view: StateView, undo: UndoLog): UndoLog {
  const isDropped = ({ column, key, value }: UndoLog[number]): boolean =>
    value !== undefined &&
    COUNTER_COLUMNS.some(({ name }) => name === column) &&
    equalBytes(key.subarray(0, COUNTER_PREFIX.length), COUNTER_PREFIX);
  if (!undo.some(isDropped) || !hasCountersOnly(view)) return undo;
  return undo.filter((change) => !isDropped(change));
}

function* emptyLists(view: StateView): Generator<Change> {
  for (const column of [evmEntryLists, evmReceiptLists] as Column<number, readonly unknown[]>[]) {
    for (const [number, list] of view.entries(column)) if (list.length === 0) yield (batch) => batch.delete(column, number);
  }
}

/** True if the storage of the contract with the counters consists of them. */
function hasCountersOnly(view: StateView): boolean {
  const tip = evmTip(view);
  const counters = tip && countersAt(view, tip.number);
  const account = view.get(evmStateAccounts, INTRINSICS);
  return counters !== undefined && account !== undefined && equalBytes(account.storageRoot, counterRoot(counters));
}

function* counterRows(view: StateView): Generator<Change> {
  for (const column of COUNTER_COLUMNS) {
    for (const [key] of view.entries(column, { prefix: COUNTER_PREFIX })) yield (batch) => batch.delete(column, key);
  }
}

/** Versions whose successor, or else the account, differs in the storage root at most. */
function* rootVersions(view: StateView): Generator<Change> {
  const isRedundant = (key: AccountVersionKey, version: StoredAccount | undefined, after: StoredAccount | undefined) =>
    version && after && isSameVersion(version, after) ? (batch: Parameters<Change>[0]) => batch.delete(evmAccountVersions, key) : undefined;
  let last: readonly [AccountVersionKey, StoredAccount | undefined] | undefined;
  for (const entry of view.entries(evmAccountVersions)) {
    const [key, version] = entry;
    const change = last && isRedundant(...last, last[0].address === key.address ? version : view.get(evmStateAccounts, last[0].address));
    if (change) yield change;
    last = entry;
  }
  const change = last && isRedundant(...last, view.get(evmStateAccounts, last[0].address));
  if (change) yield change;
}
