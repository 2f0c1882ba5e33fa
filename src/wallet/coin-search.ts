/** How coins are looked for when a transaction is made. @see docs/protocol/wallet.md 1.13 */
export interface CoinSearch {
  /** Both of the others. */
  readonly fast: boolean;
  /** Takes every script for solvable, without a look. */
  readonly skipSolvable: boolean;
  /** Stops at the first coins that are enough, by raw txid and index, whatever their kind. */
  readonly eager: boolean;
}

export function skipsSolvable({ fast, skipSolvable }: CoinSearch): boolean {
  return fast || skipSolvable;
}

export function isEager({ fast, eager }: CoinSearch): boolean {
  return fast || eager;
}
