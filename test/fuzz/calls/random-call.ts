import type { Random } from '../mutate.js';
import type { ChainValues } from './chain-values.js';

/** A call by position. */
export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Parameters of calls to start from, by operation. `$A`, `$H`, `$R`, `$S`, `$E` and `$V` are values of the chain. */
export type Samples = Readonly<Record<string, readonly (readonly unknown[])[]>>;

/** Values of every kind, valid for some arguments and not for others. */
const EDGES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 2, 10, 144, 1000, 1.5, 1e-8, -0.5, 1e10, 2 ** 31, 2 ** 32 - 1, 2 ** 53, 2 ** 63],
  ...['', 'abc', '0', '-1', '1', '1.5', '1@DFI', '1.123456789@DFI', '0@DFI', '-1@BTC', '1@', '@DFI', 'all', 'mine', 'auto'],
  ...['00'.repeat(32), 'zz'.repeat(32), 'é', 'a\u0000b', 'x'.repeat(300)],
  ...[[], {}, ['x'], [0], [null], { limit: 0 }, { limit: 2 }, { limit: -1 }, { limit: '1' }, { start: 0 }, { start: '1' }, { start: 'x' }],
];
const NAMES = ['limit', 'start', 'including_start', 'verbose', 'unknown', 'id', 'amounts'];
const AMOUNTS = ['0', '1', '0.5', '1000000000', '-1'];
const STEPS = [1, -1, 0.5, 1000];
const MAX_DEPTH = 4;

/** Makes random calls: samples with a few changes. The same numbers make the same calls. */
export class CallMaker {
  readonly #methods: readonly string[];

  constructor(
    private readonly random: Random,
    private readonly samples: Samples,
    private readonly values: ChainValues,
    methods: readonly string[] = [],
  ) {
    this.#methods = Object.keys(samples).filter((method) => methods.length === 0 || methods.includes(method));
    if (this.#methods.length === 0) throw new Error(`no samples of ${methods.join(' or ')}`);
  }

  next(): Call {
    const method = this.random.pick(this.#methods);
    let params = this.#filled(this.random.pick(this.samples[method] ?? [])) as readonly unknown[];
    for (let left = this.random.pick([0, 1, 1, 1, 2, 3]); left > 0; left--) params = this.#changed(params);
    return { method, params };
  }

  /** A sample with values of the chain. */
  #filled(value: unknown): unknown {
    if (typeof value === 'string') return value.replace(/\$([AHRSEV])/g, (_, letter: string) => this.#valueOf(letter));
    if (Array.isArray(value)) return value.map((each) => this.#filled(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [String(this.#filled(name)), this.#filled(each)]));
  }

  #valueOf(letter: string): string {
    const { hashes, addresses, transactions, symbols, evmHashes, evmAddresses } = this.values;
    const lists: Readonly<Record<string, readonly string[]>> = {
      A: addresses,
      H: hashes,
      R: transactions,
      S: symbols,
      E: evmAddresses,
      V: evmHashes,
    };
    return this.random.pick(lists[letter] as readonly string[]);
  }

  #changed(params: readonly unknown[]): readonly unknown[] {
    const kind = this.random.below(9);
    if (kind === 0) return params.slice(0, -1);
    if (kind === 8) return [...params, ...new Array(this.random.pick([1, 2, 3])).fill(null)];
    if (kind === 1 || params.length === 0) return [...params, this.#anyValue()];
    return this.#changedAt(params, 0);
  }

  #changedAt(list: readonly unknown[], depth: number): readonly unknown[] {
    const at = this.random.below(list.length);
    return list.with(at, this.#mutated(list[at], depth));
  }

  #mutated(value: unknown, depth: number): unknown {
    if (this.random.below(7) === 0 || depth > MAX_DEPTH) return this.#anyValue();
    if (Array.isArray(value)) return this.#mutatedList(value, depth);
    if (isObject(value)) return this.#mutatedObject(value, depth);
    if (this.random.below(2) === 0) return this.#anyValue();
    if (typeof value === 'number') return value + this.random.pick(STEPS);
    return typeof value === 'string' ? this.#mutatedText(value) : this.#anyValue();
  }

  #mutatedList(list: readonly unknown[], depth: number): unknown {
    if (list.length > 0) return this.#changedAt(list, depth + 1);
    return this.random.below(3) === 0 ? [this.#anyValue()] : this.#anyValue();
  }

  #mutatedObject(object: Readonly<Record<string, unknown>>, depth: number): unknown {
    const kind = this.random.below(7);
    const names = Object.keys(object);
    if (kind === 0 || names.length === 0) return { ...object, [this.random.pick(NAMES)]: this.#anyValue() };
    const name = this.random.pick(names);
    const { [name]: chosen, ...others } = object;
    return kind === 1 ? others : { ...object, [name]: this.#mutated(chosen, depth + 1) };
  }

  #mutatedText(text: string): string {
    const { hashes, addresses } = this.values;
    if (text.includes('@')) return text.replace(/^[^@]*/, this.random.pick(AMOUNTS));
    if (hashes.includes(text)) return this.random.pick(hashes);
    if (addresses.includes(text) && this.random.below(2) === 0) return this.random.pick(addresses);
    return this.random.pick([text.toLowerCase(), text.toUpperCase(), `${text}x`, text.slice(0, -1), `  ${text}`]);
  }

  #anyValue(): unknown {
    const { hashes, addresses, symbols } = this.values;
    return this.random.below(3) === 0 ? this.random.pick(this.random.pick([hashes, addresses, symbols])) : this.random.pick(EDGES);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
