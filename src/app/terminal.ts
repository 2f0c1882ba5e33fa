import type { Config } from '../config/config.js';
import type { Terminal } from '../util/progress.js';

/** Terminal for progress bars; undefined if the output is no terminal, or the log is not printed. */
export function progressTerminal({ log }: Pick<Config, 'log'>): Terminal | undefined {
  return process.stdout.isTTY && log.console ? process.stdout : undefined;
}
