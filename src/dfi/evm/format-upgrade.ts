import { INTRINSICS } from '../../evm/contracts/addresses.js';
import { encodeAccount } from '../../evm/state/commit.js';
import { Trie } from '../../evm/state/trie.js';
import { addressBytes } from '../../evm/words.js';
import { encode, restBytes, u8 } from '../../primitives/codec.js';
import { type Change, inBatches } from '../../storage/batches.js';
import { StoreDamaged } from '../../storage/errors.js';
import { Overlay } from '../../storage/overlay.js';
import type { Migration } from '../../storage/version.js';
import type { AnyColumn, Column, StateView, UndoLog, WritableView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Logger } from '../../util/logger.js';
import { evmEntryLists, evmReceiptLists } from './block-columns.js';
import { evmTip } from './blocks.js';
import { COUNTERS, counterRoot, countersAt, hasCounterStorage } from './counter-storage.js';
import { type AccountVersionKey, evmAccountVersions, evmSlotVersions } from './history-columns.js';
import { evmSlots, evmStateAccounts, evmStorageNodes, type StoredAccount } from './state-columns.js';
import { isSameVersion, ViewState } from './view-state.js';

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
 * Format 4 had the root of the block counters in the account of their contract and in the trie of all accounts, so that every block
 * rewrote both.
 */
export const dropCounterRoot: Migration = {
  from: 4,
  run(store) {
    const overlay = new Overlay(store);
    withoutCounterRoot(overlay);
    store.write(overlay.changes());
  },
};

/**
 * Restores the state before a block from its undo record, in the form of this version: records of blocks that were connected before have
 * rows that {@link dropRedundantRows} and {@link dropCounterRoot} removed.
 * @param state state after the block
 */
export function restoreUndo(state: Overlay, undo: UndoLog): void {
  state.restore(currentUndo(state, undo));
  const account = encode(evmStateAccounts.key, INTRINSICS);
  if (undo.some(({ column, key }) => column === evmStateAccounts.name && equalBytes(key, account))) withoutCounterRoot(state);
}

function currentUndo(view: StateView, undo: UndoLog): UndoLog {
  const isDropped = ({ column, key, value }: UndoLog[number]): boolean =>
    value !== undefined &&
    COUNTER_COLUMNS.some(({ name }) => name === column) &&
    equalBytes(key.subarray(0, COUNTER_PREFIX.length), COUNTER_PREFIX);
  if (!undo.some(isDropped) || !hasCountersOnly(view)) return undo;
  return undo.filter((change) => !isDropped(change));
}

/** Replaces the root of the counters, where it is stored. */
function withoutCounterRoot(view: WritableView): void {
  const account = view.get(evmStateAccounts, INTRINSICS);
  if (!account || equalBytes(account.storageRoot, COUNTERS) || !hasCounterStorage(view, INTRINSICS, account)) return;
  const stored = { ...account, storageRoot: COUNTERS };
  const accounts = new Trie(new ViewState(view, 0).accountNodes());
  view.put(evmStateAccounts, INTRINSICS, stored);
  accounts.set(toHex(addressBytes(INTRINSICS)), encodeAccount(stored));
  accounts.commit();
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
  if (!counters || !account) return false;
  return equalBytes(account.storageRoot, COUNTERS) || equalBytes(account.storageRoot, counterRoot(counters));
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
