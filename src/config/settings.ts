import type { NetworkName } from '../params/network.js';
import type { Occurrence, Occurrences, Origin } from './occurrences.js';
import { leadingInteger, type Option, truth } from './option.js';
import type { KeyOf, OptionKey } from './options.js';

export interface Layers {
  readonly flags: Occurrences;
  readonly environment: Occurrences;
  readonly file: Occurrences;
}

/**
 * Looks options up through the layers: command line, environment, network section, default section, built-in default. A single value
 * is the last of the command line but the first of a section, as in the reference. docs/protocol/rpc-chain.md 2.2
 */
export class Settings {
  private readonly options: ReadonlyMap<string, Option>;

  /** @param network undefined until it is chosen: then the default section alone counts */
  constructor(
    private readonly layers: Layers,
    options: readonly Option[],
    readonly network: NetworkName | undefined,
    private readonly asked: Set<string> = new Set(),
  ) {
    this.options = new Map(options.map((option) => [option.key, option]));
  }

  /** The same layers seen by a network. */
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

  /** Text of an amount, to be parsed by whoever knows the unit. */
  amountText(key: KeyOf<'amount'>): string {
    return this.value(key)?.value ?? '0';
  }

  /** True when a user said anything about it, negation included. */
  isSet(key: OptionKey): boolean {
    const origin = this.value(key)?.origin;
    return origin !== undefined && origin.layer !== 'default';
  }

  /** `-nofoo`, which for some options says more than `-foo=0`. */
  isNegated(key: OptionKey): boolean {
    this.asked.add(key);
    return this.negation(key) !== undefined;
  }

  /** All values of a repeatable option: command line, environment, network section, default section; none when negated. */
  list(key: KeyOf<'text'>): readonly string[] {
    return this.all(key).map(({ value }) => value);
  }

  /** The value in force and where it came from; undefined where nothing is given and there is no built-in default. */
  value(key: string): Occurrence | undefined {
    this.asked.add(key);
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
   * A network switch: the last word counts in the file too, and sections do not, or `[regtest] testnet=1` would choose a network
   * that the section then does not belong to.
   */
  networkSwitch(key: KeyOf<'bool'>): boolean {
    this.asked.add(key);
    for (const layer of [this.layers.flags, this.layers.environment, this.layers.file]) {
      const values = layer.get(key);
      if (values) return values.length > 0 && truth(values.at(-1)?.value ?? '');
    }
    return false;
  }

  /** Network-only options that stand only in the default section, where they do not count for this network. */
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

  /** Options that were given, but that no part of the program has asked for. */
  unheeded(): readonly Option[] {
    return [...this.options.values()].filter(({ key }) => !this.asked.has(key) && this.given(key));
  }

  private given(key: string): boolean {
    const { flags, environment, file } = this.layers;
    const inFile = (name: string) => file.get(name) !== undefined;
    return flags.get(key) !== undefined || environment.get(key) !== undefined || inFile(key) || inFile(`${this.network}.${key}`);
  }

  /** The strongest layer that knows the key decides whether it is negated. */
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
