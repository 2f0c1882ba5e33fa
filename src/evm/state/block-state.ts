import { blake2b } from '@noble/hashes/blake2.js';
import { equalBytes } from '../../util/bytes.js';
import { type Code, NO_CODE } from '../code.js';
import { WordMap } from '../word-map.js';
import { type Account, NO_CODE_HASH } from './account.js';
import type { StateBelow, TransactionChanges } from './transaction-state.js';
import { EMPTY_ROOT } from './trie.js';

const HASH_SIZE = 32;
const NO_STORAGE = new Uint8Array(HASH_SIZE);

/** Account as a block has changed it. */
export interface ChangedAccount {
  readonly account: Account;
  /** Undefined if the block did not set the code. */
  readonly code: Code | undefined;
  /** Slots that the block wrote, zeros included. */
  readonly storage: WordMap<bigint>;
}

/** Parts of an account to write; what is absent stays as it is. */
export interface AccountWrite {
  readonly basic?: Pick<Account, 'nonce' | 'balance'>;
  readonly code?: Code | undefined;
  readonly storage?: Iterable<readonly [bigint, bigint]>;
  /** True to drop the slots that the block has written so far. */
  readonly reset?: boolean;
}

/** Hashes of codes in use. The first block writes one code to more than a thousand accounts. */
const hashes = new WeakMap<Code, Uint8Array>();

/** Stored hash of code: BLAKE2b-256, which contracts never see. */
export function codeHashOf(code: Code): Uint8Array {
  const known = hashes.get(code);
  if (known) return known;
  const hash = blake2b(code.bytes, { dkLen: HASH_SIZE });
  hashes.set(code, hash);
  return hash;
}

/** True if an account has neither nonce nor balance, and code was never set. */
function isEmpty({ nonce, balance, codeHash }: Account): boolean {
  return nonce === 0n && balance === 0n && equalBytes(codeHash, NO_CODE_HASH);
}

/** True if writing an account as it is would change the state: an absent one is created, and one that is empty loses its storage. */
export function isChangedByTouch(account: Account | undefined): boolean {
  return account === undefined || (isEmpty(account) && !equalBytes(account.storageRoot, EMPTY_ROOT));
}

/**
 * State of a block under construction, over the state of its parent. Destroyed and emptied accounts are removed at the end of the
 * block, not of their transaction: until then they keep code, storage and balance, and what they receive is lost. Every consequence
 * is consensus. @see docs/protocol/evm-engine.md 4.2
 */
export class BlockState implements StateBelow {
  readonly #changed = new WordMap<ChangedAccount>();
  readonly #deleted = new WordMap<true>();
  readonly #created = new WordMap<true>();
  readonly #journal: (() => void)[] = [];

  constructor(readonly parent: StateBelow) {}

  /** Changed accounts in order of their first change. */
  get changed(): Iterable<readonly [bigint, ChangedAccount]> {
    return this.#changed;
  }

  /** True for accounts that are removed at the end of the block. */
  isDeleted(address: bigint): boolean {
    return this.#deleted.has(address);
  }

  /** True for accounts that were absent or empty: their storage starts empty. */
  isCreated(address: bigint): boolean {
    return this.#created.has(address);
  }

  account(address: bigint): Account | undefined {
    return this.#changed.get(address)?.account ?? this.parent.account(address);
  }

  code(address: bigint): Code {
    return this.#changed.get(address)?.code ?? (this.account(address) ? this.parent.code(address) : NO_CODE);
  }

  storage(address: bigint, slot: bigint): bigint {
    const written = this.#changed.get(address)?.storage.get(slot);
    return written ?? (this.account(address) ? this.parent.storage(address, slot) : 0n);
  }

  /** Changes an account outside of a transaction: fees, transfers between the domains, contracts of the network. */
  write(address: bigint, { basic, code, storage, reset = false }: AccountWrite): void {
    const before = this.#changed.get(address);
    const account = this.account(address) ?? { nonce: 0n, balance: 0n, storageRoot: NO_STORAGE, codeHash: NO_CODE_HASH };
    if (reset || isEmpty(account)) this.#mark(this.#created, address);
    const slots = before && !reset ? before.storage : new WordMap<bigint>();
    const after: ChangedAccount = {
      account: { ...account, ...basic, ...(code && { codeHash: codeHashOf(code) }) },
      code: code ?? before?.code,
      storage: slots,
    };
    this.#changed.set(address, after);
    this.#journal.push(() => {
      if (before) this.#changed.set(address, before);
      else this.#changed.delete(address);
    });
    for (const [slot, value] of storage ?? []) this.#writeSlot(slots, slot, value);
  }

  /** True if writing an account as it is would change the state; also of an empty one that the block has changed. */
  isChangedByTouch(address: bigint): boolean {
    const account = this.account(address);
    return isChangedByTouch(account) || (account !== undefined && isEmpty(account) && this.#changed.has(address));
  }

  /** Applies the effects of a transaction that was executed. */
  apply({ accounts, deleted }: TransactionChanges): void {
    for (const { address, nonce, balance, code, storage, isReset } of accounts) {
      this.write(address, { basic: { nonce, balance }, code, storage, reset: isReset });
      if (isEmpty(this.account(address) as Account)) this.#mark(this.#deleted, address);
    }
    for (const address of deleted) {
      this.write(address, {});
      this.#mark(this.#deleted, address);
    }
  }

  /** Position to return to if an entry of the block fails. */
  checkpoint(): number {
    return this.#journal.length;
  }

  /** Reverts all changes since a checkpoint. */
  rollback(checkpoint: number): void {
    for (let at = this.#journal.length; at > checkpoint; at--) (this.#journal.pop() as () => void)();
  }

  #writeSlot(slots: WordMap<bigint>, slot: bigint, value: bigint): void {
    const before = slots.get(slot);
    slots.set(slot, value);
    this.#journal.push(() => {
      if (before === undefined) slots.delete(slot);
      else slots.set(slot, before);
    });
  }

  #mark(set: WordMap<true>, address: bigint): void {
    if (set.has(address)) return;
    set.set(address, true);
    this.#journal.push(() => {
      set.delete(address);
    });
  }
}
