import { randomDelay } from '../../util/random.js';

const AVERAGE_INTERVAL_MS = 10 * 60_000;
/** A large change of the minimum is sent within this time. */
const MAX_DELAY_MS = 5 * 60_000;
const STEP = 1.1;
const LARGEST_RATE = 1e7;
/** Half the default of -minrelaytxfee, satoshis per kB; the option does not change it. */
const LOWEST_RATE = 500;

/** Rounds fee rates to steps of 10 %, because the exact minimum of the mempool would identify the node. */
export class FeeRounder {
  readonly #steps: number[] = [0];
  readonly #random: () => number;

  /** @param random from 0 up to 1 */
  constructor(random: () => number) {
    this.#random = random;
    for (let rate = LOWEST_RATE; rate <= LARGEST_RATE; rate *= STEP) this.#steps.push(rate);
  }

  /** Rounds up in one of three cases, otherwise down. */
  round(rate: bigint): bigint {
    const above = this.#steps.findIndex((step) => step >= Number(rate));
    const at = above < 0 ? this.#steps.length - 1 : above;
    const lower = above < 0 || (above > 0 && this.#random() < 2 / 3);
    return BigInt(Math.floor(this.#steps[lower && above > 0 ? at - 1 : at] ?? 0));
  }
}

/** Schedule of `feefilter` messages to one peer: the lowest fee rate that the mempool accepts (BIP133). */
export class FeeFilterTimer {
  #lastSent = 0n;
  #nextMs = 0;

  /** @param least lower bound, satoshis per kB @returns the rate to send; undefined if none is due or it has not changed */
  due(rate: bigint, nowMs: number, deps: { rounder: FeeRounder; least: bigint; random: () => number }): bigint | undefined {
    if (nowMs > this.#nextMs) {
      this.#nextMs = nowMs + randomDelay(AVERAGE_INTERVAL_MS, deps.random);
      let rounded = deps.rounder.round(rate);
      if (rounded < deps.least) rounded = deps.least;
      if (rounded === this.#lastSent) return undefined;
      this.#lastSent = rounded;
      return rounded;
    }
    const last = this.#lastSent;
    const changed = rate * 4n < last * 3n || rate * 3n > last * 4n;
    if (changed && nowMs + MAX_DELAY_MS < this.#nextMs) this.#nextMs = nowMs + deps.random() * MAX_DELAY_MS;
    return undefined;
  }
}
