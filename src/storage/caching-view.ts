import { type Cell, CellView, type KeyRange } from './cells.js';
import type { Stamp } from './stamp.js';
import type { StateView } from './view.js';

/**
 * View that caches every cell it reads. For work that reads the same keys many times while the parent does not change; it is dropped
 * afterwards. Scans are not cached.
 */
export class CachingView extends CellView {
  readonly #parent: CellView;
  readonly #columns = new Map<string, Map<string, Cell | undefined>>();

  /** @throws {TypeError} if the parent is not a view of this folder */
  constructor(parent: StateView) {
    super();
    if (!(parent instanceof CellView)) throw new TypeError('the parent of a caching view is a store, a snapshot or an overlay');
    this.#parent = parent;
  }

  override stamp(column: string): Stamp {
    return this.#parent.stamp(column);
  }

  override cell(column: string, key: string): Cell | undefined {
    let known = this.#columns.get(column);
    if (!known) {
      known = new Map();
      this.#columns.set(column, known);
    }
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found;
    const cell = this.#parent.cell(column, key);
    known.set(key, cell);
    return cell;
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    return keys.map((key) => this.cell(column, key));
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    return this.#parent.scan(column, range);
  }
}
