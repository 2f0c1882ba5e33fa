import type { Hash256 } from '../../primitives/hash.js';
import type { Column, WritableView } from '../../storage/view.js';
import { addToken, type Balances, subToken, type TokenAmount, toBalances } from './amounts.js';
import { TxRejected } from './rejected.js';

type BalanceColumn = Column<Hash256, Balances>;

/**
 * Adds an amount to the balances stored under a key. An amount of 0 writes nothing.
 * @throws {TxRejected} if the amount is negative or the sum exceeds 63 bits
 */
export function addToBalances(view: WritableView, column: BalanceColumn, key: Hash256, { tokenId, amount }: TokenAmount): void {
  if (amount === 0n) return;
  const held = asMap(view.get(column, key));
  held.set(tokenId, addToken(held.get(tokenId) ?? 0n, amount));
  view.put(column, key, toBalances(held));
}

/** Error texts of {@link subFromBalances}, which differ between balances and upgrades. */
export interface DebitErrors {
  /** Error text if no balances are stored under the key. */
  readonly absent: string;
  /** True: the error for too small a balance names both amounts. False: its text is `absent`. */
  readonly namesAmounts: boolean;
}

/**
 * Subtracts an amount from the balances stored under a key. Balances that become empty are deleted.
 * @throws {TxRejected} if the balance is too small
 */
export function subFromBalances(
  view: WritableView,
  column: BalanceColumn,
  key: Hash256,
  { tokenId, amount }: TokenAmount,
  { absent, namesAmounts }: DebitErrors,
): void {
  const balances = view.get(column, key);
  if (!balances) throw new TxRejected(absent);
  if (amount === 0n) return;
  const held = asMap(balances);
  const have = held.get(tokenId) ?? 0n;
  if (!namesAmounts && (amount < 0n || have < amount)) throw new TxRejected(absent);
  const left = subToken(have, amount);
  if (left === 0n) held.delete(tokenId);
  else held.set(tokenId, left);
  if (held.size === 0) view.delete(column, key);
  else view.put(column, key, toBalances(held));
}

/** Amount of one token, in satoshis; 0 if there is none. */
export function amountOf(balances: Balances | undefined, tokenId: number): bigint {
  return balances?.find((own) => own.tokenId === tokenId)?.amount ?? 0n;
}

function asMap(balances: Balances = []): Map<number, bigint> {
  return new Map(balances.map(({ tokenId, amount }) => [tokenId, amount]));
}
