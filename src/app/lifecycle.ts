import type { Logger } from '../util/logger.js';

type Stop = () => void | Promise<void>;

interface Part {
  readonly name: string;
  readonly stop: Stop;
}

/** Started parts of the node, and their shutdown. */
export class Lifecycle {
  readonly #started: Part[] = [];
  readonly #transports: Part[] = [];
  readonly #interrupt = new AbortController();
  #stopping: Promise<void> | undefined;

  /** @param announce runs before the shutdown of the first part, which waits for it; undefined for none */
  constructor(
    private readonly log: Logger,
    private readonly announce?: () => Promise<void>,
  ) {}

  /** Aborted when the shutdown begins; aborts start-up and waiting calls. */
  get interrupt(): AbortSignal {
    return this.#interrupt.signal;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Registers a part. Parts stop in reverse order of registration. */
  onStop(name: string, stop: Stop): void {
    this.#started.push({ name, stop });
  }

  /** Registers a transport. Transports stop before all other parts, which calls may use. */
  onStopFirst(name: string, stop: Stop): void {
    this.#transports.push({ name, stop });
  }

  /** Stops all parts, also if one of them fails; a second call waits for the first. @throws the first error of a part */
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
        this.log.error('failed to stop a part of the node', { part: part.name, error: String(error) });
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }
}
