import { truth } from './option.js';

/** Source of a value. */
export interface Origin {
  readonly layer: 'command line' | 'environment' | 'file' | 'default';
  /** Flag, variable, or `file:line`. */
  readonly place: string;
}

/** One value of an option and its source. */
export interface Occurrence {
  readonly value: string;
  readonly origin: Origin;
}

/**
 * All values of a layer by key. A negated key (`-nofoo`) is present without values, until a later occurrence adds one.
 */
export class Occurrences {
  private readonly byKey = new Map<string, { values: Occurrence[]; negated: Origin | undefined }>();

  /**
   * Adds one `key=value` and applies a leading `no`: `nofoo=1` removes the values so far, `nofoo=0` means `foo=1`.
   * @param key without dash, with or without section: `regtest.nofoo`
   * @returns a warning for the log about a double negative
   */
  add(key: string, value: string, origin: Origin): string | undefined {
    const { plain, negative } = splitNegation(key);
    if (!negative) {
      this.push(plain, value, origin);
      return undefined;
    }
    if (truth(value)) {
      this.byKey.set(plain, { values: [], negated: origin });
      return undefined;
    }
    this.push(plain, '1', origin);
    return `Warning: parsed potentially confusing double-negative -${plain}=${value}`;
  }

  /** Values in the order of occurrence; empty if the key is negated, undefined if it does not occur. */
  get(key: string): readonly Occurrence[] | undefined {
    return this.byKey.get(key)?.values;
  }

  /** Source of the negation of a key; undefined if a later occurrence added a value. */
  negation(key: string): Origin | undefined {
    const entry = this.byKey.get(key);
    return entry?.values.length === 0 ? entry.negated : undefined;
  }

  delete(key: string): void {
    this.byKey.delete(key);
  }

  keys(): Iterable<string> {
    return this.byKey.keys();
  }

  private push(key: string, value: string, origin: Origin): void {
    const entry = this.byKey.get(key) ?? { values: [], negated: undefined };
    entry.values.push({ value, origin });
    this.byKey.set(key, entry);
  }
}

/** Removes a leading `no`, after the section if there is one. */
function splitNegation(key: string): { plain: string; negative: boolean } {
  const start = key.indexOf('.') + 1;
  if (!key.startsWith('no', start)) return { plain: key, negative: false };
  return { plain: key.slice(0, start) + key.slice(start + 2), negative: true };
}

/** Name of the option of a key, without section and negation. */
export function baseKey(key: string): string {
  return splitNegation(key).plain.slice(key.indexOf('.') + 1);
}
