import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArguments } from './arguments.js';
import { faulty, parseConf, type SectionMention } from './conf-file.js';
import { readEnvironment } from './environment.js';
import { ConfigError } from './errors.js';
import { nearest } from './nearest.js';
import { DEVELOPMENT, NETWORKS, type NetworkBase, networkBase, withPortsInUse } from './networks.js';
import { baseKey, Occurrences } from './occurrences.js';
import type { Option } from './option.js';
import { type Layers, Settings } from './settings.js';

/** Arguments and environment of the process. */
export interface Input {
  /** Without the paths of Node.js and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Options from all sources, and the facts that depend on them. */
export interface Sources {
  readonly settings: Settings;
  readonly network: NetworkBase;
  readonly dataDir: string;
  readonly dataDirIsDefault: boolean;
  readonly confFile: string;
  /** True if -conf names a file that does not exist, which is no error in `defid`. */
  readonly lacksConfFile: boolean;
  /** Tokens after the flags. */
  readonly rest: readonly string[];
  /** Messages for standard error, each after `Warning: `. */
  readonly warnings: readonly string[];
  /** Messages for standard error, without prefix. */
  readonly remarks: readonly string[];
  /** Messages to log once the log is open. */
  readonly notes: readonly string[];
}

/** Options of command line and environment, enough for `-help` and `-version`, which must not fail because of a file. */
export interface EarlySources {
  readonly settings: Settings;
  readonly rest: readonly string[];
  /** Adds the configuration files. @throws {ConfigError} with the text of `defid` */
  read(): Sources;
}

/**
 * Reads options from command line and environment; `read` of the result adds the files and selects the network.
 * @throws {ConfigError} with the text of `defid`
 * @see docs/protocol/rpc-chain.md 2.1, 2.2
 */
export function readSources({ argv, env }: Input, options: readonly Option[]): EarlySources {
  const known = new Set(options.map(({ key }) => key));
  const { flags, rest, notes } = parseArguments(argv, known);
  const environment = readEnvironment(env, options);
  const layers: Layers = { flags, environment: environment.values, file: new Occurrences() };
  const settings = new Settings(layers, options, undefined);
  const reader = new SourceReader(layers, settings, known, [...notes, ...environment.notes]);
  return { settings, rest, read: () => reader.read(rest) };
}

/** Default data directory of the platform, e.g. `~/.defi`. @see docs/protocol/rpc-chain.md 2.3 */
export function defaultDataDir(platform: NodeJS.Platform = process.platform, home = homedir()): string {
  if (platform === 'win32') return join(process.env.APPDATA ?? home, 'DeFi Blockchain');
  return platform === 'darwin' ? join(home, 'Library', 'Application Support', 'DeFi') : join(home, '.defi');
}

class SourceReader {
  private readonly mentions: (SectionMention & { readonly file: string })[] = [];
  private readonly remarks: string[] = [];

  constructor(
    private readonly layers: Layers,
    private readonly settings: Settings,
    private readonly known: ReadonlySet<string>,
    private readonly notes: string[],
  ) {}

  read(rest: readonly string[]): Sources {
    const given = this.settings.text('datadir');
    if (given !== '' && !isDirectory(given)) throw new ConfigError(`Specified data directory "${given}" does not exist.`);
    const confFile = resolveFrom(this.dataDir(), this.settings.text('conf'));
    const hasConfFile = this.readFile(confFile, this.settings.text('conf'));
    if (hasConfFile) this.readIncluded();
    const dataDir = this.dataDir();
    const named = this.settings.text('datadir');
    if (named !== '' && !isDirectory(named)) throw faulty(`specified data directory "${named}" does not exist.`);
    const network = this.chooseNetwork();
    const settings = this.settings.onNetwork(network.name);
    return {
      settings,
      network: withPortsInUse(network, settings),
      dataDir,
      dataDirIsDefault: named === '',
      confFile,
      lacksConfFile: !hasConfFile && this.settings.isSet('conf'),
      rest,
      warnings: this.sectionWarnings(),
      remarks: this.remarks,
      notes: this.notes,
    };
  }

  private dataDir(): string {
    const given = this.settings.text('datadir');
    return given === '' ? defaultDataDir() : resolve(given);
  }

  /** @param shownAs name of the file in warnings @returns false if there is no such file */
  private readFile(path: string, shownAs: string): boolean {
    const text = readText(path);
    if (text === undefined) return false;
    const { lines, sections } = parseConf(text);
    for (const { key, value, line } of lines) {
      const note = this.layers.file.add(key, value, { layer: 'file', place: `${shownAs}:${line}` });
      if (note) this.notes.push(note);
      if (!this.known.has(baseKey(key))) this.notes.push(this.unknownKey(key));
    }
    this.mentions.push(...sections.map((mention) => ({ ...mention, file: shownAs })));
    return true;
  }

  private unknownKey(key: string): string {
    const meant = nearest(baseKey(key), this.known);
    return `Ignoring unknown configuration value ${key}${meant ? ` (did you mean ${meant}?)` : ''}`;
  }

  /** Reads the files of -includeconf. Includes inside of them are ignored with a warning, as in `defid`. */
  private readIncluded(): void {
    if (this.layers.flags.get('includeconf')) return; // -noincludeconf
    const wanted = this.takeIncludes();
    for (const file of wanted) {
      if (!this.readFile(resolveFrom(this.dataDir(), file), file)) throw faulty(`Failed to include configuration file ${file}`);
      this.notes.push(`Included configuration file ${file}`);
    }
    for (const file of this.takeIncludes()) {
      this.remarks.push(`warning: -includeconf cannot be used from included files; ignoring -includeconf=${file}`);
    }
  }

  private takeIncludes(): readonly string[] {
    const keys = ['includeconf', `${this.chooseNetwork().section}.includeconf`];
    const files = keys.flatMap((key) => (this.layers.file.get(key) ?? []).map(({ value }) => value));
    for (const key of keys) this.layers.file.delete(key);
    return files;
  }

  private chooseNetwork(): NetworkBase {
    const chosen = NETWORKS.filter(({ flag }) => flag !== undefined && this.settings.networkSwitch(flag));
    if (chosen.length > 1) throw new ConfigError('Invalid combination of -regtest and -testnet.');
    if (this.settings.networkSwitch('dev')) {
      const other = chosen.find(({ name }) => name !== 'regtest');
      if (other) throw new ConfigError(`Invalid combination of -dev and -${other.flag}: -dev is a private network.`);
      return DEVELOPMENT;
    }
    return chosen[0] ?? networkBase('main');
  }

  private sectionWarnings(): readonly string[] {
    const sections = new Set(NETWORKS.map(({ section }) => section));
    const strange = this.mentions.filter(({ section }) => !sections.has(section));
    return strange.map(({ file, line, section }) => `${file}:${line} Section [${section}] is not recognized.`);
  }
}

function resolveFrom(directory: string, path: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}

/** @returns undefined if there is no such file, which is no error */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw faulty(message); // the file may contain credentials, without which the node must not start
  }
}

/** True if the path exists and is a directory. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
