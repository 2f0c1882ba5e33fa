/**
 * Reading of an option's text. `bool`: empty is true, else an integer that is not 0. `int`: leading digits, else 0. `amount`: DFI with
 * up to eight decimals.
 */
export type OptionType = 'bool' | 'int' | 'text' | 'amount';

/** An option of the command line, the environment and the configuration file. */
export interface Option<K extends string = string, T extends OptionType = OptionType> {
  /** Without dash. */
  readonly key: K;
  readonly type: T;
  /** Default as text; undefined if it depends on the network or on other options. */
  readonly default: string | undefined;
  /** May be given several times; each adds a value. */
  readonly repeatable: boolean;
  /** Ignored in the default section of the file on networks other than main, where the section of the network sets it. */
  readonly networkOnly: boolean;
  /** The value is never printed. */
  readonly secret: boolean;
  /** Omitted from the help text: for tests, or accepted for compatibility only. */
  readonly hidden: boolean;
  /** Accepted because `defid` has it, and ignored: help and log say so. */
  readonly noEffect: boolean;
  /** Placeholder of the value in the help text, e.g. `<n>`; empty for switches. */
  readonly argument: string;
  readonly help: string;
}

/** Options under one heading of the help text. */
export interface OptionGroup<O extends Option = Option> {
  readonly title: string;
  readonly options: readonly O[];
}

type Extras = Partial<Pick<Option, 'repeatable' | 'networkOnly' | 'secret' | 'hidden' | 'noEffect'>>;

/** An option that a configuration file sets for one network. */
export const networkOnly = { networkOnly: true };
/** Shown by -help-debug alone. */
export const hidden = { hidden: true };
/** Accepted for compatibility with `defid`; the feature behind it does not exist here. */
export const noEffect = { noEffect: true };
/** Hidden and without effect. */
export const hiddenNoEffect = { hidden: true, noEffect: true };

function option<const K extends string, T extends OptionType>(
  type: T,
  key: K,
  defaultText: string | undefined,
  argument: string,
  help: string,
  extras: Extras,
): Option<K, T> {
  return {
    key,
    type,
    default: defaultText,
    argument,
    help,
    repeatable: false,
    networkOnly: false,
    secret: false,
    hidden: false,
    noEffect: false,
    ...extras,
  };
}

/** A switch. @param value the default; undefined if it depends on other options */
export function flag<const K extends string>(key: K, value: boolean | undefined, help: string, extras: Extras = {}): Option<K, 'bool'> {
  return option('bool', key, value === undefined ? undefined : value ? '1' : '0', '', help, extras);
}

/** An option with an integer. @param value the default; undefined if it depends on the network or on other options */
export function int<const K extends string>(key: K, value: number | undefined, help: string, extras: Extras = {}): Option<K, 'int'> {
  return option('int', key, value?.toString(), '<n>', help, extras);
}

/** An option with a text. @param value the default; undefined if there is none */
export function text<const K extends string>(
  key: K,
  value: string | undefined,
  argument: string,
  help: string,
  extras: Extras = {},
): Option<K, 'text'> {
  return option('text', key, value, argument, help, extras);
}

/** An option with an amount. @param value the default, DFI with up to eight decimals */
export function amount<const K extends string>(key: K, value: string | undefined, help: string, extras: Extras = {}): Option<K, 'amount'> {
  return option('amount', key, value, '<amt>', help, extras);
}

/** An option that may be repeated; every occurrence adds a value. */
export function list<const K extends string>(key: K, argument: string, help: string, extras: Extras = {}): Option<K, 'text'> {
  return option('text', key, undefined, argument, help, { repeatable: true, ...extras });
}

/** Leading integer of a text, as `atoi` of C parses it: white space, a sign, digits; 0 for any other text. Clamped to the safe integers. */
export function leadingInteger(value: string): number {
  const digits = /^\s*([+-]?\d+)/.exec(value)?.[1];
  if (digits === undefined) return 0;
  const number = Number(digits);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
}

/** True if a text is an integer as a whole. */
export function isInteger(value: string): boolean {
  return /^\s*[+-]?\d+\s*$/.test(value);
}

/** Value of a switch: an empty text is true, because a switch without value is on. */
export function truth(value: string): boolean {
  return value === '' || leadingInteger(value) !== 0;
}
