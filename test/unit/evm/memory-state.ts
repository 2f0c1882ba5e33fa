import { type Code, NO_CODE } from '../../../src/evm/code.js';
import type { Account } from '../../../src/evm/state/account.js';
import type { BlockState } from '../../../src/evm/state/block-state.js';
import type { StateStore } from '../../../src/evm/state/commit.js';
import type { TrieNodes } from '../../../src/evm/state/trie.js';

/** Nodes of a trie in a map. */
export class MemoryNodes implements TrieNodes {
  readonly nodes = new Map<string, Uint8Array>();
  get(position: string): Uint8Array | undefined {
    return this.nodes.get(position);
  }
  put(position: string, node: Uint8Array): void {
    this.nodes.set(position, node);
  }
  delete(position: string): void {
    this.nodes.delete(position);
  }
}

/** State in maps. */
export class MemoryState implements StateStore {
  readonly accounts = new Map<bigint, Account>();
  readonly codes = new Map<bigint, Code>();
  readonly slots = new Map<bigint, Map<bigint, bigint>>();
  readonly #nodes = new MemoryNodes();
  readonly #storageNodes = new Map<bigint, MemoryNodes>();

  account(address: bigint): Account | undefined {
    return this.accounts.get(address);
  }
  code(address: bigint): Code {
    return this.accounts.has(address) ? (this.codes.get(address) ?? NO_CODE) : NO_CODE;
  }
  storage(address: bigint, slot: bigint): bigint {
    return this.slots.get(address)?.get(slot) ?? 0n;
  }
  putAccount(address: bigint, account: Account): void {
    this.accounts.set(address, account);
  }
  deleteAccount(address: bigint): void {
    this.accounts.delete(address);
    this.codes.delete(address);
  }
  putCode(address: bigint, _codeHash: Uint8Array, code: Code): void {
    this.codes.set(address, code);
  }
  putSlot(address: bigint, slot: bigint, value: bigint): void {
    const slots = this.slots.get(address) ?? new Map<bigint, bigint>();
    this.slots.set(address, slots.set(slot, value));
  }
  clearStorage(address: bigint): void {
    this.slots.delete(address);
    this.#storageNodes.delete(address);
  }
  /** Takes over a block's accounts without its trie, removing the destroyed ones, and emptied ones as the published state tests expect. */
  settle(block: BlockState, coinbase: bigint): void {
    for (const [address, { account, code, storage }] of block.changed) {
      const isEmpty = account.nonce === 0n && account.balance === 0n && block.code(address).size === 0;
      if ((block.isDeleted(address) && !(address === coinbase && !isEmpty)) || isEmpty) {
        this.clearStorage(address);
        this.deleteAccount(address);
        continue;
      }
      if (block.isCreated(address)) this.clearStorage(address);
      this.putAccount(address, account);
      if (code) this.putCode(address, account.codeHash, code);
      for (const [slot, value] of storage) this.putSlot(address, slot, value);
    }
  }
  accountNodes(): TrieNodes {
    return this.#nodes;
  }
  storageNodes(address: bigint): TrieNodes {
    const nodes = this.#storageNodes.get(address) ?? new MemoryNodes();
    this.#storageNodes.set(address, nodes);
    return nodes;
  }
}
