import { spawn } from 'node:child_process';
import type { Logger } from '../util/logger.js';

/** Commands that run at a time; more wait. */
const MAX_RUNNING = 4;

interface Command {
  readonly command: string;
  readonly ended: () => void;
}

/** Runs an operator's commands in a shell, in the order in which they came, a few at a time. */
export class CommandRunner {
  readonly #waiting: Command[] = [];
  #running = 0;

  /** @param options.isAwaited the process goes on until the commands have ended */
  constructor(
    private readonly log: Logger,
    private readonly options: { readonly isAwaited?: boolean } = {},
  ) {}

  /** @returns when the command has ended, well or not */
  run(command: string): Promise<void> {
    return new Promise((ended) => {
      this.#waiting.push({ command, ended });
      this.#next();
    });
  }

  #next(): void {
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
