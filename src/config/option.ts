/**
 * How an option's text is read. `bool`: empty is true, else an integer that is not 0. `int`: leading digits, else 0. `amount`: DFI with
 * up to eight decimals.
 */
export type OptionType = 'bool' | 'int' | 'text' | 'amount';

export interface Option<K extends string = string, T extends OptionType = OptionType> {
  /** Without dash. */
  readonly key: K;
  readonly type: T;
  /** As text; undefined where it depends on the network or on other options. */
  readonly default: string | undefined;
  /** May be given several times; each adds a value. */
  readonly repeatable: boolean;
  /** Outside main it counts only on the command line, in the environment, or in the network's section of the file. */
  readonly networkOnly: boolean;
  /** Never printed. */
  readonly secret: boolean;
  /** Left out of the help text: tests, and what exists only to be accepted. */
  readonly hidden: boolean;
  /** Accepted because `defid` has it, and ignored: help and log say so. */
  readonly noEffect: boolean;
  /** What stands for the value in the help text, as `<n>`; empty for switches. */
  readonly argument: string;
  readonly help: string;
}

export interface OptionGroup<O extends Option = Option> {
  readonly title: string;
  readonly options: readonly O[];
}

type Extras = Partial<Pick<Option, 'repeatable' | 'networkOnly' | 'secret' | 'hidden' | 'noEffect'>>;

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

export function flag<const K extends string>(key: K, value: boolean | undefined, help: string, extras: Extras = {}): Option<K, 'bool'> {
  return option('bool', key, value === undefined ? undefined : value ? '1' : '0', '', help, extras);
}

export function int<const K extends string>(key: K, value: number | undefined, help: string, extras: Extras = {}): Option<K, 'int'> {
  return option('int', key, value?.toString(), '<n>', help, extras);
}

export function text<const K extends string>(
  key: K,
  value: string | undefined,
  argument: string,
  help: string,
  extras: Extras = {},
): Option<K, 'text'> {
  return option('text', key, value, argument, help, extras);
}

export function amount<const K extends string>(key: K, value: string | undefined, help: string, extras: Extras = {}): Option<K, 'amount'> {
  return option('amount', key, value, '<amt>', help, extras);
}

/** An option whose every occurrence adds a value. */
export function list<const K extends string>(key: K, argument: string, help: string, extras: Extras = {}): Option<K, 'text'> {
  return option('text', key, undefined, argument, help, { repeatable: true, ...extras });
}

/** Leading integer of a text as C's atoi reads it: blanks, a sign, digits; anything else is 0. */
export function leadingInteger(value: string): number {
  const digits = /^\s*([+-]?\d+)/.exec(value)?.[1];
  if (digits === undefined) return 0;
  const number = Number(digits);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
}

/** Empty text is true: a switch that stands alone is on. */
export function truth(value: string): boolean {
  return value === '' || leadingInteger(value) !== 0;
}
