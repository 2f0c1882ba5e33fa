import { buildConfig } from './build.js';
import type { Config } from './config.js';
import { ConfigError } from './errors.js';
import { OPTIONS } from './options.js';
import type { Settings } from './settings.js';
import { type Input, look } from './sources.js';

export interface LoadedConfig {
  readonly action: 'run';
  readonly config: Config;
  readonly settings: Settings;
  /** Run in the background; wait there until started. */
  readonly daemon: { readonly enabled: boolean; readonly wait: boolean };
  /** Use the system's file permissions. */
  readonly systemUmask: boolean;
  /** Lines for standard error, complete. */
  readonly warnings: readonly string[];
  /** Lines for the log, once it is open. */
  readonly notes: readonly string[];
  /** Warnings for the log, once it is open: not on standard error, where scripts around `defid` expect nothing. */
  readonly ignored: readonly string[];
}

/** What the daemon was asked to do. */
export type Loaded = LoadedConfig | { readonly action: 'help'; readonly debug: boolean } | { readonly action: 'version' };

/**
 * Reads the daemon's options from command line, environment and files.
 * @throws {ConfigError} if it cannot start with them; the message belongs after `Error: `. docs/protocol/rpc-chain.md 2.1, 2.2
 */
export function loadConfig(input: Input): Loaded {
  const first = look(input, OPTIONS);
  const { settings: flags } = first;
  if (flags.bool('?') || flags.bool('h') || flags.bool('help') || flags.bool('help-debug')) {
    return { action: 'help', debug: flags.bool('help-debug') };
  }
  if (flags.isSet('version')) return { action: 'version' };
  const sources = first.read();
  const token = sources.rest.find((word) => !word.startsWith('-'));
  if (token !== undefined) throw new ConfigError(`Command line contains unexpected token '${token}', see defid -h for a list of options.`);
  const { settings } = sources;
  const built = buildConfig(sources);
  const wait = settings.bool('daemonwait');
  return {
    action: 'run',
    config: built.config,
    settings,
    daemon: { enabled: wait || settings.bool('daemon'), wait },
    systemUmask: settings.bool('sysperms'),
    warnings: [...sources.remarks, ...[...sources.warnings, ...built.warnings].map((text) => `Warning: ${text}`)],
    notes: sources.notes,
    ignored: ignoredOptions(settings),
  };
}

/** Options that were given and do nothing, each in a sentence. @param settings after the configuration was built from them */
export function ignoredOptions(settings: Settings): readonly string[] {
  return settings.unheeded().map(({ key, noEffect }) => {
    return noEffect
      ? `Option -${key} is accepted and has no effect in this version`
      : `Option -${key} has no effect without the option it belongs to`;
  });
}
