import { formatAmount } from '../../primitives/amount.js';
import { type Codec, compactSize, DecodeError, i64, struct, u32, varBytes } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import { compareByLength } from '../../util/bytes.js';
import { safeAdd } from './math.js';
import { ignoreRejection, TxRejected } from './rejected.js';

/** An amount of one token, in satoshis. */
export interface TokenAmount {
  readonly tokenId: number;
  readonly amount: bigint;
}

/** Amounts of several tokens: each once, ascending by id. */
export type Balances = readonly TokenAmount[];

/** Balances of several owners, to credit or to debit: each owner once, in the order of {@link compareOwners}. */
export type AccountAmounts = readonly { readonly owner: Uint8Array; readonly balances: Balances }[];

/** Token id as VARINT, then the amount in 8 bytes. */
export const tokenAmount: Codec<TokenAmount> = struct<TokenAmount>({ tokenId: varInt32, amount: i64 });

/** Order of owners in lists and columns: shorter scripts first, then bytewise. */
export function compareOwners(a: Uint8Array, b: Uint8Array): number {
  return compareByLength(a, b);
}

/**
 * Count, then per token its id in 4 bytes and the amount in 8. Of duplicate ids the first counts.
 * @throws {DecodeError} on reading, if an amount that counts is 0
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

/** Count, then per owner the script and the {@link balances}. Of duplicate owners the first counts. */
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

/** List of the amounts, ascending by token id. */
export function toBalances(amounts: ReadonlyMap<number, bigint>): Balances {
  return [...amounts].sort(([a], [b]) => a - b).map(([tokenId, amount]) => ({ tokenId, amount }));
}

/** Running sum of token amounts in satoshis. A token whose amounts were all 0 has no entry. */
export class BalanceSum {
  readonly #amounts = new Map<number, bigint>();

  /** @throws {TxRejected} if the amount is negative or the sum exceeds 63 bits */
  add({ tokenId, amount }: TokenAmount): void {
    if (amount !== 0n) this.#amounts.set(tokenId, addToken(this.get(tokenId), amount));
  }

  /** Like {@link add}, but skips an amount that it rejects. */
  addIfPossible(amount: TokenAmount): void {
    ignoreRejection(() => this.add(amount));
  }

  /**
   * Adds an amount of a message as `defid` does where it ignores the error.
   * @returns false if it cannot be added; a token without an entry has one of 0 then
   */
  addOrZero(amount: TokenAmount): boolean {
    try {
      this.add(amount);
      return true;
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
      this.#amounts.set(amount.tokenId, this.get(amount.tokenId));
      return false;
    }
  }

  /** Sum of one token; 0 if it has no entry. */
  get(tokenId: number): bigint {
    return this.#amounts.get(tokenId) ?? 0n;
  }

  list(): Balances {
    return toBalances(this.#amounts);
  }
}

const LEAST_AMOUNT = -(2n ** 63n);

/** `defid` cannot change the sign of the least amount, which gives it another text. */
function negativeAmount(amount: bigint): TxRejected {
  return new TxRejected(`negative amount: ${amount === LEAST_AMOUNT ? '--92233720368.-54775808' : formatAmount(amount)}`);
}

/** Satoshis. @throws {TxRejected} if the amount is negative or the sum exceeds 63 bits */
export function addToken(have: bigint, amount: bigint): bigint {
  if (amount < 0n) throw negativeAmount(amount);
  return safeAdd(have, amount);
}

/** Satoshis. @throws {TxRejected} if the amount is negative or larger than `have` */
export function subToken(have: bigint, amount: bigint): bigint {
  if (amount < 0n) throw negativeAmount(amount);
  if (have < amount) throw new TxRejected(`amount ${formatAmount(have)} is less than ${formatAmount(amount)}`);
  return have - amount;
}

/**
 * Total by token. If an amount cannot be added, the rest of its owner's amounts is skipped and the sum continues with the next owner:
 * `defid` ignores that error (`SumAllTransfers`), so the result is consensus.
 * @see docs/protocol/accounts.md 2.3
 */
export function sumTransfers(accounts: AccountAmounts): Balances {
  const sum = new BalanceSum();
  for (const { balances: amounts } of accounts) amounts.every((amount) => sum.addOrZero(amount));
  return sum.list();
}

/** Compares two lists that are both in order. */
export function equalBalances(a: Balances, b: Balances): boolean {
  return a.length === b.length && a.every(({ tokenId, amount }, i) => tokenId === b[i]?.tokenId && amount === b[i]?.amount);
}

/** Amounts with token ids, such as `1.00000000@0,0.50000000@128`; an empty text for an empty list. */
export function formatBalances(amounts: Balances): string {
  return amounts.map(({ tokenId, amount }) => `${formatAmount(amount)}@${tokenId}`).join(',');
}

/** Decimal text of satoshis without trailing zeros: `1.5`, `0`. */
export function formatShort(value: bigint): string {
  return formatAmount(value).replace(/\.?0+$/, '');
}
