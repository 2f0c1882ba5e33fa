import { spawn } from 'node:child_process';
import type { Logger } from '../util/logger.js';

/** Commands that run at a time; more wait. */
const MAX_RUNNING = 4;

/** Runs an operator's commands in a shell, in the order in which they came, a few at a time. */
export class CommandRunner {
  readonly #waiting: string[] = [];
  #running = 0;

  constructor(private readonly log: Logger) {}

  run(command: string): void {
    this.#waiting.push(command);
    this.#next();
  }

  #next(): void {
    while (this.#running < MAX_RUNNING) {
      const command = this.#waiting.shift();
      if (command === undefined) return;
      this.#running += 1;
      this.#start(command);
    }
  }

  #start(command: string): void {
    let isOver = false;
    const over = (trouble: string | undefined): void => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      if (trouble !== undefined) this.log.warn('a command failed', { command, trouble });
      this.#next();
    };
    const child = spawn(command, { shell: true, stdio: 'ignore' });
    child.once('error', (error) => over(error.message));
    child.once('exit', (code, signal) => over(code === 0 ? undefined : `ended with ${code ?? signal}`));
    // The node does not wait for it to stop.
    child.unref();
  }
}
