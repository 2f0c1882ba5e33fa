import type { NetworkName } from '../params/network.js';
import type { Occurrence, Occurrences, Origin } from './occurrences.js';
import { isInteger, leadingInteger, type Option, truth } from './option.js';
import type { KeyOf, OptionKey } from './options.js';

/** Values by source. */
export interface Layers {
  readonly flags: Occurrences;
  readonly environment: Occurrences;
  readonly file: Occurrences;
}

/**
 * Options by precedence: command line, environment, network section, default section, built-in default. If a single-valued option is
 * repeated, the last value of the command line applies, but the first of a section, as in `defid`.
 * @see docs/protocol/rpc-chain.md 2.2
 */
export class Settings {
  private readonly options: ReadonlyMap<string, Option>;

  /** @param network undefined before it is selected; until then only the default section applies */
  constructor(
    private readonly layers: Layers,
    options: readonly Option[],
    readonly network: NetworkName | undefined,
    private readonly asked: Set<string> = new Set(),
  ) {
    this.options = new Map(options.map((option) => [option.key, option]));
  }

  /** These settings with the section of a network added. */
  onNetwork(network: NetworkName): Settings {
    return new Settings(this.layers, [...this.options.values()], network, this.asked);
  }

  bool(key: KeyOf<'bool'>): boolean {
    return truth(this.value(key)?.value ?? '0');
  }

  int(key: KeyOf<'int'>): number {
    return leadingInteger(this.value(key)?.value ?? '0');
  }

  text(key: KeyOf<'text'>): string {
    return this.value(key)?.value ?? '';
  }

  /** Text of an amount; the caller parses it. */
  amountText(key: KeyOf<'amount'>): string {
    return this.value(key)?.value ?? '0';
  }

  /** True if any source has the option, also negated. */
  isSet(key: OptionKey): boolean {
    const origin = this.value(key)?.origin;
    return origin !== undefined && origin.layer !== 'default';
  }

  /** True for `-nofoo`, which for some options differs from `-foo=0`. */
  isNegated(key: OptionKey): boolean {
    this.asked.add(key);
    return this.negation(key) !== undefined;
  }

  /** All values of a repeatable option: command line, environment, network section, default section; empty if negated. */
  list(key: KeyOf<'text'>): readonly string[] {
    return this.all(key).map(({ value }) => value);
  }

  /** Effective value and its source; undefined if no source has the option and there is no built-in default. */
  value(key: string): Occurrence | undefined {
    this.asked.add(key);
    return this.find(key);
  }

  private find(key: string): Occurrence | undefined {
    const negation = this.negation(key);
    if (negation) return { value: '0', origin: negation };
    const { flags, environment, file } = this.layers;
    const found =
      flags.get(key)?.at(-1) ??
      environment.get(key)?.at(-1) ??
      (this.network && file.get(`${this.network}.${key}`)?.[0]) ??
      (this.defaultSectionCounts(key) ? file.get(key)?.[0] : undefined);
    if (found) return found;
    const builtIn = this.options.get(key)?.default;
    return builtIn === undefined ? undefined : { value: builtIn, origin: { layer: 'default', place: 'default' } };
  }

  /** As `list`, with the sources. */
  all(key: string): readonly Occurrence[] {
    this.asked.add(key);
    if (this.negation(key)) return [];
    const { flags, environment, file } = this.layers;
    return [
      ...(flags.get(key) ?? []),
      ...(environment.get(key) ?? []),
      ...((this.network && file.get(`${this.network}.${key}`)) || []),
      ...((this.defaultSectionCounts(key) && file.get(key)) || []),
    ];
  }

  /**
   * Value of a switch that selects the network. In the file, too, the last value applies, and sections are ignored: `[regtest] testnet=1`
   * would otherwise select a network that the section does not belong to.
   */
  networkSwitch(key: KeyOf<'bool'>): boolean {
    this.asked.add(key);
    for (const layer of [this.layers.flags, this.layers.environment, this.layers.file]) {
      const values = layer.get(key);
      if (values) return values.length > 0 && truth(values.at(-1)?.value ?? '');
    }
    return false;
  }

  /** Network-only options that are set in the default section alone, which does not apply to this network. */
  misplaced(): readonly string[] {
    if (this.network === 'main' || this.network === undefined) return [];
    const { flags, environment, file } = this.layers;
    return [...this.options.values()]
      .filter(({ networkOnly }) => networkOnly)
      .map(({ key }) => key)
      .filter((key) => !flags.get(key)?.length && !environment.get(key)?.length && !file.get(`${this.network}.${key}`)?.length)
      .filter((key) => file.get(key)?.length)
      .sort();
  }

  /** Options that are set, but have not been read by any part of the program. */
  unused(): readonly Option[] {
    return [...this.options.values()].filter(({ key }) => !this.asked.has(key) && this.occurs(key));
  }

  /** Switches and integers whose effective text is no number. `defid` silently reads the digits at its beginning, or 0. */
  unreadable(): readonly (Occurrence & { readonly key: string })[] {
    return [...this.options.values()].flatMap(({ key, type }) => {
      const found = type === 'int' || type === 'bool' ? this.find(key) : undefined;
      const isFlag = type === 'bool' && found?.value === '';
      return !found || isFlag || isInteger(found.value) ? [] : [{ key, ...found }];
    });
  }

  private occurs(key: string): boolean {
    const { flags, environment, file } = this.layers;
    const inFile = (name: string) => file.get(name) !== undefined;
    return flags.get(key) !== undefined || environment.get(key) !== undefined || inFile(key) || inFile(`${this.network}.${key}`);
  }

  /** Negation of an option in the first source, by precedence, that has the option. */
  private negation(key: string): Origin | undefined {
    const { flags, environment, file } = this.layers;
    if (flags.get(key)) return flags.negation(key);
    if (environment.get(key)) return environment.negation(key);
    const section = this.network && `${this.network}.${key}`;
    if (section && file.get(section)) return file.negation(section);
    return file.negation(key);
  }

  private defaultSectionCounts(key: string): boolean {
    return this.network === 'main' || this.network === undefined || !this.options.get(key)?.networkOnly;
  }
}
