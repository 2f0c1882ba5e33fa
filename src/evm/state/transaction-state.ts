import { compareBigints } from '../../util/numbers.js';
import { type Code, NO_CODE } from '../code.js';
import { WordMap } from '../word-map.js';
import type { Account } from './account.js';

/** State beneath a transaction: that of the block so far. Addresses and slots are numbers. */
export interface StateBelow {
  account(address: bigint): Account | undefined;
  code(address: bigint): Code;
  storage(address: bigint, slot: bigint): bigint;
}

/** Log of a contract: address and topics as numbers, topics in the order of the operands. */
export interface Log {
  readonly address: bigint;
  readonly topics: readonly bigint[];
  readonly data: Uint8Array;
}

interface Slot {
  /** Value at the start of the transaction. */
  readonly below: bigint;
  value: bigint;
  isWritten: boolean;
  isWarm: boolean;
}

/** An account as the transaction sees it. */
interface Entry {
  nonce: bigint;
  balance: bigint;
  code: Code | undefined;
  /** True if the record is written back at the end of the transaction, changed or not. */
  isTouched: boolean;
  /** True if the transaction set the code. */
  hasNewCode: boolean;
  /** True if the account was created: its storage starts empty. */
  isReset: boolean;
  isWarm: boolean;
  isDeleted: boolean;
  readonly slots: WordMap<Slot>;
}

/** Change of an account by a transaction. */
export interface AccountChange {
  readonly address: bigint;
  readonly nonce: bigint;
  readonly balance: bigint;
  /** Undefined if the transaction did not set the code. */
  readonly code: Code | undefined;
  readonly isReset: boolean;
  /** Written slots. */
  readonly storage: readonly (readonly [bigint, bigint])[];
}

/** Effects of a transaction that are applied to the state of its block. */
export interface TransactionChanges {
  /** Touched accounts except the deleted ones, by ascending address. */
  readonly accounts: readonly AccountChange[];
  /** Accounts that destroyed themselves, by ascending address. */
  readonly deleted: readonly bigint[];
}

/** Position in the journal to return to when a frame fails. */
export interface Snapshot {
  readonly changes: number;
  readonly logs: number;
  readonly refund: number;
}

/** First address after the precompiled contracts, which are always warm. */
const FIRST_ORDINARY = 11n;

/**
 * State that a transaction reads and writes. Changes are journaled: a failed or reverted frame returns to its snapshot, which reverts
 * changes, logs, refunds and warm marks alike. Nothing reaches the state beneath. @see docs/protocol/evm-engine.md 2.4
 */
export class TransactionState {
  readonly #entries = new WordMap<Entry>();
  readonly #journal: (() => void)[] = [];
  /** Account and slot that were used last: an opcode asks for its own several times. */
  #lastEntry: { readonly address: bigint; readonly entry: Entry } | undefined;
  #lastSlot: { readonly entry: Entry; readonly slot: bigint; readonly state: Slot } | undefined;
  readonly logs: Log[] = [];
  /** Sum of refunds. */
  refund = 0;

  constructor(readonly below: StateBelow) {}

  snapshot(): Snapshot {
    return { changes: this.#journal.length, logs: this.logs.length, refund: this.refund };
  }

  /** Reverts all changes since a snapshot. */
  rollback({ changes, logs, refund }: Snapshot): void {
    for (let at = this.#journal.length; at > changes; at--) (this.#journal.pop() as () => void)();
    this.logs.length = logs;
    this.refund = refund;
  }

  /** Marks the account as used, so that its record is written at the end of the transaction even if nothing changed. */
  touch(address: bigint): void {
    this.#touched(address);
  }

  nonce(address: bigint): bigint {
    return this.#entry(address).nonce;
  }

  balance(address: bigint): bigint {
    return this.#entry(address).balance;
  }

  code(address: bigint): Code {
    const entry = this.#entry(address);
    entry.code ??= this.below.code(address);
    return entry.code;
  }

  /** True if the account has a nonce, a balance or code. @see EIP-161 */
  exists(address: bigint): boolean {
    const { nonce, balance } = this.#entry(address);
    return nonce !== 0n || balance !== 0n || this.code(address).size > 0;
  }

  setNonce(address: bigint, nonce: bigint): void {
    const entry = this.#touched(address);
    const before = entry.nonce;
    this.#journal.push(() => {
      entry.nonce = before;
    });
    entry.nonce = nonce;
  }

  /** Moves wei and touches both accounts. @returns false, with nothing moved, if the balance is too small */
  transfer(from: bigint, to: bigint, value: bigint): boolean {
    const source = this.#touched(from);
    const target = this.#touched(to);
    if (source.balance < value) return false;
    if (value === 0n) return true;
    this.#setBalance(source, source.balance - value);
    this.#setBalance(target, target.balance + value);
    return true;
  }

  /** Starts a created account: no storage, nonce 1. */
  create(address: bigint): void {
    const entry = this.#touched(address);
    const { isReset, nonce } = entry;
    const slots = [...entry.slots];
    this.#journal.push(() => {
      entry.isReset = isReset;
      entry.nonce = nonce;
      entry.slots.clear();
      this.#lastSlot = undefined;
      for (const [slot, state] of slots) entry.slots.set(slot, state);
    });
    entry.isReset = true;
    entry.nonce = 1n;
    this.#lastSlot = undefined;
    for (const [slot, { isWarm }] of slots) entry.slots.set(slot, { below: 0n, value: 0n, isWritten: false, isWarm });
  }

  setCode(address: bigint, code: Code): void {
    const entry = this.#touched(address);
    const { code: before, hasNewCode } = entry;
    this.#journal.push(() => {
      entry.code = before;
      entry.hasNewCode = hasNewCode;
    });
    entry.code = code;
    entry.hasNewCode = true;
  }

  /** Pays out the balance (to itself: burns it) and marks the account as deleted. */
  selfDestruct(address: bigint, beneficiary: bigint): void {
    const entry = this.#touched(address);
    this.transfer(address, beneficiary, entry.balance);
    this.#setBalance(entry, 0n);
    if (entry.isDeleted) return;
    entry.isDeleted = true;
    this.#journal.push(() => {
      entry.isDeleted = false;
    });
  }

  storage(address: bigint, slot: bigint): bigint {
    return this.#slot(address, slot).value;
  }

  /** Value of a slot at the start of the transaction; 0 in a created account. */
  originalStorage(address: bigint, slot: bigint): bigint {
    return this.#slot(address, slot).below;
  }

  /** Writes a slot; does not touch the account, but a written slot is an effect of the transaction like a touched account. */
  setStorage(address: bigint, slot: bigint, value: bigint): void {
    const state = this.#slot(address, slot);
    const { value: before, isWritten } = state;
    this.#journal.push(() => {
      state.value = before;
      state.isWritten = isWritten;
    });
    state.value = value;
    state.isWritten = true;
  }

  isWarmAccount(address: bigint): boolean {
    return (address !== 0n && address < FIRST_ORDINARY) || this.#entry(address).isWarm;
  }

  warmAccount(address: bigint): void {
    const entry = this.#entry(address);
    if (entry.isWarm) return;
    entry.isWarm = true;
    this.#journal.push(() => {
      entry.isWarm = false;
    });
  }

  isWarmSlot(address: bigint, slot: bigint): boolean {
    return this.#slot(address, slot).isWarm;
  }

  warmSlot(address: bigint, slot: bigint): void {
    const state = this.#slot(address, slot);
    if (state.isWarm) return;
    state.isWarm = true;
    this.#journal.push(() => {
      state.isWarm = false;
    });
  }

  /** Effects for the state of the block. */
  changes(): TransactionChanges {
    const accounts: AccountChange[] = [];
    const deleted: bigint[] = [];
    for (const [address, entry] of this.#entries) {
      if (entry.isDeleted) deleted.push(address);
      else {
        const storage = [...entry.slots].filter(([, { isWritten }]) => isWritten).map(([slot, { value }]) => [slot, value] as const);
        if (entry.isTouched || storage.length > 0) accounts.push(changeOf(address, entry, storage));
      }
    }
    return { accounts: accounts.sort((a, b) => compareBigints(a.address, b.address)), deleted: deleted.sort(compareBigints) };
  }

  #entry(address: bigint): Entry {
    const last = this.#lastEntry;
    if (last?.address === address) return last.entry;
    const entry = this.#entries.get(address) ?? this.#load(address);
    this.#lastEntry = { address, entry };
    return entry;
  }

  #load(address: bigint): Entry {
    const { nonce = 0n, balance = 0n } = this.below.account(address) ?? {};
    const flags = { isTouched: false, hasNewCode: false, isReset: false, isWarm: false, isDeleted: false };
    const entry: Entry = { nonce, balance, code: undefined, ...flags, slots: new WordMap() };
    this.#entries.set(address, entry);
    return entry;
  }

  #touched(address: bigint): Entry {
    const entry = this.#entry(address);
    if (entry.isTouched) return entry;
    entry.isTouched = true;
    this.#journal.push(() => {
      entry.isTouched = false;
    });
    return entry;
  }

  #setBalance(entry: Entry, balance: bigint): void {
    const before = entry.balance;
    this.#journal.push(() => {
      entry.balance = before;
    });
    entry.balance = balance;
  }

  #slot(address: bigint, slot: bigint): Slot {
    const entry = this.#entry(address);
    const last = this.#lastSlot;
    if (last?.entry === entry && last.slot === slot) return last.state;
    const state = entry.slots.get(slot) ?? this.#loadSlot(address, entry, slot);
    this.#lastSlot = { entry, slot, state };
    return state;
  }

  #loadSlot(address: bigint, entry: Entry, slot: bigint): Slot {
    const below = entry.isReset ? 0n : this.below.storage(address, slot);
    const state: Slot = { below, value: below, isWritten: false, isWarm: false };
    entry.slots.set(slot, state);
    return state;
  }
}

function changeOf(address: bigint, entry: Entry, storage: AccountChange['storage']): AccountChange {
  const { nonce, balance, code, hasNewCode, isReset } = entry;
  return { address, nonce, balance, code: hasNewCode ? (code ?? NO_CODE) : undefined, isReset, storage };
}
