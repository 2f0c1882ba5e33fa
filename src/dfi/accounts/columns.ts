import { encode, i64, struct, u32, u32be, varBytes } from '../../primitives/codec.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { addToken, type Balances, subToken, type TokenAmount } from '../kernel/amounts.js';

/** An owner and a token. */
export interface BalanceKey {
  /** Output script; its owner is the key or script that can spend such outputs. */
  readonly owner: Uint8Array;
  readonly tokenId: number;
}

/** Balances in satoshis, never 0. By owner (shorter scripts first), then by token: reads and token splits iterate in this order. */
export const accountBalances: Column<BalanceKey, bigint> = {
  name: 'dfi/balance',
  key: struct<BalanceKey>({ owner: varBytes, tokenId: u32be }),
  value: i64,
};

/**
 * Height up to which an owner's pool rewards are materialised in its balances. The list of accounts contains an owner from its first
 * entry here on, even if all its balances are 0. @see docs/protocol/accounts.md 5.1
 */
export const materialisedHeights: Column<Uint8Array, number> = { name: 'dfi/balance-height', key: varBytes, value: u32 };

/** Receives each change of a balance. `difference` is in satoshis, negative for debits. */
export interface BalanceRecorder {
  recordChange(owner: Uint8Array, tokenId: number, difference: bigint): void;
}

/** Satoshis; 0 if the owner has none of the token. Rewards that are not yet materialised are not included. */
export function balanceOf(view: StateView, owner: Uint8Array, tokenId: number): bigint {
  return view.get(accountBalances, { owner, tokenId }) ?? 0n;
}

/** Balances of an owner, ascending by token id. */
export function* balancesOf(view: StateView, owner: Uint8Array, fromTokenId = 0): Generator<TokenAmount> {
  const range = { from: { owner, tokenId: fromTokenId }, prefix: encode(varBytes, owner) };
  for (const [{ tokenId }, amount] of view.entries(accountBalances, range)) yield { tokenId, amount };
}

/** Balances of all owners from one on, shorter scripts first, each owner's ascending by token id. */
export function allBalances(view: StateView, from?: Uint8Array): Iterable<readonly [BalanceKey, bigint]> {
  return view.entries(accountBalances, from ? { from: { owner: from, tokenId: 0 } } : {});
}

/** Owners in the list of accounts, shorter scripts first. */
export function* accountOwners(view: StateView, from?: Uint8Array): Generator<Uint8Array> {
  for (const [owner] of view.entries(materialisedHeights, from ? { from } : {})) yield owner;
}

/** Changes the balances of a state and reports each change to a recorder, from which the account history is written. */
export class Accounts {
  constructor(
    readonly view: WritableView,
    private readonly recorder?: BalanceRecorder,
  ) {}

  balance(owner: Uint8Array, tokenId: number): bigint {
    return balanceOf(this.view, owner, tokenId);
  }

  /** Credits an amount; 0 has no effect. @throws {TxRejected} if the amount is negative or the balance overflows */
  add(owner: Uint8Array, { tokenId, amount }: TokenAmount): void {
    if (amount === 0n) return;
    this.#put(owner, tokenId, addToken(this.balance(owner, tokenId), amount));
    this.recorder?.recordChange(owner, tokenId, amount);
  }

  /** Debits an amount; 0 has no effect. @throws {TxRejected} if the amount is negative or exceeds the balance */
  sub(owner: Uint8Array, { tokenId, amount }: TokenAmount): void {
    if (amount === 0n) return;
    this.#put(owner, tokenId, subToken(this.balance(owner, tokenId), amount));
    this.recorder?.recordChange(owner, tokenId, -amount);
  }

  /**
   * Moves an amount. The empty script is a sentinel: it is neither debited nor credited, so an amount from it is new and one to it is
   * destroyed. @throws {TxRejected} like {@link sub} and {@link add}
   */
  move(from: Uint8Array, to: Uint8Array, amount: TokenAmount): void {
    if (from.length > 0) this.sub(from, amount);
    if (to.length > 0) this.add(to, amount);
  }

  /** Credits amounts in ascending order of tokens, up to the first failure; earlier credits are kept. @throws {TxRejected} */
  addAll(owner: Uint8Array, amounts: Balances): void {
    for (const amount of amounts) this.add(owner, amount);
  }

  /** Debits amounts in ascending order of tokens, up to the first failure; earlier debits are kept. @throws {TxRejected} */
  subAll(owner: Uint8Array, amounts: Balances): void {
    for (const amount of amounts) this.sub(owner, amount);
  }

  #put(owner: Uint8Array, tokenId: number, balance: bigint): void {
    if (balance === 0n) this.view.delete(accountBalances, { owner, tokenId });
    else this.view.put(accountBalances, { owner, tokenId }, balance);
  }
}
