import { spawn } from 'node:child_process';
import type { Logger } from '../util/logger.js';

/** Commands that run at a time; more wait. */
const MAX_RUNNING = 4;
/** Commands that wait at a time: where they hang, the queue must not grow with every block. */
const MAX_WAITING = 1_000;

interface Command {
  readonly command: string;
  readonly ended: () => void;
}

/** Runs an operator's commands in a shell, in the order in which they came, a few at a time. While too many wait, new ones are dropped. */
export class CommandRunner {
  readonly #waiting: Command[] = [];
  #running = 0;
  /** Dropped since the queue was last empty; the log has the first of them. */
  #dropped = 0;

  /**
   * @param options.isAwaited the process goes on until the commands have ended
   * @param options.maxWaiting commands that wait at a time
   */
  constructor(
    private readonly log: Logger,
    private readonly options: { readonly isAwaited?: boolean; readonly maxWaiting?: number } = {},
  ) {}

  /** @returns when the command has ended, well or not, or was dropped */
  run(command: string): Promise<void> {
    if (this.#waiting.length >= (this.options.maxWaiting ?? MAX_WAITING)) {
      this.#drop(command);
      return Promise.resolve();
    }
    return new Promise((ended) => {
      this.#waiting.push({ command, ended });
      this.#next();
    });
  }

  #drop(command: string): void {
    if (this.#dropped === 0) this.log.warn('too many commands wait, new ones are dropped', { command, waiting: this.#waiting.length });
    this.#dropped += 1;
  }

  #next(): void {
    if (this.#waiting.length === 0 && this.#dropped > 0) {
      this.log.warn('commands were dropped', { count: this.#dropped });
      this.#dropped = 0;
    }
    while (this.#running < MAX_RUNNING) {
      const command = this.#waiting.shift();
      if (command === undefined) return;
      this.#running += 1;
      this.#start(command);
    }
  }

  #start({ command, ended }: Command): void {
    let isOver = false;
    const over = (trouble: string | undefined): void => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      if (trouble !== undefined) this.log.warn('a command failed', { command, trouble });
      ended();
      this.#next();
    };
    const child = spawn(command, { shell: true, stdio: 'ignore' });
    child.once('error', (error) => over(error.message));
    child.once('exit', (code, signal) => over(code === 0 ? undefined : `ended with ${code ?? signal}`));
    // A node that stops does not wait for what it only told of news.
    if (!this.options.isAwaited) child.unref();
  }
}
