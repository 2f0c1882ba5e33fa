import { Code, NO_CODE } from '../../evm/code.js';
import { type Account, NO_CODE_HASH } from '../../evm/state/account.js';
import type { StateStore } from '../../evm/state/commit.js';
import type { TrieNodes } from '../../evm/state/trie.js';
import type { WritableView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import { evmAccountNodes, evmCodes, evmSlots, evmStateAccounts, evmStorageNodes, type StoredAccount } from './state-columns.js';

/** Codes of contracts with their jump targets; a code has at most 24 KiB. */
const CACHED_CODES = 1_000;
const codes = new Lru<string, Code>(CACHED_CODES);

/** State of the EVM in columns of a view, so that blocks are undone like any others. @see docs/protocol/evm-engine.md 4.6 */
export class ViewState implements StateStore {
  /** Accounts whose storage starts empty in this block. */
  readonly #fresh = new Set<bigint>();

  /** @param incarnation unique to the block: that of accounts whose storage starts empty in it */
  constructor(
    private readonly view: WritableView,
    private readonly incarnation: number,
  ) {}

  account(address: bigint): StoredAccount | undefined {
    return this.view.get(evmStateAccounts, address);
  }

  code(address: bigint): Code {
    const { codeHash } = this.account(address) ?? {};
    if (!codeHash || equalBytes(codeHash, NO_CODE_HASH)) return NO_CODE;
    const key = toHex(codeHash);
    const known = codes.get(key);
    if (known) return known;
    const code = new Code(Uint8Array.from(this.view.get(evmCodes, codeHash) ?? []));
    codes.set(key, code);
    return code;
  }

  storage(address: bigint, slot: bigint): bigint {
    const account = this.account(address);
    return (account && this.view.get(evmSlots, { address, incarnation: account.incarnation, slot })) ?? 0n;
  }

  putAccount(address: bigint, { nonce, balance, storageRoot, codeHash }: Account): void {
    this.view.put(evmStateAccounts, address, { nonce, balance, storageRoot, codeHash, incarnation: this.#incarnationOf(address) });
  }

  deleteAccount(address: bigint): void {
    this.view.delete(evmStateAccounts, address);
  }

  putCode(_address: bigint, codeHash: Uint8Array, code: Code): void {
    this.view.put(evmCodes, codeHash, code.bytes);
  }

  putSlot(address: bigint, slot: bigint, value: bigint): void {
    this.view.put(evmSlots, { address, incarnation: this.#incarnationOf(address), slot }, value);
  }

  clearStorage(address: bigint): void {
    this.#fresh.add(address);
  }

  accountNodes(): TrieNodes {
    const { view } = this;
    return {
      get: (position) => view.get(evmAccountNodes, position),
      put: (position, node) => view.put(evmAccountNodes, position, node),
      delete: (position) => view.delete(evmAccountNodes, position),
    };
  }

  storageNodes(address: bigint): TrieNodes {
    const { view } = this;
    const incarnation = this.#incarnationOf(address);
    return {
      get: (position) => view.get(evmStorageNodes, { address, incarnation, position }),
      put: (position, node) => view.put(evmStorageNodes, { address, incarnation, position }, node),
      delete: (position) => view.delete(evmStorageNodes, { address, incarnation, position }),
    };
  }

  #incarnationOf(address: bigint): number {
    return this.#fresh.has(address) ? this.incarnation : (this.account(address)?.incarnation ?? this.incarnation);
  }
}
