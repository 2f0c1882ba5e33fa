import { encode, i64, struct, u32, u32be, varBytes } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { addToken, type Balances, subToken, type TokenAmount } from '../kernel/amounts.js';

export interface BalanceKey {
  /** Output script: the owner of an account is whoever can spend such outputs. */
  readonly owner: Uint8Array;
  readonly tokenId: number;
}

/** Balances, never 0. By owner (shorter scripts first), then by token: reads and splits iterate in this order. */
export const accountBalances: Column<BalanceKey, bigint> = {
  name: 'dfi/balance',
  key: struct<BalanceKey>({ owner: varBytes, tokenId: u32be }),
  value: i64,
};

/**
 * Height up to which an owner's pool rewards are in its balances. An owner is listed among the accounts from its first entry on,
 * whatever it has. @see docs/protocol/accounts.md 5.1
 */
export const settledHeights: Column<Uint8Array, number> = { name: 'dfi/balance-height', key: varBytes, value: u32 };

/** Told of each change of a balance. */
export interface BalanceRecorder {
  note(owner: Uint8Array, tokenId: number, difference: bigint): void;
}

export function balanceOf(view: StateView, owner: Uint8Array, tokenId: number): bigint {
  return view.get(accountBalances, { owner, tokenId }) ?? 0n;
}

/** Balances of an owner, ascending by token id. */
export function* balancesOf(view: StateView, owner: Uint8Array, fromTokenId = 0): Generator<TokenAmount> {
  const range = { from: { owner, tokenId: fromTokenId }, prefix: encode(varBytes, owner) };
  for (const [{ tokenId }, amount] of view.entries(accountBalances, range)) yield { tokenId, amount };
}

/** Owners that are listed among the accounts, shorter scripts first. */
export function* accountOwners(view: StateView, from?: Uint8Array): Generator<Uint8Array> {
  for (const [owner] of view.entries(settledHeights, from ? { from } : {})) yield owner;
}

/** Changes the balances of a state and tells a recorder of it, from which the account history is written. */
export class Accounts {
  constructor(
    readonly view: WritableView,
    private readonly recorder?: BalanceRecorder,
  ) {}

  balance(owner: Uint8Array, tokenId: number): bigint {
    return balanceOf(this.view, owner, tokenId);
  }

  /** Adding 0 is nothing. @throws {TxRejected} if the amount is negative or the balance would be too large */
  add(owner: Uint8Array, { tokenId, amount }: TokenAmount): void {
    if (amount === 0n) return;
    this.#put(owner, tokenId, addToken(this.balance(owner, tokenId), amount));
    this.recorder?.note(owner, tokenId, amount);
  }

  /** Subtracting 0 is nothing. @throws {TxRejected} if the amount is negative or more than there is */
  sub(owner: Uint8Array, { tokenId, amount }: TokenAmount): void {
    if (amount === 0n) return;
    this.#put(owner, tokenId, subToken(this.balance(owner, tokenId), amount));
    this.recorder?.note(owner, tokenId, -amount);
  }

  /**
   * Moves an amount. Nobody, which is the empty script, pays nothing and gets nothing: what comes from there is new, what goes there is
   * gone. @throws {TxRejected} like {@link sub} and {@link add}
   */
  move(from: Uint8Array, to: Uint8Array, amount: TokenAmount): void {
    if (from.length > 0) this.sub(from, amount);
    if (to.length > 0) this.add(to, amount);
  }

  /** In ascending order of tokens, up to the first that fails. @throws {TxRejected} */
  addAll(owner: Uint8Array, amounts: Balances): void {
    for (const amount of amounts) this.add(owner, amount);
  }

  /** In ascending order of tokens, up to the first that fails. @throws {TxRejected} */
  subAll(owner: Uint8Array, amounts: Balances): void {
    for (const amount of amounts) this.sub(owner, amount);
  }

  #put(owner: Uint8Array, tokenId: number, balance: bigint): void {
    if (balance === 0n) this.view.delete(accountBalances, { owner, tokenId });
    else this.view.put(accountBalances, { owner, tokenId }, balance);
  }
}
