import { randomDelay } from '../../util/random.js';

const AVERAGE_INTERVAL_MS = 10 * 60_000;
/** A minimum that changed much is told within this time. */
const MAX_DELAY_MS = 5 * 60_000;
const STEP = 1.1;
const LARGEST_RATE = 1e7;

/** Rates in steps of a tenth, so that the exact minimum, which only this node may have, does not tell which node it is. */
export class FeeRounder {
  readonly #steps: number[] = [0];
  readonly #random: () => number;

  /** @param incrementalRate satoshis per kB @param random from 0 up to 1 */
  constructor(incrementalRate: bigint, random: () => number) {
    this.#random = random;
    for (let rate = Math.max(1, Number(incrementalRate) / 2); rate <= LARGEST_RATE; rate *= STEP) this.#steps.push(rate);
  }

  /** The next step up, or two times in three the one below. */
  round(rate: bigint): bigint {
    const above = this.#steps.findIndex((step) => step >= Number(rate));
    const at = above < 0 ? this.#steps.length - 1 : above;
    const lower = above < 0 || (above > 0 && this.#random() < 2 / 3);
    return BigInt(Math.floor(this.#steps[lower && above > 0 ? at - 1 : at] ?? 0));
  }
}

/** When a peer is told the least fee rate that gets into our pool (BIP133). */
export class FeeFilterTimer {
  #lastSent: bigint | undefined;
  #nextMs = 0;

  /** @returns the rate to send, if it is time and there is news */
  due(rate: bigint, nowMs: number, deps: { rounder: FeeRounder; least: bigint; random: () => number }): bigint | undefined {
    if (nowMs > this.#nextMs) {
      this.#nextMs = nowMs + randomDelay(AVERAGE_INTERVAL_MS, deps.random);
      let told = deps.rounder.round(rate);
      if (told < deps.least) told = deps.least;
      if (told === this.#lastSent) return undefined;
      this.#lastSent = told;
      return told;
    }
    const last = this.#lastSent ?? 0n;
    const changed = rate * 4n < last * 3n || rate * 3n > last * 4n;
    if (changed && nowMs + MAX_DELAY_MS < this.#nextMs) this.#nextMs = nowMs + deps.random() * MAX_DELAY_MS;
    return undefined;
  }
}
