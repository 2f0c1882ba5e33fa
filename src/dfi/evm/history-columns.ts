import { type Codec, optional, struct, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { address, number, type SlotKey, type StoredAccount, slotKey, storedAccount } from './state-columns.js';

/** An account before the change by a block. */
export interface AccountVersionKey {
  readonly address: bigint;
  /** EVM block that changed it. */
  readonly number: number;
}

/**
 * Accounts before each of their changes; undefined for an account that was absent. The value after block N is the version with the smallest
 * number above N, otherwise the present one. So an account has one row for each block that changes it. A change of the storage root alone
 * has no row, because the root follows from the earlier values of the slots.
 */
export const evmAccountVersions: Column<AccountVersionKey, StoredAccount | undefined> = {
  name: 'evm/account-version',
  key: struct<AccountVersionKey>({ address, number: u32be }),
  value: optional(storedAccount),
};

/** A slot before the change by a block. */
export interface SlotVersionKey extends SlotKey {
  /** EVM block that changed it. */
  readonly number: number;
}

/** Values of slots before each of their changes. None for slots of an account whose storage started empty in that block. */
export const evmSlotVersions: Column<SlotVersionKey, bigint> = {
  name: 'evm/slot-version',
  key: slotVersionKey(),
  value: number,
};

function slotVersionKey(): Codec<SlotVersionKey> {
  return {
    write(w, key) {
      slotKey.write(w, key);
      u32be.write(w, key.number);
    },
    read: (r) => ({ ...slotKey.read(r), number: u32be.read(r) }),
  };
}

/** Columns of the earlier states of the EVM. */
export const evmHistoryColumns: readonly AnyColumn[] = [evmAccountVersions, evmSlotVersions];
