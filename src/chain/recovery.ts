import { BlockInvalid } from '../consensus/errors.js';
import { DecodeError } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { toHex } from '../util/bytes.js';
import type { Logger } from '../util/logger.js';
import { Progress, type Terminal } from '../util/progress.js';
import { Slicer } from '../util/slicer.js';
import type { ReportWork } from '../util/work-report.js';
import type { Activator } from './activation.js';
import type { BlockAcceptance } from './block-acceptance.js';
import type { BlockPosition } from './block-store.js';
import type { ChainDatabase } from './database.js';
import { type FaultGuard, InternalFault } from './faults.js';
import type { Flusher } from './flusher.js';
import type { ChainQueries } from './reader.js';
import { readBlock } from './stored-blocks.js';

/** Result of trying to import one stored block. */
interface Attempt {
  readonly hash: Hash256;
  /** Hash of the unknown parent; undefined if the block is imported or was known. */
  readonly waitsFor: Hash256 | undefined;
  /** True if the block index knew the block before. */
  readonly known: boolean;
}

export interface BlockRecoveryParts {
  readonly chain: Pick<ChainQueries, 'params' | 'tip' | 'bestHeader' | 'entry'>;
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
 * them while the index is rebuilt.
 */
export class BlockRecovery {
  readonly #parts: BlockRecoveryParts;

  constructor(parts: BlockRecoveryParts) {
    this.#parts = parts;
  }

  /** True from the start of an index rebuild until all stored blocks are imported, also after restarts. */
  get isRebuilding(): boolean {
    return this.#parts.db.isUnderWay('rebuild');
  }

  /** Runs in slices. An aborted import is continued by the next one. @returns the number of imported blocks */
  async run(signal?: AbortSignal): Promise<number> {
    const { db, flusher } = this.#parts;
    const last = this.isRebuilding ? undefined : db.fileIndex.last;
    flusher.isImporting = true;
    try {
      const imported = await this.#import(db.blocksAfter(last), signal);
      db.setUnderWay('rebuild', false);
      return imported;
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
  async #import(positions: Iterable<BlockPosition>, signal: AbortSignal | undefined): Promise<number> {
    const progress = new Progress(this.isRebuilding ? 'reindexing blocks' : 'importing stored blocks', this.#parts);
    try {
      return await this.#importAll(positions, progress, new Slicer(signal));
    } finally {
      progress.end();
    }
  }

  async #importAll(positions: Iterable<BlockPosition>, progress: Progress, slicer: Slicer): Promise<number> {
    const waiting = new Map<string, BlockPosition[]>();
    const shareAt = this.#shareAt();
    let imported = 0;
    for (const position of positions) {
      const ready = [position];
      for (let next = ready.shift(); next; next = ready.shift()) {
        await slicer.pause();
        const block = this.#importAt(next);
        if (!block) continue;
        if (block.waitsFor) {
          const parent = toHex(block.waitsFor);
          waiting.set(parent, [...(waiting.get(parent) ?? []), next]);
          continue;
        }
        if (!block.known) imported += 1;
        progress.update({ share: shareAt(position), blocks: imported, facts: this.#heights() });
        ready.push(...(waiting.get(toHex(block.hash)) ?? []));
        waiting.delete(toHex(block.hash));
      }
    }
    return imported;
  }

  #heights(): { readonly height: number; readonly headers: number } {
    const { chain } = this.#parts;
    return { height: chain.tip.height, headers: chain.bestHeader.height };
  }

  /** @returns the share of the stored bytes up to a position */
  #shareAt(): (position: BlockPosition) => number {
    const before = new Map<number, number>();
    let total = 0;
    for (const { file, bytes } of this.#parts.db.blockFiles) {
      before.set(file, total);
      total += bytes;
    }
    return ({ file, offset, size }) => Math.min(1, ((before.get(file) ?? 0) + offset + size) / total);
  }

  /** @returns undefined for bytes that are no valid block */
  #importAt(position: BlockPosition): Attempt | undefined {
    const { chain, db, acceptance, activator, guard, log } = this.#parts;
    try {
      const { block, raw } = readBlock(db.readAt(position), chain.params);
      if (chain.entry(block.hash)?.hasData) return { hash: block.hash, waitsFor: undefined, known: true };
      if (!chain.entry(block.header.prevHash)) return { hash: block.hash, waitsFor: block.header.prevHash, known: false };
      guard.change(() => {
        acceptance.accept(block, raw, { stored: position });
        activator.activate();
      });
      return { hash: block.hash, waitsFor: undefined, known: false };
    } catch (error) {
      if (error instanceof BlockInvalid) return undefined;
      if (!(error instanceof DecodeError)) throw error;
      log.warn('skipping a stored block that cannot be decoded', { ...position, error: error.message });
      return undefined;
    }
  }
}
