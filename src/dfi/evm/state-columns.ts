import { ADDRESS_SIZE, addressBytes, addressWord, decodeNumber, encodeInteger, readWord, WORD_SIZE, wordBytes } from '../../evm/words.js';
import { type Codec, fixedBytes, mapped, struct, u32, u32be, varBytes, varString } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';

/** Address as a number, stored as 20 bytes in display order. */
export const address: Codec<bigint> = mapped(fixedBytes(ADDRESS_SIZE), addressWord, addressBytes);
/** Word, stored as 32 bytes. */
export const word: Codec<bigint> = mapped(fixedBytes(WORD_SIZE), (bytes) => readWord(bytes, 0), wordBytes);
/** Hash of the EVM: 32 bytes in natural order. */
export const hash: Codec<Uint8Array> = fixedBytes(WORD_SIZE);
/** Integer from 0, without leading zeros. */
export const number: Codec<bigint> = mapped(varBytes, decodeNumber, encodeInteger);

/** Account of the EVM. */
export interface StoredAccount {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly storageRoot: Uint8Array;
  /** BLAKE2b-256 of the code; zeros if code was never set. */
  readonly codeHash: Uint8Array;
  /**
   * Number in the keys of its slots and trie nodes. A new one when storage starts empty: rows of an account that was destroyed stay
   * behind, unreachable, so that no transaction can make a block delete millions of rows.
   */
  readonly incarnation: number;
}

export const storedAccount: Codec<StoredAccount> = struct<StoredAccount>({
  nonce: number,
  balance: number,
  storageRoot: hash,
  codeHash: hash,
  incarnation: u32,
});

/** Accounts by address. */
export const evmStateAccounts: Column<bigint, StoredAccount> = { name: 'evm/account', key: address, value: storedAccount };

/** Code by its stored hash. */
export const evmCodes: Column<Uint8Array, Uint8Array> = { name: 'evm/code', key: hash, value: varBytes };

/** Slot of an account's storage. */
export interface SlotKey {
  readonly address: bigint;
  readonly incarnation: number;
  readonly slot: bigint;
}

export const slotKey: Codec<SlotKey> = struct<SlotKey>({ address, incarnation: u32be, slot: word });

/** Values of slots. A slot that was set to zero has a row, because the trie has it too. */
export const evmSlots: Column<SlotKey, bigint> = { name: 'evm/slot', key: slotKey, value: number };

/** Nodes of the trie of all accounts, by position in hex digits. */
export const evmAccountNodes: Column<string, Uint8Array> = { name: 'evm/account-node', key: varString, value: varBytes };

/** Node of the trie of an account's storage. */
export interface StorageNodeKey {
  readonly address: bigint;
  readonly incarnation: number;
  /** Hex digits. */
  readonly position: string;
}

/** Nodes of the tries of storage. */
export const evmStorageNodes: Column<StorageNodeKey, Uint8Array> = {
  name: 'evm/storage-node',
  key: struct<StorageNodeKey>({ address, incarnation: u32be, position: varString }),
  value: varBytes,
};

/** Columns of the state of the EVM. */
export const evmStateColumns: readonly AnyColumn[] = [evmStateAccounts, evmCodes, evmSlots, evmAccountNodes, evmStorageNodes];
