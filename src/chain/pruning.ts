import type { Logger } from '../util/logger.js';
import type { BlockIndexEntry, BlockTree } from './block-index.js';
import type { BlockFile } from './block-store.js';
import type { ChainQueries } from './reader.js';

export interface PruneOptions {
  /** Bytes that the block files may take together; 0: blocks are deleted on request only. */
  readonly targetBytes: number;
}

/** Blocks at the top of the chain that always stay, so that reorganisations and young peers find them. */
export const MIN_BLOCKS_TO_KEEP = 288;
/** The target is looked at when the files have grown by so much. */
const STRETCH_BYTES = 16 * 2 ** 20;
/** Room that the next stretch of blocks takes, and what they are longer than it: files are deleted before the target is passed. */
const BUFFER_BYTES = STRETCH_BYTES + 2 ** 20;

/** Which blocks stand in which file, and which files may go. */
export class BlockFileIndex {
  readonly #entries = new Map<number, BlockIndexEntry[]>();

  constructor(tree: Pick<BlockTree, 'all'>) {
    for (const entry of tree.all()) this.note(entry);
  }

  /** Takes in a block that was stored. */
  note(entry: BlockIndexEntry): void {
    if (!entry.position) return;
    const { file } = entry.position;
    const entries = this.#entries.get(file);
    if (entries) entries.push(entry);
    else this.#entries.set(file, [entry]);
  }

  entriesOf(file: number): readonly BlockIndexEntry[] {
    return this.#entries.get(file) ?? [];
  }

  forget(file: number): void {
    this.#entries.delete(file);
  }

  /** Files that the blocks stand in. */
  get files(): Iterable<number> {
    return this.#entries.keys();
  }

  /** Files without a block above `height`; the last one still grows and stays. */
  filesBelow(height: number, files: readonly BlockFile[]): BlockFile[] {
    return files.slice(0, -1).filter(({ file }) => this.entriesOf(file).every((entry) => entry.height <= height));
  }
}

/**
 * Files to delete so that there is room for what comes, oldest first.
 * @param deletable files without blocks that must stay
 */
export function filesToFree(
  deletable: readonly BlockFile[],
  { usedBytes, targetBytes, catchingUp }: { readonly usedBytes: number; readonly targetBytes: number; readonly catchingUp: boolean },
): BlockFile[] {
  if (usedBytes + BUFFER_BYTES < targetBytes) return [];
  // While blocks pour in, a tenth more is freed, so that this happens less often.
  const most = targetBytes - BUFFER_BYTES - (catchingUp ? Math.floor(targetBytes / 10) : 0);
  const chosen: BlockFile[] = [];
  let used = usedBytes;
  for (const each of deletable) {
    if (used < most) break;
    chosen.push(each);
    used -= each.bytes;
  }
  return chosen;
}

/** What pruning does to the chain's data. */
interface PrunedData {
  readonly blockFiles: readonly BlockFile[];
  removeBlockFile(file: number): void;
  /** Forgets a block and its undo log, its header stays. */
  forgetBlock(entry: BlockIndexEntry): void;
  flush(options: { readonly sync: boolean }): void;
}

/** Keeps the block files within bounds. Files go whole, and the records of their blocks first: a kill leaves a file too many. */
export class Pruner {
  readonly #index: BlockFileIndex;
  readonly #data: PrunedData;
  /** File and stretch of it that were being filled when the target was last looked at. */
  #last = { file: -1, stretch: -1 };

  constructor(tree: Pick<BlockTree, 'all'>, data: PrunedData) {
    this.#index = new BlockFileIndex(tree);
    this.#data = data;
    this.#removeLeftovers();
  }

  /** Takes in a block that was stored. */
  note(entry: BlockIndexEntry): void {
    this.#index.note(entry);
  }

  /** Deletes the files all of whose blocks are at or below `height`. @returns how many */
  pruneTo(height: number): number {
    return this.#delete(this.#index.filesBelow(height, this.#data.blockFiles));
  }

  /** Deletes what the target leaves no room for, if a stretch of blocks was begun since the last time. @returns how many files */
  pruneToTarget(targetBytes: number, { height, catchingUp }: { readonly height: number; readonly catchingUp: boolean }): number {
    const files = this.#data.blockFiles;
    const { file, bytes: filled } = files.at(-1) ?? { file: -1, bytes: 0 };
    const stretch = Math.floor(filled / STRETCH_BYTES);
    if (file === this.#last.file && stretch === this.#last.stretch) return 0;
    this.#last = { file, stretch };
    const usedBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#delete(filesToFree(this.#index.filesBelow(height, files), { usedBytes, targetBytes, catchingUp }));
  }

  #delete(files: readonly BlockFile[]): number {
    if (files.length === 0) return 0;
    for (const { file } of files) for (const entry of this.#index.entriesOf(file)) this.#data.forgetBlock(entry);
    this.#data.flush({ sync: true });
    for (const { file } of files) {
      this.#data.removeBlockFile(file);
      this.#index.forget(file);
    }
    return files.length;
  }

  /** Files that a kill kept from being deleted. What is not recorded in the last ones may be new. */
  #removeLeftovers(): void {
    const last = Math.max(...this.#index.files);
    for (const { file } of this.#data.blockFiles) {
      if (file < last && this.#index.entriesOf(file).length === 0) this.#data.removeBlockFile(file);
    }
  }
}

/** Prunes the active chain, as `-prune` demands and as the operator asks. */
export class ChainPruner {
  readonly #pruner: Pruner;
  readonly #targetBytes: number;
  readonly #chain: Pick<ChainQueries, 'params' | 'tip' | 'isInitialDownload' | 'lowestStored'>;
  readonly #log: Pick<Logger, 'info'>;

  constructor(pruner: Pruner, { targetBytes }: PruneOptions, chain: ChainQueries, log: Logger) {
    this.#pruner = pruner;
    this.#targetBytes = targetBytes;
    this.#chain = chain;
    this.#log = log;
  }

  /** Records a block that was stored. */
  note(entry: BlockIndexEntry): void {
    this.#pruner.note(entry);
  }

  /** Deletes block files all of whose blocks are at or below `height`, but never the last 288 blocks. */
  pruneTo(height: number): void {
    this.#logDeleted(this.#pruner.pruneTo(Math.min(height, this.#highest)));
  }

  /** Deletes block files that exceed the target size, if there is one. */
  pruneIfDue(): void {
    const { tip, params } = this.#chain;
    if (!this.#targetBytes || tip.height <= params.pruneAfterHeight) return;
    const catchingUp = this.#chain.isInitialDownload();
    this.#logDeleted(this.#pruner.pruneToTarget(this.#targetBytes, { height: this.#highest, catchingUp }));
  }

  get #highest(): number {
    return this.#chain.tip.height - MIN_BLOCKS_TO_KEEP;
  }

  #logDeleted(files: number): void {
    if (files > 0) this.#log.info('deleted block files', { files, lowest: this.#chain.lowestStored().height });
  }
}
