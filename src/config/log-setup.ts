import { LogCategories } from '../util/log-categories.js';
import { LogOutput } from '../util/log-output.js';
import type { LogConfig } from './config.js';
import { ConfigError } from './errors.js';

/**
 * Opens the log with the configured file, levels and categories.
 * @param terminal standard output is a terminal
 * @throws {ConfigError} if the file cannot be opened
 */
export function openLog(config: LogConfig, file: string | undefined, terminal: boolean): { output: LogOutput; categories: LogCategories } {
  let output: LogOutput;
  try {
    output = new LogOutput({
      file,
      shrinkFile: config.shrinkFile,
      console: config.console ? (terminal ? 'human' : 'json') : 'none',
      level: config.levels[''] ?? 'info',
      microseconds: config.microseconds,
    });
  } catch (cause) {
    throw new ConfigError(`Could not open debug log file ${file}`, { cause });
  }
  const categories = new LogCategories(output);
  for (const name of config.categories) categories.set(name, true);
  for (const name of config.excludedCategories) categories.set(name, false);
  for (const [module, level] of Object.entries(config.levels)) if (module !== '') output.setLevel(level, module);
  return { output, categories };
}
