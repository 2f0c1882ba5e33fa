import type { Logger } from '../util/logger.js';
import type { Call } from './world/script.js';

/** Deviation of the prices in percent, one step after the other. */
const WAVE = [0, 1, 2, 1, 0, -1, -2, -1];

export interface PriceReportsDeps {
  readonly call: Call;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

interface OracleData {
  readonly tokenPrices: readonly {
    readonly token: string;
    readonly currency: string;
    readonly amount: number;
    readonly timestamp: number;
  }[];
}

/**
 * Reports of the oracle of the world. A report multiplies the last prices by a step of a wave, so a price that a caller has reported
 * changes by that wave only.
 */
export class PriceReports {
  #timer: NodeJS.Timeout | undefined;
  #unconfirmed: unknown;

  /** @param stepSec duration of a step of the wave in seconds; 0 for prices that do not move */
  constructor(
    private readonly stepSec: number,
    private readonly deps: PriceReportsDeps,
  ) {}

  /** Reports now, because old prices are void, and then at every step. */
  async start(): Promise<void> {
    await this.#report();
    if (this.stepSec > 0) this.#timer = setInterval(() => void this.#report(), this.stepSec * 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #report(): Promise<void> {
    const { call, now, log } = this.deps;
    try {
      // Without minting, reports would only fill the mempool.
      if (this.#unconfirmed !== undefined && ((await call('getrawmempool')) as unknown[]).includes(this.#unconfirmed)) return;
      const [oracle] = (await call('listoracles')) as string[];
      if (oracle === undefined) return;
      const { tokenPrices } = (await call('getoracledata', oracle)) as OracleData;
      const time = now();
      const prices = tokenPrices.map(({ token, currency, amount, timestamp }) => {
        const price = (amount * this.#level(time)) / this.#level(timestamp);
        return { currency, tokenAmount: `${price.toFixed(8)}@${token}` };
      });
      if (prices.length > 0) this.#unconfirmed = await call('setoracledata', oracle, time, prices);
    } catch (error) {
      log.warn('the prices were not reported', { error: String(error) });
    }
  }

  /** Level of the wave at a time. */
  #level(time: number): number {
    if (this.stepSec === 0) return 1;
    const step = Math.floor(time / this.stepSec) % WAVE.length;
    return 1 + (WAVE[step] ?? 0) / 100;
  }
}
