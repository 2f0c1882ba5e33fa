import { equalBytes } from '../../util/bytes.js';
import type { Accounts } from '../accounts/columns.js';
import { low64, multiplyDivide, safeAdd } from '../kernel/math.js';
import { ignoreRejection, TxRejected } from '../kernel/rejected.js';
import { type PoolPair, setShare } from '../pools/columns.js';
import { MINIMUM_LIQUIDITY, squareRoot } from '../pools/liquidity.js';
import { type PoolMoves, type Succession, type SuccessionContext, splitWriter } from './context.js';
import type { Holder } from './holder-order.js';
import { convert } from './multiplier.js';

/** Migration of the liquidity of a pool to its successor, holder by holder. */
export class PoolMigration {
  /** Satoshis created of each new token, by its id. */
  readonly created = new Map<number, bigint>();

  constructor(
    private readonly context: SuccessionContext,
    private readonly moves: PoolMoves,
    private readonly ids: Succession,
    public old: PoolPair,
    public next: PoolPair,
  ) {}

  /**
   * Removes a holder's shares from the old pool and adds their worth to the new one; if that fails, both tokens are paid out.
   * @throws {TxRejected} @throws {ArithmeticError}
   */
  move({ owner, shares }: Holder): void {
    const { view, eventRecords, params } = this.context;
    const writer = splitWriter(this.context);
    const isBurnt = equalBytes(owner, params.scripts.burn);
    if (!isBurnt) eventRecords.change(view, writer, (accounts) => accounts.sub(owner, { tokenId: this.ids.oldId, amount: shares }));
    const { amountA, amountB } = this.#leave(shares);
    eventRecords.change(view, writer, (accounts) => {
      if (!isBurnt && amountA > 0n && amountB > 0n && this.#join(accounts, owner, amountA, amountB)) return;
      // An amount that overflows the owner's balance is lost, as in `defid`.
      ignoreRejection(() => accounts.add(owner, { tokenId: this.next.tokenA, amount: amountA }));
      ignoreRejection(() => accounts.add(owner, { tokenId: this.next.tokenB, amount: amountB }));
    });
  }

  /** Removes shares from the old pool and returns their worth, converted to successors. The last holder also gets the minimum liquidity. */
  #leave(shares: bigint): { readonly amountA: bigint; readonly amountB: bigint } {
    const { reserveA, reserveB, totalLiquidity, tokenA, tokenB } = this.old;
    if (totalLiquidity < MINIMUM_LIQUIDITY) throw new TxRejected('totalLiquidity less than minimum.');
    const leaving = totalLiquidity - shares === MINIMUM_LIQUIDITY ? totalLiquidity : shares;
    const partA = multiplyDivide(leaving, reserveA, totalLiquidity);
    const partB = multiplyDivide(leaving, reserveB, totalLiquidity);
    this.old = { ...this.old, reserveA: reserveA - partA, reserveB: reserveB - partB, totalLiquidity: totalLiquidity - leaving };
    return { amountA: this.#converted(tokenA, partA), amountB: this.#converted(tokenB, partB) };
  }

  #converted(tokenId: number, amount: bigint): bigint {
    const newId = this.moves.successors.get(tokenId);
    if (newId === undefined) return amount;
    const after = convert(this.moves.multiplier, amount);
    this.created.set(newId, (this.created.get(newId) ?? 0n) + after);
    return after;
  }

  /** @returns false if a sum overflows or the amounts are worth no share. Liquidity added before an overflow is kept, as in `defid`. */
  #join(accounts: Accounts, owner: Uint8Array, amountA: bigint, amountB: bigint): boolean {
    const { view, height } = this.context;
    const shares = this.#sharesFor(amountA, amountB);
    if (shares === 0n && this.next.reserveA > 0n) return false;
    const isAdded = ignoreRejection(() => {
      this.next = { ...this.next, totalLiquidity: safeAdd(this.next.totalLiquidity, shares) };
      const reserves = { reserveA: safeAdd(this.next.reserveA, amountA), reserveB: safeAdd(this.next.reserveB, amountB) };
      this.next = { ...this.next, ...reserves };
      accounts.add(owner, { tokenId: this.ids.newId, amount: shares });
    });
    if (!isAdded) return false;
    setShare(view, this.ids.newId, owner, height);
    return true;
  }

  #sharesFor(amountA: bigint, amountB: bigint): bigint {
    const { totalLiquidity, reserveA, reserveB } = this.next;
    if (totalLiquidity === 0n) {
      this.next = { ...this.next, totalLiquidity: MINIMUM_LIQUIDITY };
      return low64(squareRoot(amountA * amountB)) - MINIMUM_LIQUIDITY;
    }
    const fromA = multiplyDivide(amountA, totalLiquidity, reserveA);
    const fromB = multiplyDivide(amountB, totalLiquidity, reserveB);
    return fromA < fromB ? fromA : fromB;
  }
}
