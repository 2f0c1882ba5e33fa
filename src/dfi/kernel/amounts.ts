import { formatAmount } from '../../primitives/amount.js';
import { type Codec, compactSize, DecodeError, i64, struct, u32, varBytes, varInt32 } from '../../primitives/codec.js';
import { compareBytes } from '../../util/bytes.js';
import { safeAdd } from './math.js';
import { TxRejected } from './rejected.js';

/** An amount of one token, in satoshis. */
export interface TokenAmount {
  readonly tokenId: number;
  readonly amount: bigint;
}

/** Amounts of several tokens: each once, ascending by id. */
export type Balances = readonly TokenAmount[];

/** What several owners get or give: each once, shorter scripts first, then by bytes. */
export type AccountAmounts = readonly { readonly owner: Uint8Array; readonly balances: Balances }[];

/** Token id as VARINT, then the amount. */
export const tokenAmount: Codec<TokenAmount> = struct<TokenAmount>({ tokenId: varInt32, amount: i64 });

/** Order of owners everywhere: shorter scripts first, then bytewise. */
export function compareOwners(a: Uint8Array, b: Uint8Array): number {
  return a.length - b.length || compareBytes(a, b);
}

/**
 * Count, then token id in 4 bytes and amount. Of duplicate ids the first counts; a zero amount is refused.
 * @see docs/protocol/accounts.md 2.3
 */
export const balances: Codec<Balances> = {
  write(w, value) {
    compactSize.write(w, value.length);
    for (const { tokenId, amount } of value) {
      u32.write(w, tokenId);
      i64.write(w, amount);
    }
  },
  read(r) {
    const found = new Map<number, bigint>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const tokenId = u32.read(r);
      const amount = i64.read(r);
      if (!found.has(tokenId)) found.set(tokenId, amount);
    }
    if ([...found.values()].includes(0n)) throw new DecodeError('non-canonical balances (zero amount)');
    return toBalances(found);
  },
};

/** Count, then script and balances. Of duplicate owners the first counts. */
export const accountAmounts: Codec<AccountAmounts> = {
  write(w, value) {
    compactSize.write(w, value.length);
    for (const { owner, balances: amounts } of value) {
      varBytes.write(w, owner);
      balances.write(w, amounts);
    }
  },
  read(r) {
    const found = new Map<string, AccountAmounts[number]>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const owner = varBytes.read(r);
      const amounts = balances.read(r);
      const key = Buffer.from(owner).toString('latin1');
      if (!found.has(key)) found.set(key, { owner, balances: amounts });
    }
    return [...found.values()].sort((a, b) => compareOwners(a.owner, b.owner));
  },
};

/** Amounts by token id as a list in order. */
export function toBalances(amounts: ReadonlyMap<number, bigint>): Balances {
  return [...amounts].sort(([a], [b]) => a - b).map(([tokenId, amount]) => ({ tokenId, amount }));
}

/** Adds up amounts; those that become 0 disappear. */
export class BalanceSum {
  readonly #amounts = new Map<number, bigint>();

  /** Adding 0 is nothing. @throws {TxRejected} if the amount is negative, or the sum too large */
  add({ tokenId, amount }: TokenAmount): void {
    if (amount === 0n) return;
    this.#amounts.set(tokenId, addToken(this.#amounts.get(tokenId) ?? 0n, amount));
  }

  /** Adds nothing where {@link add} fails. */
  addIfPossible(amount: TokenAmount): void {
    try {
      this.add(amount);
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
    }
  }

  get(tokenId: number): bigint {
    return this.#amounts.get(tokenId) ?? 0n;
  }

  list(): Balances {
    return toBalances(this.#amounts);
  }
}

/** @throws {TxRejected} */
export function addToken(have: bigint, amount: bigint): bigint {
  if (amount < 0n) throw new TxRejected(`negative amount: ${formatAmount(amount)}`);
  return safeAdd(have, amount);
}

/** @throws {TxRejected} */
export function subToken(have: bigint, amount: bigint): bigint {
  if (amount < 0n) throw new TxRejected(`negative amount: ${formatAmount(amount)}`);
  if (have < amount) throw new TxRejected(`amount ${formatAmount(have)} is less than ${formatAmount(amount)}`);
  return have - amount;
}

/**
 * What a list of accounts holds together. Where an amount cannot be added, the rest of that account is left out and the next one
 * follows: blocks rely on that. @see docs/protocol/accounts.md 2.3
 */
export function sumTransfers(accounts: AccountAmounts): Balances {
  const sum = new BalanceSum();
  for (const { balances: amounts } of accounts) {
    try {
      for (const amount of amounts) sum.add(amount);
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
    }
  }
  return sum.list();
}

export function equalBalances(a: Balances, b: Balances): boolean {
  return a.length === b.length && a.every(({ tokenId, amount }, i) => tokenId === b[i]?.tokenId && amount === b[i]?.amount);
}

/** `1.00000000@0,0.50000000@128`; empty for none. */
export function formatBalances(amounts: Balances): string {
  return amounts.map(({ tokenId, amount }) => `${formatAmount(amount)}@${tokenId}`).join(',');
}

/** Decimal text without trailing zeros. */
export function formatShort(value: bigint): string {
  return formatAmount(value).replace(/\.?0+$/, '');
}
