import { type Cell, CellView, type KeyRange } from './cells.js';
import type { StateView } from './view.js';

/**
 * A view that asks for each key once and then remembers. For work that reads the same keys many times while what lies below does not
 * change; let go of it afterwards.
 */
export class RememberedView extends CellView {
  readonly #below: CellView;
  readonly #columns = new Map<string, Map<string, Cell | undefined>>();

  /** @throws {TypeError} if what lies below is no view of this folder */
  constructor(below: StateView) {
    super();
    if (!(below instanceof CellView)) throw new TypeError('a remembered view stands on a store, a snapshot or an overlay');
    this.#below = below;
  }

  override cell(column: string, key: string): Cell | undefined {
    let known = this.#columns.get(column);
    if (!known) {
      known = new Map();
      this.#columns.set(column, known);
    }
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found;
    const cell = this.#below.cell(column, key);
    known.set(key, cell);
    return cell;
  }

  override cells(column: string, keys: readonly string[]): (Cell | undefined)[] {
    return keys.map((key) => this.cell(column, key));
  }

  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    return this.#below.scan(column, range);
  }
}
