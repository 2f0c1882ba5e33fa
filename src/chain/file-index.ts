import type { WritableView } from '../storage/view.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockFile, BlockPosition } from './block-store.js';
import { type FileSummary, fileSummaries } from './records.js';

/** Summaries of the block files, so that a start need not look at each block. */
export class BlockFileIndex {
  readonly #files = new Map<number, FileSummary>();
  /** Number of the first file with blocks that are still to be imported; Infinity if there is none. It and later files must be kept. */
  unimported = Number.POSITIVE_INFINITY;
  /** Files whose summaries changed since they were written. */
  readonly #changed = new Set<number>();

  constructor(stored: Iterable<readonly [number, FileSummary]> = []) {
    for (const [file, summary] of stored) this.#files.set(file, summary);
  }

  /** Records a block that was stored. */
  note({ position, height }: Pick<BlockIndexEntry, 'position' | 'height'>): void {
    if (!position) return;
    const { file, offset } = position;
    const known = this.#files.get(file);
    if (known && offset <= known.last.offset && height >= known.lowest && height <= known.highest) return;
    const { lowest = height, highest = height, last = position } = known ?? {};
    this.#files.set(file, {
      lowest: Math.min(lowest, height),
      highest: Math.max(highest, height),
      last: offset > last.offset ? position : last,
    });
    this.#changed.add(file);
  }

  get(file: number): FileSummary | undefined {
    return this.#files.get(file);
  }

  forget(file: number): void {
    this.#files.delete(file);
    this.#changed.add(file);
  }

  clear(): void {
    for (const file of this.files) this.forget(file);
  }

  /** Numbers of the files with known blocks. */
  get files(): Iterable<number> {
    return this.#files.keys();
  }

  /** Highest position of a known block, in the order of the files. */
  get last(): BlockPosition | undefined {
    let last: BlockPosition | undefined;
    for (const summary of this.#files.values()) if (!last || summary.last.file > last.file) last = summary.last;
    return last;
  }

  /** Files without a block above `height`, except the last one, which still grows, and those with blocks that are still to be imported. */
  filesBelow(height: number, files: readonly BlockFile[]): BlockFile[] {
    const imported = files.slice(0, -1).filter(({ file }) => file < this.unimported);
    return imported.filter(({ file }) => (this.#files.get(file)?.highest ?? Number.NEGATIVE_INFINITY) <= height);
  }

  /** Writes the changed summaries. */
  save(view: WritableView): void {
    for (const file of this.#changed) {
      const summary = this.#files.get(file);
      if (summary) view.put(fileSummaries, file, summary);
      else view.delete(fileSummaries, file);
    }
    this.#changed.clear();
  }
}
