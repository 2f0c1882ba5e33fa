import { truth } from './option.js';

/** Where a value was written. */
export interface Origin {
  readonly layer: 'command line' | 'environment' | 'file' | 'default';
  /** Flag, variable, or `file:line`. */
  readonly place: string;
}

export interface Occurrence {
  readonly value: string;
  readonly origin: Origin;
}

/**
 * All values of a layer by key. A key that was negated (`-nofoo`) is there with no value, until a later occurrence gives it one.
 */
export class Occurrences {
  private readonly byKey = new Map<string, { values: Occurrence[]; negated: Origin | undefined }>();

  /**
   * Adds one `key=value`, minding a leading `no`: `nofoo=1` drops the values so far, `nofoo=0` means `foo=1`.
   * @param key without dash, may carry a section: `regtest.nofoo`
   * @returns a note for the log where the double negative deserves one
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

  /** Values in the order given; empty when the key was negated; undefined when it never came. */
  get(key: string): readonly Occurrence[] | undefined {
    return this.byKey.get(key)?.values;
  }

  /** Where the key was negated, if no later occurrence gave it a value again. */
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

/** Takes the `no` off, behind a section if there is one. */
export function splitNegation(key: string): { plain: string; negative: boolean } {
  const start = key.indexOf('.') + 1;
  if (!key.startsWith('no', start)) return { plain: key, negative: false };
  return { plain: key.slice(0, start) + key.slice(start + 2), negative: true };
}

/** The option that a key speaks of: without section and negation. */
export function baseKey(key: string): string {
  return splitNegation(key).plain.slice(key.indexOf('.') + 1);
}
