import type { Logger } from '../util/logger.js';

type Stop = () => void | Promise<void>;

interface Part {
  readonly name: string;
  readonly stop: Stop;
}

/** What was started, and how it is stopped again. */
export class Lifecycle {
  readonly #started: Part[] = [];
  readonly #transports: Part[] = [];
  readonly #interrupt = new AbortController();
  #stopping: Promise<void> | undefined;

  /** @param announce runs before anything stops, which waits for it; undefined where there is nothing to do */
  constructor(
    private readonly log: Logger,
    private readonly announce?: () => Promise<void>,
  ) {}

  /** Aborted when the node begins to stop: whoever waits then gives up. */
  get interrupt(): AbortSignal {
    return this.#interrupt.signal;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Parts stop in the reverse of the order in which they are named here. */
  onStop(name: string, stop: Stop): void {
    this.#started.push({ name, stop });
  }

  /** What calls come in by: it stops before anything that a call may use. */
  onStopFirst(name: string, stop: Stop): void {
    this.#transports.push({ name, stop });
  }

  /** Stops everything, even after a part that fails to; a second call waits for the first. @throws what the first such part threw */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    if (this.announce) await this.announce();
    this.#interrupt.abort();
    await Promise.all(this.#transports.splice(0).map((part) => part.stop()));
    const faults: unknown[] = [];
    for (let part = this.#started.pop(); part; part = this.#started.pop()) {
      this.log.debug('stopping', { part: part.name });
      try {
        await part.stop();
      } catch (error) {
        this.log.error('a part of the node failed to stop', { part: part.name, error: String(error) });
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }
}
