import type { Clock } from '../util/clock.js';

const HALF_LIFE_SEC = 12 * 60 * 60;
/** The rate is not worked out anew more often than this. */
const UPDATE_INTERVAL_SEC = 10;

export interface RollingFeeOptions {
  /** Bytes of memory that the pool may take. */
  readonly maxBytes: number;
  /** Satoshis per 1,000 virtual bytes; what the minimum rises by when something is evicted, and the least it is above nothing. */
  readonly incrementalRelayFeeRate: bigint;
}

/**
 * Fee rate that a full pool asks for: what evicted transactions paid and a step more, falling by half every twelve hours once a
 * block came; faster while the pool is half or three quarters empty.
 * @see docs/protocol/chain.md 5.3
 */
export class RollingFee {
  /** Satoshis per 1,000 virtual bytes, with the fraction that decay leaves. */
  #rate = 0;
  #blockSinceRise = false;
  #lastUpdate: number;

  constructor(
    private readonly options: RollingFeeOptions,
    private readonly clock: Pick<Clock, 'seconds'>,
  ) {
    this.#lastUpdate = clock.seconds();
  }

  /** Satoshis per 1,000 virtual bytes; 0 when nothing is asked for. */
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

  /** @param rate what the evicted transactions paid, satoshis per 1,000 virtual bytes */
  evicted(rate: bigint): void {
    const next = Number(rate + this.options.incrementalRelayFeeRate);
    if (next <= this.#rate) return;
    this.#rate = next;
    this.#blockSinceRise = false;
  }

  /** A block took transactions out, so the rate may begin to fall. */
  blockConnected(): void {
    this.#lastUpdate = this.clock.seconds();
    this.#blockSinceRise = true;
  }
}
