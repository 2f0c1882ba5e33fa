import { BlockInvalid } from '../consensus/errors.js';
import { DecodeError } from '../primitives/codec.js';
import { formatHash, type Hash256 } from '../primitives/hash.js';
import { toHex } from '../util/bytes.js';
import type { Logger } from '../util/logger.js';
import { Progress, type Terminal } from '../util/progress.js';
import { Slicer } from '../util/slicer.js';
import type { ReportWork } from '../util/work-report.js';
import type { Activator } from './activation.js';
import type { BlockAcceptance } from './block-acceptance.js';
import type { BlockFile, BlockPosition } from './block-store.js';
import type { BlockTree } from './block-tree.js';
import type { ChainDatabase } from './database.js';
import type { ExternalBlocks } from './external-blocks.js';
import { type FaultGuard, InternalFault } from './faults.js';
import type { Flusher } from './flusher.js';
import { markInvalid } from './invalid.js';
import type { ChainQueries } from './reader.js';
import { type DecodedBlock, readBlock } from './stored-blocks.js';

/** Blocks to be imported. */
interface BlockSource {
  readonly title: string;
  readonly positions: Iterable<BlockPosition>;
  read(position: BlockPosition): Uint8Array;
  /** True if they are in the block files of this node; others are appended there. */
  readonly isStored: boolean;
  readonly files: readonly BlockFile[];
  /** Blocks to be marked invalid, in hex. Blocks above them are imported as the block index of `defid` has them after -reindex-chainstate. */
  readonly invalid: ReadonlySet<string>;
}

/** Result of trying to import one block. */
interface Attempt {
  readonly hash: Hash256;
  /** Hash of the unknown parent; undefined if the block is imported or was known. */
  readonly waitsFor: Hash256 | undefined;
  /** True if the block index knew the block before. */
  readonly known: boolean;
}

/** Outcomes of an import so far. */
interface ImportTally {
  imported: number;
  refusals: number;
  first: Refusal | undefined;
  /** Blocks whose parents are unknown, by the parent in hex. */
  readonly waiting: Map<string, BlockPosition[]>;
}

/** A block that breaks a rule, also one that a correct clock would allow. */
interface Refusal {
  readonly hash: Hash256;
  readonly reason: string;
}

export interface BlockRecoveryParts {
  readonly chain: Pick<ChainQueries, 'params' | 'tip' | 'bestHeader' | 'entry'>;
  readonly tree: BlockTree;
  readonly db: ChainDatabase;
  readonly acceptance: Pick<BlockAcceptance, 'accept'>;
  readonly activator: Pick<Activator, 'activate'>;
  readonly guard: Pick<FaultGuard, 'change'>;
  readonly flusher: Flusher;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly terminal?: Terminal | undefined;
  readonly report?: ReportWork | undefined;
}

/**
 * Imports the stored blocks that the block index does not know: those whose index entries were lost in an unclean shutdown, or all of
 * them while the index is rebuilt. Imports files of other nodes too.
 */
export class BlockRecovery {
  readonly #parts: BlockRecoveryParts;
  /** File whose blocks are being imported. */
  #importing = -1;

  constructor(parts: BlockRecoveryParts) {
    this.#parts = parts;
    const { fileIndex } = parts.db;
    // Files may be pruned before the import begins.
    for (const _ of parts.db.blocksAfter(fileIndex.last)) {
      fileIndex.unimported = this.#firstFile;
      break;
    }
  }

  /** File with which the import begins. */
  get #firstFile(): number {
    return this.isRebuilding ? 0 : (this.#parts.db.fileIndex.last?.file ?? 0);
  }

  /** True from the start of an index rebuild until all stored blocks are imported, also after restarts. */
  get isRebuilding(): boolean {
    return this.#parts.db.isUnderWay('rebuild');
  }

  /**
   * Runs in slices. An aborted import is continued by the next one.
   * @param invalid blocks that are marked invalid when they are imported
   * @returns the number of imported blocks
   */
  async run(signal?: AbortSignal, invalid: readonly Hash256[] = []): Promise<number> {
    const { db } = this.#parts;
    const last = this.isRebuilding ? undefined : db.fileIndex.last;
    db.fileIndex.unimported = this.#firstFile;
    return this.#importInBatches(async () => {
      const imported = await this.#import(
        {
          title: this.isRebuilding ? 'reindexing blocks' : 'importing stored blocks',
          positions: db.blocksAfter(last),
          read: (position) => db.readAt(position),
          isStored: true,
          files: db.blockFiles,
          invalid: new Set(invalid.map(toHex)),
        },
        signal,
      );
      db.fileIndex.unimported = Number.POSITIVE_INFINITY;
      db.setUnderWay('rebuild', false);
      return imported;
    });
  }

  /** Imports blocks of other files in slices. Those that are invalid, or whose parents are unknown at the end, are left out. @returns their number */
  importFrom(external: ExternalBlocks, signal?: AbortSignal): Promise<number> {
    const read = (position: BlockPosition) => external.read(position);
    const [positions, files, invalid] = [external.records(), external.files(), new Set<string>()];
    const source = { title: 'importing blocks', positions, read, isStored: false, files, invalid };
    return this.#importInBatches(() => this.#import(source, signal));
  }

  async #importInBatches(work: () => Promise<number>): Promise<number> {
    const { flusher } = this.#parts;
    flusher.isImporting = true;
    try {
      return await work();
    } catch (error) {
      // The node serves the connected blocks; the next start imports the others.
      if (error instanceof InternalFault) return 0;
      throw error;
    } finally {
      flusher.isImporting = false;
      flusher.flush();
    }
  }

  /**
   * Connects the next block of a chain whose blocks are in the files of another one. Changes are written in large batches.
   * @throws {BlockInvalid} if it breaks a rule
   */
  connectAt(position: BlockPosition): void {
    const { chain, db, acceptance, activator, guard, flusher } = this.#parts;
    const { block, raw } = readBlock(db.readAt(position), chain.params);
    flusher.isImporting = true;
    guard.change(() => {
      const { entry } = acceptance.accept(block, raw, { stored: position });
      const verdict = activator.activate().verdicts.get(entry);
      if (verdict) throw verdict;
    });
  }

  /** Blocks are stored in the order of arrival, so one may precede its parent; it is tried again after the parent. */
  async #import(source: BlockSource, signal: AbortSignal | undefined): Promise<number> {
    const progress = new Progress(source.title, this.#parts);
    try {
      return await this.#importAll(source, progress, new Slicer(signal));
    } finally {
      progress.end();
    }
  }

  async #importAll(source: BlockSource, progress: Progress, slicer: Slicer): Promise<number> {
    const tally: ImportTally = { imported: 0, refusals: 0, first: undefined, waiting: new Map() };
    const shareAt = shareIn(source.files);
    for (const position of source.positions) {
      if (source.isStored) this.#keepFrom(position.file, tally);
      const ready = [position];
      for (let next = ready.shift(); next; next = ready.shift()) {
        await slicer.pause();
        const attempt = this.#importAt(next, source);
        if (!attempt || !isImported(attempt, next, tally)) continue;
        progress.update({ share: shareAt(position), blocks: tally.imported, facts: this.#heights() });
        ready.push(...(tally.waiting.get(toHex(attempt.hash)) ?? []));
        tally.waiting.delete(toHex(attempt.hash));
      }
    }
    this.#warnOfRest(tally);
    return tally.imported;
  }

  /** Notes that the blocks of a file are imported next, so that it is not pruned, nor those with blocks that wait for their parents. */
  #keepFrom(file: number, { waiting }: ImportTally): void {
    const { fileIndex } = this.#parts.db;
    if (file === this.#importing) return;
    this.#importing = file;
    let first = file;
    for (const positions of waiting.values()) for (const position of positions) first = Math.min(first, position.file);
    fileIndex.unimported = first;
  }

  /** Stored blocks that are left out are tried again at the next start, unless others have been stored behind them. */
  #warnOfRest({ first, refusals, waiting }: ImportTally): void {
    const orphans = [...waiting.values()].flat().length;
    if (!first && orphans === 0) return;
    this.#parts.log.warn('blocks were left out', {
      ...(first && { invalid: refusals, first: formatHash(first.hash), reason: first.reason }),
      ...(orphans > 0 && { withoutParent: orphans }),
    });
  }

  #heights(): { readonly height: number; readonly headers: number } {
    const { chain } = this.#parts;
    return { height: chain.tip.height, headers: chain.bestHeader.height };
  }

  /** @returns undefined for bytes that are no block */
  #importAt(position: BlockPosition, source: BlockSource): Attempt | Refusal | undefined {
    const { chain, log } = this.#parts;
    let read: DecodedBlock;
    try {
      read = readBlock(source.read(position), chain.params);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      log.warn('skipping a block that cannot be decoded', { ...position, error: error.message });
      return undefined;
    }
    try {
      return this.#accept(read, position, source);
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      return { hash: read.block.hash, reason: error.message };
    }
  }

  /** @throws {BlockInvalid} */
  #accept({ block, raw }: DecodedBlock, position: BlockPosition, { isStored, invalid }: BlockSource): Attempt {
    const { chain, tree, db, acceptance, activator, guard } = this.#parts;
    const { hash, header } = block;
    if (chain.entry(hash)?.hasData) return { hash, waitsFor: undefined, known: true };
    if (!chain.entry(header.prevHash)) return { hash, waitsFor: header.prevHash, known: false };
    guard.change(() => {
      const { entry } = acceptance.accept(block, raw, { ...(isStored && { stored: position }), invalidToo: invalid.size > 0 });
      if (invalid.has(toHex(hash))) markInvalid(tree, db, entry);
      activator.activate();
    });
    return { hash, waitsFor: undefined, known: false };
  }
}

/** Counts an attempt. @returns true if the block is imported or was known, so that blocks above it can be tried */
function isImported(attempt: Attempt | Refusal, position: BlockPosition, tally: ImportTally): boolean {
  if ('reason' in attempt) {
    tally.refusals += 1;
    tally.first ??= attempt;
    return false;
  }
  if (attempt.waitsFor) {
    const parent = toHex(attempt.waitsFor);
    tally.waiting.set(parent, [...(tally.waiting.get(parent) ?? []), position]);
    return false;
  }
  if (!attempt.known) tally.imported += 1;
  return true;
}

/** @returns the share of the bytes of all files up to a position */
function shareIn(files: readonly BlockFile[]): (position: BlockPosition) => number {
  const before = new Map<number, number>();
  let total = 0;
  for (const { file, bytes } of files) {
    before.set(file, total);
    total += bytes;
  }
  return ({ file, offset, size }) => Math.min(1, ((before.get(file) ?? 0) + offset + size) / total);
}
