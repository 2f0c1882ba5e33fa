import type { TxOut } from '../../primitives/transaction.js';
import { Ownership } from '../keys/ownership.js';

/** Satoshis by token id; always has an entry for DFI. */
export type TokenSums = Map<number, bigint>;

interface Summed {
  readonly out: Pick<TxOut, 'tokenId' | 'value'>;
  readonly ownership: Ownership;
  /** The wallet spent from its address before. */
  readonly isUsed: boolean;
}

/** Sums of outputs by token, ownership, and use of their address. */
export class RunningSums {
  readonly #sums: Readonly<Record<Ownership, { readonly fresh: TokenSums; readonly used: TokenSums }>> = {
    [Ownership.None]: { fresh: new Map(), used: new Map() },
    [Ownership.Watched]: { fresh: new Map(), used: new Map() },
    [Ownership.Spendable]: { fresh: new Map(), used: new Map() },
  };

  add(output: Summed): void {
    addTo(this.#sumsFor(output), output.out.tokenId, output.out.value);
  }

  remove(output: Summed): void {
    addTo(this.#sumsFor(output), output.out.tokenId, -output.out.value);
  }

  /** Sums as a copy. @param skipUsed leaves out used addresses */
  of(ownership: Ownership, skipUsed: boolean): TokenSums {
    const { fresh, used } = this.#sums[ownership];
    const sums = new Map([[0, 0n], ...fresh]);
    if (!skipUsed) for (const [token, amount] of used) addTo(sums, token, amount);
    return sums;
  }

  #sumsFor({ ownership, isUsed }: Summed): TokenSums {
    return this.#sums[ownership][isUsed ? 'used' : 'fresh'];
  }
}

/** Adds a positive or negative amount, and removes a token other than DFI whose sum is 0. */
export function addTo(sums: TokenSums, tokenId: number, amount: bigint): void {
  const sum = (sums.get(tokenId) ?? 0n) + amount;
  if (sum === 0n && tokenId !== 0) sums.delete(tokenId);
  else sums.set(tokenId, sum);
}
