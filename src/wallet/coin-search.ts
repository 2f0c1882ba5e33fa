/** Coin selection options of the `-walletcoinopt*` family. @see docs/protocol/wallet.md 1.13 */
export interface CoinSearch {
  /** Sets both other options (`-walletfastselect`). */
  readonly fast: boolean;
  /** Treats every script as solvable, without checking. */
  readonly skipSolvable: boolean;
  /** Stops at the first coins that suffice, by raw txid and index. */
  readonly eager: boolean;
}

export function skipsSolvable({ fast, skipSolvable }: CoinSearch): boolean {
  return fast || skipSolvable;
}

export function isEager({ fast, eager }: CoinSearch): boolean {
  return fast || eager;
}
