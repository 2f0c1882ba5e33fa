import { Code, NO_CODE } from '../../evm/code.js';
import { type Account, NO_CODE_HASH } from '../../evm/state/account.js';
import type { StateStore } from '../../evm/state/commit.js';
import type { StateBelow } from '../../evm/state/transaction-state.js';
import { TrieCache, type TrieNodes } from '../../evm/state/trie.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import { evmAccountVersions, evmSlotVersions } from './history-columns.js';
import { evmAccountNodes, evmCodes, evmSlots, evmStateAccounts, evmStorageNodes, type StoredAccount } from './state-columns.js';

/** Codes of contracts with their jump targets; a code has at most 24 KiB. */
const CACHED_CODES = 1_000;
const codes = new Lru<string, Code>(CACHED_CODES);
const accountTries = new TrieCache();
/** The same of storage, by address. */
const CACHED_STORAGES = 32;
const storageTries = new Lru<bigint, TrieCache>(CACHED_STORAGES);

/** State of the EVM as of a view, to read. */
export class EvmState implements StateBelow {
  constructor(private readonly source: StateView) {}

  account(address: bigint): StoredAccount | undefined {
    return this.source.get(evmStateAccounts, address);
  }

  code(address: bigint): Code {
    return storedCode(this.source, this.account(address));
  }

  storage(address: bigint, slot: bigint): bigint {
    const account = this.account(address);
    return (account && this.source.get(evmSlots, { address, incarnation: account.incarnation, slot })) ?? 0n;
  }
}

/** True if code was ever set. @see docs/protocol/evm-engine.md 1 */
export function isContract(state: StateBelow, address: bigint): boolean {
  const account = state.account(address);
  return account !== undefined && !equalBytes(account.codeHash, NO_CODE_HASH);
}

/** The same state, written when a block ends, so that blocks are undone like any others. @see docs/protocol/evm-engine.md 4.6 */
export class ViewState extends EvmState implements StateStore {
  /** Accounts whose storage starts empty in this block. */
  readonly #fresh = new Set<bigint>();
  /** Account that was looked up last: its slots and nodes follow one another. */
  #last: { readonly address: bigint; readonly account: StoredAccount | undefined } | undefined;

  /** @param number that of the EVM block, which is also the incarnation of accounts whose storage starts empty in it */
  constructor(
    private readonly view: WritableView,
    private readonly number: number,
  ) {
    super(view);
  }

  putAccount(address: bigint, { nonce, balance, storageRoot, codeHash }: Account): void {
    const account = { nonce, balance, storageRoot, codeHash, incarnation: this.#incarnationOf(address) };
    const before = this.account(address);
    if (before && isSame(before, account)) return;
    this.#keepVersion(address, before);
    this.#last = undefined;
    this.view.put(evmStateAccounts, address, account);
  }

  deleteAccount(address: bigint): void {
    const before = this.account(address);
    if (!before) return;
    this.#keepVersion(address, before);
    this.#last = undefined;
    this.view.delete(evmStateAccounts, address);
  }

  putCode(_address: bigint, codeHash: Uint8Array, code: Code): void {
    this.view.put(evmCodes, codeHash, code.bytes);
  }

  putSlot(address: bigint, slot: bigint, value: bigint): void {
    const key = { address, incarnation: this.#incarnationOf(address), slot };
    const before = this.view.get(evmSlots, key);
    if (before === value) return;
    if (key.incarnation !== this.number) this.view.putNew(evmSlotVersions, { ...key, number: this.number }, before ?? 0n);
    this.view.put(evmSlots, key, value);
  }

  clearStorage(address: bigint): void {
    this.#fresh.add(address);
  }

  accountNodes(): TrieNodes {
    const { view } = this;
    return {
      cache: accountTries,
      get: (position) => view.get(evmAccountNodes, position),
      put: (position, node) => view.put(evmAccountNodes, position, node),
      delete: (position) => view.delete(evmAccountNodes, position),
    };
  }

  storageNodes(address: bigint): TrieNodes {
    const { view } = this;
    const incarnation = this.#incarnationOf(address);
    return {
      cache: storageCache(address),
      get: (position) => view.get(evmStorageNodes, { address, incarnation, position }),
      put: (position, node) => view.put(evmStorageNodes, { address, incarnation, position }, node),
      delete: (position) => view.delete(evmStorageNodes, { address, incarnation, position }),
    };
  }

  #incarnationOf(address: bigint): number {
    if (this.#fresh.has(address)) return this.number;
    if (this.#last?.address !== address) this.#last = { address, account: this.account(address) };
    return this.#last.account?.incarnation ?? this.number;
  }

  /** Before the first block there is nothing to return to. */
  #keepVersion(address: bigint, before: StoredAccount | undefined): void {
    if (this.number > 0) this.view.putNew(evmAccountVersions, { address, number: this.number }, before);
  }
}

function storageCache(address: bigint): TrieCache {
  const known = storageTries.get(address);
  if (known) return known;
  const cache = new TrieCache();
  storageTries.set(address, cache);
  return cache;
}

/** Code of an account. */
export function storedCode(view: StateView, account: Pick<Account, 'codeHash'> | undefined): Code {
  if (!account || equalBytes(account.codeHash, NO_CODE_HASH)) return NO_CODE;
  const key = toHex(account.codeHash);
  const known = codes.get(key);
  if (known) return known;
  const code = new Code(Uint8Array.from(view.get(evmCodes, account.codeHash) ?? []));
  codes.set(key, code);
  return code;
}

function isSame(a: StoredAccount, b: StoredAccount): boolean {
  const isSameState = equalBytes(a.storageRoot, b.storageRoot) && equalBytes(a.codeHash, b.codeHash);
  return isSameState && a.nonce === b.nonce && a.balance === b.balance && a.incarnation === b.incarnation;
}
