import type { Clock } from '../util/clock.js';

const HALF_LIFE_SEC = 12 * 60 * 60;
/** Minimum interval between updates of the rate. */
const UPDATE_INTERVAL_SEC = 10;

export interface RollingFeeOptions {
  /** Memory limit of the pool, bytes. */
  readonly maxBytes: number;
  /** Satoshis per 1,000 virtual bytes: added to the rate of an evicted package, and the lowest minimum other than 0. */
  readonly incrementalRelayFeeRate: bigint;
}

/**
 * Minimum fee rate of a full pool: the highest rate of evicted packages plus the incremental relay fee rate. It halves every 12 hours
 * once a block is connected; every 6 or 3 hours while the pool is less than half or a quarter full.
 * @see docs/protocol/chain.md 5.3
 */
export class RollingFee {
  /** Satoshis per 1,000 virtual bytes, not rounded. */
  #rate = 0;
  #blockSinceRise = false;
  #lastUpdate: number;

  constructor(
    private readonly options: RollingFeeOptions,
    private readonly clock: Pick<Clock, 'seconds'>,
  ) {
    this.#lastUpdate = clock.seconds();
  }

  /** Satoshis per 1,000 virtual bytes; 0 if no minimum is in force. */
  minimum(memoryUsage: number): bigint {
    const { incrementalRelayFeeRate } = this.options;
    if (!this.#blockSinceRise || this.#rate === 0) return BigInt(Math.round(this.#rate));
    const now = this.clock.seconds();
    if (now > this.#lastUpdate + UPDATE_INTERVAL_SEC) {
      this.#rate /= 2 ** ((now - this.#lastUpdate) / this.#halfLife(memoryUsage));
      this.#lastUpdate = now;
      if (this.#rate < Number(incrementalRelayFeeRate) / 2) {
        this.#rate = 0;
        return 0n;
      }
    }
    const rate = BigInt(Math.round(this.#rate));
    return rate > incrementalRelayFeeRate ? rate : incrementalRelayFeeRate;
  }

  #halfLife(memoryUsage: number): number {
    const { maxBytes } = this.options;
    if (memoryUsage < maxBytes / 4) return HALF_LIFE_SEC / 4;
    return memoryUsage < maxBytes / 2 ? HALF_LIFE_SEC / 2 : HALF_LIFE_SEC;
  }

  /** @param rate fee rate of the evicted package, satoshis per 1,000 virtual bytes */
  evicted(rate: bigint): void {
    const next = Number(rate + this.options.incrementalRelayFeeRate);
    if (next <= this.#rate) return;
    this.#rate = next;
    this.#blockSinceRise = false;
  }

  /** Lets the rate decay from now on, as a connected block makes room. */
  blockConnected(): void {
    this.#lastUpdate = this.clock.seconds();
    this.#blockSinceRise = true;
  }
}
