import { Lru } from '../util/lru.js';
import type { Steps } from '../util/slicer.js';
import { type Cell, CellView, type KeyRange } from './cells.js';
import type { Stamp } from './stamp.js';
import type { AnyColumn, StateView } from './view.js';

/** View that records each column that is read through it, with its stamp. */
class NotingView extends CellView {
  readonly noted = new Map<string, Stamp>();

  constructor(private readonly below: CellView) {
    super();
  }

  override stamp(column: string): Stamp {
    this.#note(column);
    return this.below.stamp(column);
  }

  override cell(column: string, key: string): Cell | undefined {
    this.#note(column);
    return this.below.cell(column, key);
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    this.#note(column);
    return this.below.cells(column, keys);
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    this.#note(column);
    return this.below.scan(column, range);
  }

  #note(column: string): void {
    if (!this.noted.has(column)) this.noted.set(column, this.below.stamp(column));
  }
}

interface Kept<V> {
  readonly stamps: ReadonlyMap<string, Stamp>;
  readonly value: V;
}

/**
 * Values derived from a state, such as lists in the form in which operations show them. A value is kept until one of the columns changes
 * that were read to derive it. It is shared by all readers and must not be changed.
 */
export class Projection<V> {
  readonly #kept: Lru<string, Kept<V>>;

  /** @param maxValues number of values that are kept */
  constructor(maxValues: number) {
    this.#kept = new Lru(maxValues);
  }

  /**
   * @param key everything besides the state that the value depends on
   * @param derive reads the state through the view that it is given, and nothing else that may change but rows of `columns`
   * @param columns those of rows that the caller has just read from the same view
   */
  of(view: StateView, key: string, derive: (view: StateView) => V, columns: readonly AnyColumn[] = []): V {
    const known = this.#current(view, key);
    if (known) return known.value;
    const noting = noted(view);
    if (noting instanceof NotingView) for (const { name } of columns) noting.stamp(name);
    const value = derive(noting);
    this.#keep(key, noting, value);
    return value;
  }

  /** Like {@link of}, for values that are derived in steps. */
  *inSteps(view: StateView, key: string, derive: (view: StateView) => Steps<V>): Steps<V> {
    const known = this.#current(view, key);
    if (known) return known.value;
    const noting = noted(view);
    const value = yield* derive(noting);
    this.#keep(key, noting, value);
    return value;
  }

  #current(view: StateView, key: string): Kept<V> | undefined {
    const known = this.#kept.get(key);
    return known && view instanceof CellView && isCurrent(known, view) ? known : undefined;
  }

  #keep(key: string, view: StateView, value: V): void {
    // A value derived without a column could belong to any state.
    if (view instanceof NotingView && view.noted.size > 0) this.#kept.set(key, { stamps: view.noted, value });
  }
}

/** Views of other kinds have no stamps: what is derived from them is not kept. */
function noted(view: StateView): StateView {
  return view instanceof CellView ? new NotingView(view) : view;
}

function isCurrent({ stamps }: Kept<unknown>, view: CellView): boolean {
  for (const [column, stamp] of stamps) if (view.stamp(column) !== stamp) return false;
  return true;
}
