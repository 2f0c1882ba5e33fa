import { parseRpcAuth } from '../rpc/credentials.js';
import { buildConfig } from './build.js';
import type { Config } from './config.js';
import { ConfigError } from './errors.js';
import { leadingInteger } from './option.js';
import { OPTIONS } from './options.js';
import type { Settings } from './settings.js';
import { type Input, readSources, type Sources } from './sources.js';

/** Configuration of a daemon that is to run. */
export interface LoadedConfig {
  readonly action: 'run';
  readonly config: Config;
  readonly settings: Settings;
  /** -daemon: run in the background. -daemonwait: the foreground process waits for the end of initialisation. */
  readonly daemon: { readonly enabled: boolean; readonly wait: boolean };
  /** -sysperms: create files with the default permissions of the system. */
  readonly systemUmask: boolean;
  /** Lines that were given to `onWarning`. */
  readonly warnings: readonly string[];
  /** Messages to log once the log is open. */
  readonly notes: readonly string[];
  /** Warnings to log once the log is open; not on standard error, which scripts written for `defid` expect to be empty. */
  readonly doubts: readonly string[];
}

/** Action that the command line asks for. */
export type Loaded = LoadedConfig | { readonly action: 'help'; readonly debug: boolean } | { readonly action: 'version' };

/**
 * Reads the options of the daemon from command line, environment and files.
 * @param onWarning called with each complete line for standard error: `defid` prints them before the error of a later option
 * @throws {ConfigError} for invalid options; the message is printed after `Error: `
 * @see docs/protocol/rpc-chain.md 2.1, 2.2
 */
export function loadConfig(input: Input, onWarning: (line: string) => void = () => {}): Loaded {
  const first = readSources(input, OPTIONS);
  const { settings: flags } = first;
  if (flags.bool('?') || flags.bool('h') || flags.bool('help') || flags.bool('help-debug')) {
    return { action: 'help', debug: flags.bool('help-debug') };
  }
  if (flags.isSet('version')) return { action: 'version' };
  const sources = first.read();
  const token = sources.rest.find((word) => !word.startsWith('-'));
  if (token !== undefined) throw new ConfigError(`Command line contains unexpected token '${token}', see defid -h for a list of options.`);
  const { settings } = sources;
  const warnings: string[] = [];
  const warn = (line: string) => {
    warnings.push(line);
    onWarning(line);
  };
  for (const remark of sources.remarks) warn(remark);
  const built = buildConfig(sources, (text) => warn(`Warning: ${text}`));
  const wait = settings.bool('daemonwait');
  return {
    action: 'run',
    config: built.config,
    settings,
    daemon: { enabled: wait || settings.bool('daemon'), wait },
    systemUmask: settings.bool('sysperms'),
    warnings,
    notes: sources.notes,
    doubts: optionDoubts(sources),
  };
}

/**
 * Warnings about a missing configuration file, about options without effect, and about numbers that are not numbers.
 * @param sources after the configuration has been built from their settings
 */
export function optionDoubts({ settings, confFile, lacksConfFile }: Sources): readonly string[] {
  const missing = lacksConfFile ? [`The specified config file ${confFile} does not exist`] : [];
  // The entry may contain a password, so it is not printed.
  const ignored = settings.list('rpcauth').some((entry) => parseRpcAuth(entry) === undefined)
    ? ['An -rpcauth that is not <user>:<salt>$<hash> is ignored']
    : [];
  const misread = settings.unreadable().map(({ key, value, origin }) => {
    return `Option -${key} (${origin.layer}: ${origin.place}) should be a number: '${value}' is read as ${leadingInteger(value)}`;
  });
  return [...missing, ...ignored, ...misread, ...ignoredOptions(settings)];
}

function ignoredOptions(settings: Settings): readonly string[] {
  return settings.unused().map(({ key, noEffect }) => {
    return noEffect
      ? `Option -${key} is accepted and has no effect in this version`
      : `Option -${key} has no effect without the option it belongs to`;
  });
}
