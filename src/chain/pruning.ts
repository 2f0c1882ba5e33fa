import type { Logger } from '../util/logger.js';
import { inSlices, type MaybePromise, type Steps } from '../util/slicer.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockFile } from './block-store.js';
import type { BlockTree } from './block-tree.js';
import type { BlockFileIndex } from './file-index.js';
import type { ChainQueries } from './reader.js';

export interface PruneOptions {
  /** Maximum total size of the block files, bytes; 0: files are deleted only on request. */
  readonly targetBytes: number;
}

/** Blocks below the tip that are never deleted, for reorganisations and for peers that are nearly in sync. */
export const MIN_BLOCKS_TO_KEEP = 288;
/** Growth of the files after which the target is checked. */
const STRETCH_BYTES = 16 * 2 ** 20;
/** Room for the blocks until the next check, and for the excess of the last one: files are deleted before the target is exceeded. */
const BUFFER_BYTES = STRETCH_BYTES + 2 ** 20;

/**
 * Files to delete, oldest first, to make room for the next blocks.
 * @param deletable files without blocks that must be kept, oldest first
 */
export function filesToFree(
  deletable: readonly BlockFile[],
  { usedBytes, targetBytes, catchingUp }: { readonly usedBytes: number; readonly targetBytes: number; readonly catchingUp: boolean },
): BlockFile[] {
  if (usedBytes + BUFFER_BYTES < targetBytes) return [];
  // During initial download a tenth more is freed, so that pruning is less frequent.
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

/** Data of the chain that is pruned. */
interface PrunedData {
  readonly blockFiles: readonly BlockFile[];
  readonly fileIndex: BlockFileIndex;
  /** True while the block index is rebuilt from the block files. */
  isUnderWay(task: 'rebuild'): boolean;
  removeBlockFile(file: number): void;
  /** Removes the position and the undo record of a block; its header stays. */
  forgetBlock(entry: BlockIndexEntry): void;
  flush(options: { readonly sync: boolean }): void;
}

/**
 * Deletes block files. The records of their blocks are removed first, so an unclean shutdown may leave a file without records, which the
 * next start deletes.
 */
export class Pruner {
  readonly #tree: Pick<BlockTree, 'at' | 'all'>;
  readonly #data: PrunedData;
  /** State at the last check of the target: the file that was being filled, the stretch in it, and the first file that was not imported. */
  #last = { file: -1, stretch: -1, unimported: -1 };

  constructor(tree: Pick<BlockTree, 'at' | 'all'>, data: PrunedData) {
    this.#tree = tree;
    this.#data = data;
    this.#removeLeftovers();
  }

  /** Deletes the files all of whose blocks are at or below `height`. @param onShare receives the share that is done @returns number of deleted files */
  pruneTo(height: number, onShare?: (share: number) => void): Steps<number> {
    return this.#delete(this.#data.fileIndex.filesBelow(height, this.#data.blockFiles), onShare);
  }

  /** Deletes the files that exceed the target, if a stretch was begun or a file imported since the last check. @returns number of deleted files */
  *pruneToTarget(targetBytes: number, { height, catchingUp }: { readonly height: number; readonly catchingUp: boolean }): Steps<number> {
    const files = this.#data.blockFiles;
    const { file, bytes: filled } = files.at(-1) ?? { file: -1, bytes: 0 };
    const stretch = Math.floor(filled / STRETCH_BYTES);
    const { unimported } = this.#data.fileIndex;
    if (file === this.#last.file && stretch === this.#last.stretch && unimported === this.#last.unimported) return 0;
    this.#last = { file, stretch, unimported };
    const usedBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    return yield* this.#delete(filesToFree(this.#data.fileIndex.filesBelow(height, files), { usedBytes, targetBytes, catchingUp }));
  }

  /** Steps that end early leave files some of whose blocks are forgotten; they are deleted the next time. */
  *#delete(files: readonly BlockFile[], onShare?: (share: number) => void): Steps<number> {
    if (files.length === 0) return 0;
    const { fileIndex } = this.#data;
    for (const [i, { file }] of files.entries()) {
      onShare?.(i / files.length);
      for (const entry of this.#entriesAbout(file)) {
        if (entry.position?.file === file) this.#data.forgetBlock(entry);
        yield;
      }
      fileIndex.forget(file);
    }
    this.#data.flush({ sync: true });
    for (const { file } of files) this.#data.removeBlockFile(file);
    onShare?.(1);
    return files.length;
  }

  /** Known blocks that may be in a file: of the active chain by their heights, and of branches, which are all in memory. */
  *#entriesAbout(file: number): Generator<BlockIndexEntry> {
    const { lowest, highest } = this.#data.fileIndex.get(file) ?? { lowest: 0, highest: -1 };
    for (let height = lowest; height <= highest; height++) {
      const entry = this.#tree.at(height);
      if (entry) yield entry;
    }
    for (const entry of this.#tree.all()) if (!entry.isActive) yield entry;
  }

  /**
   * Deletes files without known blocks, left by an unclean shutdown. Later files are kept, because their blocks may still be imported; so are all
   * during a rebuild, because blocks may wait for parents in later files.
   */
  #removeLeftovers(): void {
    const { fileIndex } = this.#data;
    if (this.#data.isUnderWay('rebuild')) return;
    const last = Math.max(...fileIndex.files);
    for (const { file } of this.#data.blockFiles) {
      if (file < last && !fileIndex.get(file)) this.#data.removeBlockFile(file);
    }
  }
}

/** Prunes the active chain, as `-prune` demands and as the operator asks: one deletion at a time, in slices. */
export class ChainPruner {
  readonly #pruner: Pruner;
  readonly #targetBytes: number;
  readonly #chain: Pick<ChainQueries, 'params' | 'tip' | 'isInitialDownload' | 'lowestStored'>;
  readonly #log: Pick<Logger, 'info'>;
  readonly #closing = new AbortController();
  /** The deletion under way. */
  #running: Promise<void> | undefined;

  constructor(pruner: Pruner, { targetBytes }: PruneOptions, chain: ChainQueries, log: Logger) {
    this.#pruner = pruner;
    this.#targetBytes = targetBytes;
    this.#chain = chain;
    this.#log = log;
  }

  /** Deletes block files all of whose blocks are at or below `height`, but never the last 288 blocks. @param onShare receives the share that is done */
  pruneTo(height: number, onShare?: (share: number) => void): MaybePromise<void> {
    if (this.#running) return this.#running.catch(() => {}).then(() => this.pruneTo(height, onShare));
    return this.#run(this.#pruner.pruneTo(Math.min(height, this.#highest), onShare));
  }

  /** Deletes block files until their size is within the target, if there is a target and no other deletion is under way. */
  pruneIfDue(): MaybePromise<void> {
    const { tip, params } = this.#chain;
    if (this.#running || !this.#targetBytes || tip.height <= params.pruneAfterHeight) return;
    const catchingUp = this.#chain.isInitialDownload();
    return this.#run(this.#pruner.pruneToTarget(this.#targetBytes, { height: this.#highest, catchingUp }));
  }

  /** Ends a deletion that is under way. */
  close(): void {
    this.#closing.abort();
  }

  get #highest(): number {
    return this.#chain.tip.height - MIN_BLOCKS_TO_KEEP;
  }

  #run(steps: Steps<number>): MaybePromise<void> {
    const files = inSlices(steps, this.#closing);
    if (!(files instanceof Promise)) return this.#logDeleted(files);
    this.#running = files
      .then((count) => this.#logDeleted(count))
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) throw error;
      })
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  #logDeleted(files: number): void {
    if (files > 0) this.#log.info('deleted block files', { files, lowest: this.#chain.lowestStored().height });
  }
}
