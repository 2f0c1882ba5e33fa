import { isActive, type NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';

/** Maximum distance of a block time ahead of the clock, some seconds below the consensus limit to allow for relay. */
const LOOK_AHEAD_SEC = 295;
const LOOK_AHEAD_PAYA_SEC = 29;
/** On regtest the search also goes back in time, so that blocks are possible while mock time does not advance. */
const REGTEST_LOOK_BACK_SEC = 60;

/** The part of the tip that the search reads. */
export interface SearchTip {
  readonly hash: Hash256;
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  medianTimePast(): number;
}

/**
 * Maximum number of times that one call tries. A search from an old tip has a time for each second since then, and a kernel of four
 * sub-nodes costs about 20 µs.
 */
const TRIES_PER_CALL = 128;

/** Search for a block time, which tries each time only once per tip. */
export class TimeSearch {
  #tip: Hash256 | undefined;
  #last = 0;
  #now = 0;
  /** Times that are still to be tried, after a call that did not try all. */
  #times: Iterator<number, undefined> | undefined;

  constructor(private readonly params: NetworkParams) {}

  /**
   * Finds a block time: now, else the latest valid time before now, else the earliest one after.
   * @param now seconds since 1970
   * @param hits returns true if the kernel meets the target at a time
   * @param ascending the block time must be above that of the tip, not only above the median
   * @returns seconds since 1970; undefined if no untried time is valid; `unfinished` if the next call must continue
   * @see docs/protocol/chain.md 3.8
   */
  find(tip: SearchTip, now: number, hits: (time: number) => boolean, ascending = false): number | 'unfinished' | undefined {
    // Mock time may be set back.
    if (!this.#tip || !equalBytes(this.#tip, tip.hash) || now < this.#now) this.#restart(tip, now, ascending);
    this.#now = now;
    const times = this.#times ?? this.#untried(now, isActive(this.params, 'eunosPaya', tip.height + 1));
    this.#times = undefined;
    for (let tries = 0; tries < TRIES_PER_CALL; tries++) {
      const time = times.next().value;
      if (time === undefined || hits(time)) return time;
    }
    this.#times = times;
    return 'unfinished';
  }

  *#untried(now: number, isPaya: boolean): Generator<number, undefined> {
    const end = now + (isPaya ? LOOK_AHEAD_PAYA_SEC : LOOK_AHEAD_SEC);
    for (let time = now; time > this.#last; time--) yield time;
    for (let time = Math.max(now, this.#last) + 1; time <= end; time++) yield time;
    this.#last = Math.max(this.#last, end);
    return undefined;
  }

  #restart(tip: SearchTip, now: number, ascending: boolean): void {
    const earliest = ascending ? tip.time : tip.medianTimePast() + 1;
    const back = now - REGTEST_LOOK_BACK_SEC;
    this.#last = this.params.isRegtest && back >= earliest ? back : earliest;
    this.#tip = tip.hash;
    this.#times = undefined;
  }
}
