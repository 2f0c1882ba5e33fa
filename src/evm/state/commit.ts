import { equalBytes, toHex } from '../../util/bytes.js';
import type { Code } from '../code.js';
import { encodeRlp } from '../codec/rlp.js';
import { addressBytes, encodeInteger, wordBytes } from '../words.js';
import type { Account } from './account.js';
import type { BlockState, ChangedAccount } from './block-state.js';
import type { StateBelow } from './transaction-state.js';
import { EMPTY_ROOT, Trie, type TrieNodes } from './trie.js';

/** Roots of the storage of an account, 32 bytes each. */
export interface StorageRoots {
  /** In the stored account, and in the stored nodes of the trie of all accounts. */
  readonly stored: Uint8Array;
  /** In the account that the root of the state commits to. */
  readonly committed: Uint8Array;
}

/** State that is kept between blocks: records for execution, trie nodes for the roots. */
export interface StateStore extends StateBelow {
  putAccount(address: bigint, account: Account): void;
  deleteAccount(address: bigint): void;
  putCode(address: bigint, codeHash: Uint8Array, code: Code): void;
  putSlot(address: bigint, slot: bigint, value: bigint): void;
  /** Forgets all slots and trie nodes of an account. */
  clearStorage(address: bigint): void;
  /**
   * Stores the storage of an account in another form than slots and nodes. @param storage slots that the block wrote
   * @param isEmptyBefore true if that is all @returns undefined for accounts without such a form
   */
  ownStorage?(address: bigint, storage: Iterable<readonly [bigint, bigint]>, isEmptyBefore: boolean): StorageRoots | undefined;
  /** Root of the state after a block that changes the block counters alone; undefined if that has to be written. @returns 32 bytes */
  rootWithCounters?(dvmHeight: number): Uint8Array | undefined;
  /** Nodes of the trie of all accounts. */
  accountNodes(): TrieNodes;
  /** Nodes of the trie of an account's storage. */
  storageNodes(address: bigint): TrieNodes;
}

/** Stored form of an account. */
export function encodeAccount({ nonce, balance, storageRoot, codeHash }: Account): Uint8Array {
  return encodeRlp([encodeInteger(nonce), encodeInteger(balance), storageRoot, codeHash]);
}

/**
 * Writes the state of a finished block. What is rewritten unchanged is left alone, as it does not change the root.
 * @returns root of the state, 32 bytes @see docs/protocol/evm-engine.md 4.3
 */
export function commitBlock(block: BlockState, store: StateStore): Uint8Array {
  const accounts = new Trie(store.accountNodes());
  let committed: { readonly key: string; readonly value: Uint8Array } | undefined;
  for (const [address, changed] of block.changed) {
    const key = toHex(addressBytes(address));
    const isCreated = block.isCreated(address);
    if (isCreated) store.clearStorage(address);
    if (block.isDeleted(address)) {
      accounts.delete(key);
      store.clearStorage(address);
      store.deleteAccount(address);
      continue;
    }
    const roots = commitStorage(address, changed, isCreated, store);
    const account = { ...changed.account, storageRoot: roots.stored };
    if (roots.committed !== roots.stored) committed = { key, value: encodeAccount({ ...account, storageRoot: roots.committed }) };
    if (changed.code) store.putCode(address, account.codeHash, changed.code);
    const before = store.account(address);
    if (before && isSame(before, account) && !(isCreated && changed.storage.size > 0)) continue;
    store.putAccount(address, account);
    accounts.set(key, encodeAccount(account));
  }
  const root = accounts.commit();
  return committed ? accounts.rootWith(committed.key, committed.value) : root;
}

function isSame(a: Account, b: Account): boolean {
  if (a.nonce !== b.nonce || a.balance !== b.balance) return false;
  return equalBytes(a.storageRoot, b.storageRoot) && equalBytes(a.codeHash, b.codeHash);
}

function commitStorage(address: bigint, { account, storage }: ChangedAccount, isCreated: boolean, store: StateStore): StorageRoots {
  if (storage.size === 0) return both(isCreated ? EMPTY_ROOT : account.storageRoot);
  const own = store.ownStorage?.(address, storage, isCreated);
  if (own) return own;
  const trie = new Trie(store.storageNodes(address));
  for (const [slot, value] of storage) {
    // A slot that is zero may be absent, and a zero that is written has a place in the trie.
    if (!isCreated && value !== 0n && store.storage(address, slot) === value) continue;
    trie.set(toHex(wordBytes(slot)), wordBytes(value));
    store.putSlot(address, slot, value);
  }
  return both(trie.commit());
}

function both(root: Uint8Array): StorageRoots {
  return { stored: root, committed: root };
}
