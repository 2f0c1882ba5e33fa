import { readFileSync } from 'node:fs';
import { ConfigError } from './errors.js';
import { Occurrences } from './occurrences.js';
import type { Option } from './option.js';

const PREFIX = 'DFI_';
const FILE_SUFFIX = '_FILE';

/** Name of the variable that sets an option: `DFI_RPCPORT`, `DFI_RPC_GOVERNANCE_ACCEPT_NEUTRAL`. */
export function variableOf(key: string): string {
  return PREFIX + key.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/**
 * Options from variables `DFI_<KEY>`, or from files named by `DFI_<KEY>_FILE`, the usual form of container secrets. Values of a repeatable
 * option are separated by commas or line breaks. An empty variable counts as none, because compose files pass one for a variable that the
 * operator has not set. Otherwise an empty switch would be on, and an empty address would mean all addresses of the machine.
 * @throws {ConfigError} if such a file cannot be read
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  options: readonly Option[],
): { values: Occurrences; notes: string[] } {
  const values = new Occurrences();
  const notes: string[] = [];
  const byVariable = new Map(options.map((option) => [variableOf(option.key), option]));
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || !text) continue;
    const direct = byVariable.get(name);
    const option = direct ?? byVariable.get(name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : '');
    if (!option) {
      notes.push(`Ignoring unknown environment variable ${name}`);
      continue;
    }
    const value = direct ? text : readSecret(name, text);
    const parts = option.repeatable ? value.split(/[,\n]/).map((part) => part.trim()) : [value];
    for (const part of parts) values.add(option.key, part, { layer: 'environment', place: name });
  }
  return { values, notes };
}

function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigError(`Cannot read the file that ${variable} names: ${file}`, { cause });
  }
}
