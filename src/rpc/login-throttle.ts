import { setTimeout } from 'node:timers/promises';
import { clientGroup } from '../util/client-address.js';
import type { Logger } from '../util/logger.js';
import { Lru } from '../util/lru.js';

export interface LoginThrottleLimits {
  /** Delay of a refusal, ms. The default is the delay of `defid`. */
  readonly delayMs: number;
  /** Failures of one address before the delay starts to double. */
  readonly patience: number;
  readonly longestDelayMs: number;
  /** Maximum number of delayed refusals of one address at a time. */
  readonly waitingPerAddress: number;
  /** Maximum number of delayed refusals of all addresses together at a time. */
  readonly waiting: number;
  /** Maximum number of addresses with counted failures. */
  readonly addresses: number;
  /** Failures of an address are forgotten after this long without another one, ms. */
  readonly forgetAfterMs: number;
}

const DEFAULTS: LoginThrottleLimits = {
  delayMs: 250,
  patience: 10,
  longestDelayMs: 16_000,
  waitingPerAddress: 10,
  waiting: 1000,
  addresses: 1000,
  forgetAfterMs: 300_000,
};

/** Log, clock and timer of the throttle. */
export interface LoginThrottleParts {
  readonly log: Pick<Logger, 'warn'>;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Time between two log lines, ms. */
const LOG_INTERVAL_MS = 1000;

interface Failures {
  count: number;
  waiting: number;
  lastMs: number;
}

/**
 * Slows down guessing of passwords, by counting failed log-ins of each client address. A guess occupies one of few slots until its
 * refusal is sent, also when the client disconnects first, so parallel connections and pipelined requests gain nothing. One
 * instance serves all transports of a node.
 */
export class LoginThrottle {
  readonly #limits: LoginThrottleLimits;
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #failures: Lru<string, Failures>;
  #waiting = 0;
  /** Failures since the last log line; undefined if the next failure is logged immediately. */
  #unlogged: number | undefined;

  constructor({ log, now, sleep }: LoginThrottleParts, limits: Partial<LoginThrottleLimits> = {}) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#failures = new Lru(this.#limits.addresses);
    this.#log = log;
    this.#now = now ?? (() => performance.now());
    // A delayed refusal must not keep a stopping process alive.
    this.#sleep = sleep ?? ((ms) => setTimeout(ms, undefined, { ref: false }));
  }

  /**
   * Checks that credentials of a client may be verified. If this is false they must not be: the time of the answer would reveal whether
   * the guess was right.
   * @param address IP address of the client without port, as the socket reports it
   */
  mayTry(address: string | undefined): boolean {
    const known = this.#known(clientGroup(address));
    if (!known) return true;
    return known.waiting < this.#limits.waitingPerAddress && this.#waiting < this.#limits.waiting;
  }

  /**
   * Counts wrong credentials.
   * @returns a promise that resolves when the refusal is due
   */
  async failed(address: string | undefined): Promise<void> {
    this.#logFailure(address);
    const failures = this.#count(clientGroup(address));
    if (!failures) return;
    failures.waiting += 1;
    this.#waiting += 1;
    await this.#sleep(this.#delayOf(failures.count));
    failures.waiting -= 1;
    this.#waiting -= 1;
  }

  #delayOf(count: number): number {
    const { delayMs, patience, longestDelayMs } = this.#limits;
    return Math.min(longestDelayMs, delayMs * 2 ** Math.max(0, count - patience));
  }

  /** @returns undefined if too many refusals are delayed already: this one is then sent immediately */
  #count(group: string): Failures | undefined {
    const failures = this.#known(group) ?? { count: 0, waiting: 0, lastMs: 0 };
    failures.count += 1;
    failures.lastMs = this.#now();
    this.#failures.set(group, failures);
    return this.#waiting < this.#limits.waiting ? failures : undefined;
  }

  #known(group: string): Failures | undefined {
    const failures = this.#failures.get(group);
    if (!failures || failures.waiting > 0 || this.#now() - failures.lastMs < this.#limits.forgetAfterMs) return failures;
    this.#failures.delete(group);
    return undefined;
  }

  /** Logs at most one line per second: the first failure immediately, those that follow as a number. */
  #logFailure(address: string | undefined): void {
    if (this.#unlogged !== undefined) {
      this.#unlogged += 1;
      return;
    }
    this.#log.warn('incorrect password attempt', { peer: address });
    this.#unlogged = 0;
    void this.#sleep(LOG_INTERVAL_MS).then(() => this.#logUnlogged());
  }

  #logUnlogged(): void {
    const attempts = this.#unlogged ?? 0;
    this.#unlogged = undefined;
    if (attempts === 0) return;
    this.#log.warn('incorrect password attempts', { attempts });
    this.#unlogged = 0;
    void this.#sleep(LOG_INTERVAL_MS).then(() => this.#logUnlogged());
  }
}
