import { ConfigError } from './errors.js';
import { baseKey, Occurrences } from './occurrences.js';

/** A parsed command line. */
export interface Arguments {
  readonly flags: Occurrences;
  /** Tokens from the first one without dash on. */
  readonly rest: readonly string[];
  /** Messages to log once the log is open. */
  readonly notes: readonly string[];
}

/**
 * Splits a command line into flags and the rest. `--foo` is `-foo`; a lone `-` ends the flags.
 * @param argv without node and script
 * @throws {ConfigError} with the text of `defid`, for an unknown flag
 * @see docs/protocol/rpc-chain.md 2.2
 */
export function parseArguments(argv: readonly string[], known: ReadonlySet<string>): Arguments {
  const flags = new Occurrences();
  const notes: string[] = [];
  let index = 0;
  for (; index < argv.length; index++) {
    const token = argv[index] ?? '';
    if (token === '-' || !token.startsWith('-')) break;
    const { key, value } = splitFlag(token);
    if (!known.has(baseKey(key))) throw new ConfigError(`Error parsing command line arguments: Invalid parameter -${key}`);
    const note = flags.add(key, value, { layer: 'command line', place: `-${key}` });
    if (note) notes.push(note);
  }
  const included = flags.get('includeconf') ?? [];
  if (included.length > 0) {
    const lines = included.map(({ value }) => `-includeconf cannot be used from commandline; -includeconf=${value}`);
    throw new ConfigError(`Error parsing command line arguments: ${lines.join('\n')}`);
  }
  return { flags, rest: argv.slice(index), notes };
}

function splitFlag(token: string): { key: string; value: string } {
  const equals = token.indexOf('=');
  const name = equals < 0 ? token : token.slice(0, equals);
  return { key: name.replace(/^--?/, ''), value: equals < 0 ? '' : token.slice(equals + 1) };
}
