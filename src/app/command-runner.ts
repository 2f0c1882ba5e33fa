import { spawn } from 'node:child_process';
import type { Logger } from '../util/logger.js';

/** Maximum number of running commands; further commands wait. */
const MAX_RUNNING = 4;
/** Maximum number of waiting commands, so that the queue does not grow with every block if commands hang. */
const MAX_WAITING = 1_000;

interface Command {
  readonly command: string;
  readonly ended: () => void;
}

/** Runs commands of the operator in a shell, in order of arrival, a few at a time. While too many wait, new ones are dropped. */
export class CommandRunner {
  readonly #waiting: Command[] = [];
  #running = 0;
  /** Number of commands dropped since the queue was last empty; only the first of them is logged. */
  #dropped = 0;

  /**
   * @param options.isAwaited the process does not exit before the commands
   * @param options.maxWaiting maximum number of waiting commands
   */
  constructor(
    private readonly log: Logger,
    private readonly options: { readonly isAwaited?: boolean; readonly maxWaiting?: number } = {},
  ) {}

  /** Queues a command. @returns a promise that resolves when the command has exited with any result, or was dropped */
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
    if (this.#dropped === 0) this.log.warn('too many waiting commands, dropping new ones', { command, waiting: this.#waiting.length });
    this.#dropped += 1;
  }

  #next(): void {
    if (this.#waiting.length === 0 && this.#dropped > 0) {
      this.log.warn('dropped commands', { count: this.#dropped });
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
    const over = (reason: string | undefined): void => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      if (reason !== undefined) this.log.warn('command failed', { command, reason });
      ended();
      this.#next();
    };
    const child = spawn(command, { shell: true, stdio: 'ignore' });
    child.once('error', (error) => over(error.message));
    child.once('exit', (code, signal) => over(code === 0 ? undefined : `exited with ${code ?? signal}`));
    // A notification does not delay the exit of the node.
    if (!this.options.isAwaited) child.unref();
  }
}
