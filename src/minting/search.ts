import { isActive, type NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';

/** How far ahead of the clock a block may be dated, with some seconds to spare for the network. */
const LOOK_AHEAD_SEC = 295;
const LOOK_AHEAD_PAYA_SEC = 29;
/** On regtest the search also goes back in time, so that a clock that stands still yields blocks. */
const REGTEST_LOOK_BACK_SEC = 60;

/** The block that is extended, as far as the search looks at it. */
export interface SearchTip {
  readonly hash: Hash256;
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  medianTimePast(): number;
}

/** Remembers which times were tried on the present tip, so that each is tried once. */
export class TimeSearch {
  #tip: Hash256 | undefined;
  #last = 0;

  constructor(private readonly params: NetworkParams) {}

  /**
   * The best time for a block on the tip: the present, else the latest moment before it, else the first after it.
   * @param now seconds since 1970
   * @param hits whether a block of that time would be valid
   * @param ascending whether a block must be later than the tip
   * @returns seconds since 1970, or undefined if no time of this moment will do
   * @see docs/protocol/chain.md 3.8
   */
  find(tip: SearchTip, now: number, hits: (time: number) => boolean, ascending = false): number | undefined {
    if (!this.#tip || !equalBytes(this.#tip, tip.hash)) this.#restart(tip, now, ascending);
    const ahead = isActive(this.params, 'eunosPaya', tip.height + 1) ? LOOK_AHEAD_PAYA_SEC : LOOK_AHEAD_SEC;
    const end = now + ahead;
    if (end <= this.#last) return undefined;
    for (let time = now; time > this.#last; time--) if (hits(time)) return time;
    for (let time = Math.max(now, this.#last) + 1; time <= end; time++) if (hits(time)) return time;
    this.#last = end;
    return undefined;
  }

  #restart(tip: SearchTip, now: number, ascending: boolean): void {
    const earliest = ascending ? tip.time : tip.medianTimePast() + 1;
    const back = now - REGTEST_LOOK_BACK_SEC;
    this.#last = this.params.isRegtest && back >= earliest ? back : earliest;
    this.#tip = tip.hash;
  }
}
