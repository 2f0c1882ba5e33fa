import { Code, NO_CODE } from '../../evm/code.js';
import { INTRINSICS } from '../../evm/contracts/addresses.js';
import { type Account, NO_CODE_HASH } from '../../evm/state/account.js';
import { encodeAccount, type StateStore, type StorageRoots } from '../../evm/state/commit.js';
import type { StateBelow } from '../../evm/state/transaction-state.js';
import { type ReadableNodes, Trie, TrieCache, type TrieNodes, triePath } from '../../evm/state/trie.js';
import type { TriePath } from '../../evm/state/trie-path.js';
import { addressBytes, WORD_SIZE, wordBytes } from '../../evm/words.js';
import { Projection } from '../../storage/projection.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import {
  COUNTERS,
  counterRoot,
  counterSlot,
  counterSlots,
  countersOf,
  hasCounterStorage,
  lastCounters,
  withStorageRoot,
} from './counter-storage.js';
import { evmAccountVersions, evmSlotVersions } from './history-columns.js';
import {
  evmAccountNodes,
  evmCodes,
  evmSlots,
  evmStateAccounts,
  evmStorageNodes,
  type StorageNodeKey,
  type StoredAccount,
} from './state-columns.js';

/** Codes of contracts with their jump targets; a code has at most 24 KiB. */
const CACHED_CODES = 1_000;
const codes = new Lru<string, Code>(CACHED_CODES);
const accountTries = new TrieCache();
/** Storages of contracts that are kept, by address. */
const CACHED_STORAGES = 32;
const storageTries = new Lru<bigint, TrieCache>(CACHED_STORAGES);

/** Key of the account with the counters in the trie of all accounts. */
const COUNTERS_KEY = toHex(addressBytes(INTRINSICS));
/** That account in a state. */
interface CounterPlace {
  /** Its encoding, in which the root of its storage is overwritten. */
  readonly account: Uint8Array;
  readonly path: TriePath;
}

const counterPlaces = new Projection<CounterPlace | undefined>(1);
/** The root is followed by the hash of the code, which follows its length. */
const ROOT_FROM_END = WORD_SIZE + 1 + WORD_SIZE;

/** State of the EVM as of a view, to read. */
export class EvmState implements StateBelow {
  constructor(private readonly source: StateView) {}

  account(address: bigint): StoredAccount | undefined {
    const account = this.source.get(evmStateAccounts, address);
    return account && withStorageRoot(this.source, address, account);
  }

  code(address: bigint): Code {
    return storedCode(this.source, this.account(address));
  }

  storage(address: bigint, slot: bigint): bigint {
    const account = this.source.get(evmStateAccounts, address);
    if (hasCounterStorage(this.source, address, account)) return counterSlot(lastCounters(this.source), slot);
    return (account && this.source.get(evmSlots, { address, incarnation: account.incarnation, slot })) ?? 0n;
  }
}

/** True if code was ever set. @see docs/protocol/evm-engine.md 1 */
export function isContract(state: StateBelow, address: bigint): boolean {
  const account = state.account(address);
  return account !== undefined && !equalBytes(account.codeHash, NO_CODE_HASH);
}

/**
 * State of the EVM that can be written. It is written to columns when a block ends, so EVM blocks are undone like all other state.
 * @see docs/protocol/evm-engine.md 4.6
 */
export class ViewState extends EvmState implements StateStore {
  /** Accounts whose storage starts empty in this block. */
  readonly #fresh = new Set<bigint>();
  /** Account that was looked up last: a commit asks for it several times, then for its slots and nodes. */
  #last: { readonly address: bigint; readonly account: StoredAccount | undefined } | undefined;

  /** @param number that of the EVM block, which is also the incarnation of accounts whose storage starts empty in it */
  constructor(
    private readonly view: WritableView,
    private readonly number: number,
  ) {
    super(view);
  }

  /** The account as it is stored. */
  override account(address: bigint): StoredAccount | undefined {
    if (this.#last?.address !== address) this.#last = { address, account: this.view.get(evmStateAccounts, address) };
    return this.#last.account;
  }

  putAccount(address: bigint, { nonce, balance, storageRoot, codeHash }: Account): void {
    const account = { nonce, balance, storageRoot, codeHash, incarnation: this.#incarnationOf(address) };
    const before = this.account(address);
    if (!before || !isSameVersion(before, account)) this.#keepVersion(address, before);
    else if (equalBytes(before.storageRoot, account.storageRoot)) return;
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

  /** The counters are not stored. Before their storage gets any other content, they are written. */
  ownStorage(address: bigint, storage: Iterable<readonly [bigint, bigint]>, isEmptyBefore: boolean): StorageRoots | undefined {
    if (address !== INTRINSICS) return undefined;
    const isOwn = hasCounterStorage(this.view, address, this.account(address));
    if (!isOwn && !isEmptyBefore) return undefined;
    const counters = countersOf(storage, this.number);
    if (counters) return { stored: COUNTERS, committed: counterRoot(counters) };
    if (!isOwn || isEmptyBefore) return undefined;
    const before = counterSlots(lastCounters(this.view));
    this.clearStorage(address);
    const trie = new Trie(this.storageNodes(address));
    for (const [slot, value] of new Map([...before, ...storage])) {
      trie.set(toHex(wordBytes(slot)), wordBytes(value));
      this.putSlot(address, slot, value);
    }
    const root = trie.commit();
    return { stored: root, committed: root };
  }

  rootWithCounters(dvmHeight: number): Uint8Array | undefined {
    const place = counterPlaces.of(this.view, '', counterPlaceIn);
    if (!place) return undefined;
    const { account, path } = place;
    account.set(counterRoot({ number: this.number, dvmHeight }), account.length - ROOT_FROM_END);
    return path.rootWith(account);
  }

  clearStorage(address: bigint): void {
    this.#fresh.add(address);
  }

  accountNodes(): TrieNodes {
    return new AccountNodes(this.view);
  }

  storageNodes(address: bigint): TrieNodes {
    return new StorageNodes(this.view, address, this.#incarnationOf(address));
  }

  #incarnationOf(address: bigint): number {
    if (this.#fresh.has(address)) return this.number;
    return this.account(address)?.incarnation ?? this.number;
  }

  /** Before the first block there is nothing to return to. */
  #keepVersion(address: bigint, before: StoredAccount | undefined): void {
    const version = before && withStorageRoot(this.view, address, before);
    if (this.number > 0) this.view.putNew(evmAccountVersions, { address, number: this.number }, version);
  }
}

class AccountNodeReader implements ReadableNodes {
  readonly cache = accountTries;

  constructor(private readonly source: StateView) {}

  get(position: string): Uint8Array | undefined {
    return this.source.get(evmAccountNodes, position);
  }
}

/** Nodes of the trie of all accounts. */
class AccountNodes extends AccountNodeReader implements TrieNodes {
  constructor(private readonly view: WritableView) {
    super(view);
  }

  put(position: string, node: Uint8Array): void {
    this.view.put(evmAccountNodes, position, node);
  }

  delete(position: string): void {
    this.view.delete(evmAccountNodes, position);
  }
}

/** Nodes of the trie of one account's storage. */
class StorageNodes implements TrieNodes {
  readonly cache: TrieCache;

  constructor(
    private readonly view: WritableView,
    private readonly address: bigint,
    private readonly incarnation: number,
  ) {
    this.cache = storageCache(address);
  }

  get(position: string): Uint8Array | undefined {
    return this.view.get(evmStorageNodes, this.#key(position));
  }

  put(position: string, node: Uint8Array): void {
    this.view.put(evmStorageNodes, this.#key(position), node);
  }

  delete(position: string): void {
    this.view.delete(evmStorageNodes, this.#key(position));
  }

  #key(position: string): StorageNodeKey {
    return { address: this.address, incarnation: this.incarnation, position };
  }
}

/** Undefined for a state in which the root of the storage is that of stored slots. */
function counterPlaceIn(view: StateView): CounterPlace | undefined {
  const account = view.get(evmStateAccounts, INTRINSICS);
  if (!account || !equalBytes(account.storageRoot, COUNTERS)) return undefined;
  return { account: encodeAccount(account), path: triePath(new AccountNodeReader(view), COUNTERS_KEY) };
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

/** True if accounts are the same but for the root of their storage. */
export function isSameVersion(a: StoredAccount, b: StoredAccount): boolean {
  return a.nonce === b.nonce && a.balance === b.balance && a.incarnation === b.incarnation && equalBytes(a.codeHash, b.codeHash);
}
