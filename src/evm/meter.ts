import { OUT_OF_GAS } from './failure.js';

/** Gas that is counted as a number; more is kept in reserve as a bigint, so that no count loses digits. */
const COUNTED = 2 ** 52;
const MOST_COUNTED = BigInt(COUNTED);
const FORWARDED_DIVISOR = 64;

/** Gas of a frame: at most 2^64 - 1. Ordinary frames have all of it in `gas`. */
export class Meter {
  /** Gas at hand. Below zero while a drained frame continues: the next opcode fails, even a free one. */
  gas = 0;
  /** Gas that was lost when the meter was drained; traces show it. */
  drained = 0n;
  #reserve = 0n;

  constructor(limit: bigint) {
    this.#set(limit);
  }

  /** All gas that is left. */
  get left(): bigint {
    const counted = BigInt(Math.max(this.gas, 0));
    return this.#reserve === 0n ? counted : counted + this.#reserve;
  }

  /** True if more gas is left. */
  exceeds(amount: number): boolean {
    return this.gas > amount || (this.#reserve > 0n && this.left > BigInt(amount));
  }

  /** @throws {Failure} if less gas is left */
  charge(cost: number): void {
    this.gas -= cost;
    if (this.gas < 0) this.refill();
  }

  /** Takes gas from the reserve after a charge. @throws {Failure} if there is too little */
  refill(): void {
    if (this.#reserve === 0n || this.gas === Number.NEGATIVE_INFINITY) throw OUT_OF_GAS;
    const total = BigInt(this.gas) + this.#reserve;
    if (total < 0n) throw OUT_OF_GAS;
    this.#set(total);
  }

  /** Records gas that is handed to a child frame. @param wanted limit that the caller names; the child gets at most all but a 64th */
  forward(wanted: bigint): bigint {
    if (this.#reserve > 0n) return this.#forwardAll(wanted);
    const left = Math.max(this.gas, 0);
    const most = left - Math.floor(left / FORWARDED_DIVISOR);
    const limit = Math.min(Number(wanted), most);
    this.gas = left - limit;
    return BigInt(limit);
  }

  /** {@link forward} while some gas is in reserve. */
  #forwardAll(wanted: bigint): bigint {
    const { left } = this;
    const most = left - left / BigInt(FORWARDED_DIVISOR);
    const limit = wanted < most ? wanted : most;
    this.#set(left - limit);
    return limit;
  }

  /** Gas that a child frame did not use. */
  giveBack(unused: bigint): void {
    const total = this.gas + Number(unused);
    if (this.#reserve === 0n && this.gas >= 0 && total <= COUNTED) this.gas = total;
    else this.#set(this.left + unused);
  }

  /** Leaves nothing, so that every further opcode fails. @see docs/protocol/evm-engine.md 2.8, deviation 5 */
  drain(): void {
    this.drained = this.left;
    this.gas = Number.NEGATIVE_INFINITY;
    this.#reserve = 0n;
  }

  #set(total: bigint): void {
    const isCounted = total <= MOST_COUNTED;
    this.gas = isCounted ? Number(total) : COUNTED;
    this.#reserve = isCounted ? 0n : total - MOST_COUNTED;
  }
}
