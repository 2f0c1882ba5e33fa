import { equalBytes } from '../../util/bytes.js';
import type { Accounts } from '../accounts/columns.js';
import { attempt } from '../context/block-event.js';
import { low64, multiplyDivide, safeAdd } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { type PoolPair, setShare } from '../pools/columns.js';
import { MINIMUM_LIQUIDITY, squareRoot } from '../pools/liquidity.js';
import { type PoolMoves, type Succession, type SuccessionContext, splitWriter } from './context.js';
import type { Holder } from './largest-first.js';
import { convert } from './multiplier.js';

/** A pool that hands out all it has, and the one that its holders move to. */
export class MovingPool {
  /** What was made of the new tokens. */
  readonly created = new Map<number, bigint>();

  constructor(
    private readonly context: SuccessionContext,
    private readonly moves: PoolMoves,
    private readonly ids: Succession,
    public old: PoolPair,
    public next: PoolPair,
  ) {}

  /**
   * Takes a holder out of the old pool and, if it can be, into the new one.
   * @throws {TxRejected} @throws {ArithmeticError}
   */
  move({ owner, shares }: Holder): void {
    const { view, records, params } = this.context;
    const writer = splitWriter(this.context);
    const isBurnt = equalBytes(owner, params.scripts.burn);
    if (!isBurnt) records.change(view, writer, (accounts) => accounts.sub(owner, { tokenId: this.ids.oldId, amount: shares }));
    const { amountA, amountB } = this.#leave(shares);
    records.change(view, writer, (accounts) => {
      if (!isBurnt && amountA > 0n && amountB > 0n && this.#join(accounts, owner, amountA, amountB)) return;
      // Whoever has no room for it gets none.
      attempt(() => accounts.add(owner, { tokenId: this.next.tokenA, amount: amountA }));
      attempt(() => accounts.add(owner, { tokenId: this.next.tokenB, amount: amountB }));
    });
  }

  /** What shares are worth, tokens that have a successor converted already. The last to leave gets what belonged to nobody. */
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

  /** @returns false if there is no room, or too little to be a share; what the pool then has more of in total stays */
  #join(accounts: Accounts, owner: Uint8Array, amountA: bigint, amountB: bigint): boolean {
    const { view, height } = this.context;
    const shares = this.#sharesFor(amountA, amountB);
    if (shares === 0n && this.next.reserveA > 0n) return false;
    try {
      this.next = { ...this.next, totalLiquidity: safeAdd(this.next.totalLiquidity, shares) };
      const reserves = { reserveA: safeAdd(this.next.reserveA, amountA), reserveB: safeAdd(this.next.reserveB, amountB) };
      this.next = { ...this.next, ...reserves };
      accounts.add(owner, { tokenId: this.ids.newId, amount: shares });
    } catch (error) {
      if (error instanceof TxRejected) return false;
      throw error;
    }
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
