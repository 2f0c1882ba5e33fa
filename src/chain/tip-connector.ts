import type { CheckedBlock } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import type { ScriptHelpers } from '../consensus/scripts.js';
import { restoreUndo } from '../dfi/evm/format-upgrade.js';
import type { Block } from '../primitives/block.js';
import type { BlockHeader } from '../primitives/header.js';
import { StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import { rowName } from '../storage/undo.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import { isAssumedValid } from './assume-valid.js';
import { BlockDraft } from './block-draft.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';
import { type ConnectContext, spentCoinsOf } from './connect.js';
import type { ChainDatabase } from './database.js';
import { EarlyScripts } from './early-scripts.js';
import type { BlockJournal, ChainEvents, JournalBlock } from './events.js';
import { atBlock } from './faults.js';
import type { FlushPace } from './flush-pace.js';
import type { Interruption } from './interruption.js';
import { markInvalid } from './invalid.js';
import type { ChainQueries } from './reader.js';
import { marks, undoLogs } from './records.js';
import type { CheckedBlocks } from './stored-blocks.js';

export interface TipConnectorParts {
  readonly chain: Pick<ChainQueries, 'params' | 'tip' | 'bestHeader' | 'entry' | 'header' | 'block'>;
  readonly tree: BlockTree;
  readonly db: ChainDatabase;
  readonly checkedBlocks: Pick<CheckedBlocks, 'require'>;
  readonly pace: Pick<FlushPace, 'noteBlock'>;
  readonly events: Pick<Emitter<ChainEvents>, 'emit'>;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly scripts: ScriptHelpers;
  readonly journal: BlockJournal | undefined;
  readonly interruption: Interruption;
  readonly keepsHistory: boolean;
  readonly keepsVaultHistory: boolean;
}

/** Blocks whose scripts are verified early. */
const MAX_EARLY = 2;

/** Connects stored blocks to the tip, and disconnects the tip. */
export class TipConnector {
  readonly #parts: TipConnectorParts;
  /** The block whose connection has begun, on the state that was below it then. */
  #draft: { readonly entry: BlockIndexEntry; readonly work: BlockDraft } | undefined;
  /** Scripts of blocks that are being decoded, or wait to be connected: of a child of the tip, and of a child of that one. */
  readonly #early: EarlyScripts[] = [];

  constructor(parts: TipConnectorParts) {
    this.#parts = parts;
  }

  /**
   * Connects a child of the tip. An invalid block is marked as such, with all above it.
   * @returns undefined if it is connected, and otherwise the rule that it breaks
   * @throws {InternalFault} if this program fails, or the storage error
   */
  connect(entry: BlockIndexEntry): BlockInvalid | undefined {
    const verdict = atBlock('connecting', entry, () => this.#connectOrReject(entry));
    this.#parts.db.blockCache.release(entry.hash);
    return verdict;
  }

  /**
   * Connects transactions of a child of the tip for a short time; `connect` does the rest.
   * @returns true if `connect` has little left to do and there is time for it
   * @throws {InternalFault} if this program fails, or the storage error
   */
  prepare(entry: BlockIndexEntry, isTimeUp: () => boolean): boolean {
    if (this.#parts.interruption.matches(entry)) return true;
    return atBlock('connecting', entry, () => {
      const begun = this.#begunOn(entry);
      if (begun) return begun.advance(isTimeUp);
      this.#dropDraft();
      const work = this.#begin(entry);
      this.#draft = { entry, work };
      return work.advance(isTimeUp);
    });
  }

  /**
   * Lets threads verify scripts of a block while it is decoded.
   * @returns undefined if it continues neither the tip nor a block that waits to be connected on the tip, if another block is being connected
   *   in its place, or if its scripts are not checked
   */
  verifyEarly({ prevHash }: BlockHeader): EarlyScripts | undefined {
    const { chain, db, scripts } = this.#parts;
    if (!scripts.threads) return undefined;
    if (equalBytes(prevHash, chain.tip.hash)) {
      const isOtherUnderWay = this.#draft?.work.overlay.isCurrent ?? false;
      return isOtherUnderWay ? undefined : this.#beginEarly(chain.tip);
    }
    const parent = chain.entry(prevHash);
    const waiting = db.blockCache.get(prevHash);
    if (!waiting || !parent || parent.failed || parent.parent !== chain.tip) return undefined;
    return this.#beginEarly(parent, waiting);
  }

  /** @param waiting the parent's block, if that is not connected yet */
  #beginEarly(parent: BlockIndexEntry, waiting?: Block): EarlyScripts | undefined {
    const context = this.contextAbove(parent);
    if (!context.checkScripts) return undefined;
    while (this.#early.length >= MAX_EARLY) this.#early.shift()?.abandon();
    const early = new EarlyScripts(this.#parts.db.view, context, waiting);
    this.#early.push(early);
    return early;
  }

  /** Ends the early verification of blocks that are not connected. */
  dropEarly(): void {
    for (const early of this.#early.splice(0)) early.abandon();
  }

  /** The early scripts of a block. Those of a block that continues it are kept, and all others abandoned. */
  #takeEarly(entry: BlockIndexEntry, block: Block): EarlyScripts | undefined {
    let taken: EarlyScripts | undefined;
    for (const early of this.#early.splice(0)) {
      if (!taken && early.areOf(block)) taken = early;
      else if (early.continues(entry)) this.#early.push(early);
      else early.abandon();
    }
    return taken;
  }

  /** Connects a block on the tip without a change of the state. @throws {BlockInvalid} if it breaks a rule */
  draftOnTip(block: CheckedBlock): BlockDraft {
    const { db, chain, interruption } = this.#parts;
    this.dropEarly();
    interruption.check({ height: chain.tip.height + 1, hash: block.hash });
    const work = new BlockDraft(block, db.view, this.contextAbove(chain.tip));
    work.advance(() => false);
    work.finish();
    return work;
  }

  /** Lets the next `connect` of a block use work that is done. */
  adopt(entry: BlockIndexEntry, work: BlockDraft): void {
    this.#dropDraft();
    this.#draft = { entry, work };
  }

  #begin(entry: BlockIndexEntry): BlockDraft {
    const { db, checkedBlocks } = this.#parts;
    const block = checkedBlocks.require(entry);
    return new BlockDraft(block, db.view, this.contextAbove(entry.parent as BlockIndexEntry), this.#takeEarly(entry, block));
  }

  /** The draft of this block, if its state below is the present one. */
  #begunOn(entry: BlockIndexEntry): BlockDraft | undefined {
    return this.#draft?.entry === entry && this.#draft.work.overlay.isCurrent ? this.#draft.work : undefined;
  }

  #dropDraft(): void {
    this.#draft?.work.abandon();
    this.#draft = undefined;
  }

  #connectOrReject(entry: BlockIndexEntry): BlockInvalid | undefined {
    const { chain, tree, db, events, log, interruption } = this.#parts;
    const hash = toHex(entry.hash);
    const begun = this.#begunOn(entry);
    if (!begun) this.#dropDraft();
    this.#draft = undefined;
    try {
      interruption.checkNext(entry);
      const work = begun ?? this.#begin(entry);
      const { block, overlay } = work;
      const { spent, undo } = work.finish();
      overlay.putEncoded(undoLogs, entry.hash, undo);
      if (chain.params.keepsSwapTotals) overlay.put(marks, 'swapTotals', entry.height);
      this.#parts.journal?.connected(this.#journalBlock(entry, block, overlay), db.view);
      overlay.commit();
      entry.valid = true;
      tree.push(entry);
      db.saveEntry(entry, block.header);
      db.setTip(entry);
      this.#parts.pace.noteBlock();
      log.debug('connected a block', { height: entry.height, hash });
      events.emit('checked', { hash: entry.hash, error: undefined });
      events.emit('connected', { block, entry, spent });
      return undefined;
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      log.warn('block is invalid', { height: entry.height, hash, reason: error.reason, debug: error.debug });
      markInvalid(tree, db, entry);
      events.emit('checked', { hash: entry.hash, error });
      return error;
    }
  }

  /**
   * Commits changes of the state that no block makes. They count as changes of the tip: disconnecting it reverts them.
   * @param changes overlay on the state of the chain
   */
  amendTip(changes: Overlay): void {
    const { chain, db, journal } = this.#parts;
    if (changes.below !== db.view || !changes.isCurrent) throw new TypeError('the changes are not on top of the current state');
    this.#dropDraft();
    const { hash } = chain.tip;
    const undo = db.undo(chain.tip);
    // A block without an undo record, such as the base of a snapshot, cannot be disconnected.
    if (undo) {
      const known = new Set(undo.map(rowName));
      const further = changes.undo().filter((row) => !known.has(rowName(row)));
      changes.put(undoLogs, hash, [...undo, ...further]);
    }
    changes.commit();
    journal?.amended(db.view);
    db.setTip(chain.tip);
  }

  #journalBlock(entry: BlockIndexEntry, block: Block, overlay: Overlay): JournalBlock {
    const bestHeight = Math.max(entry.height, this.#parts.chain.bestHeader.height);
    return { entry, block, bestHeight, differences: (columns) => overlay.differences(columns) };
  }

  /** Context of a block whose parent is `parent`. */
  contextAbove(parent: BlockIndexEntry): ConnectContext {
    const { chain, scripts, keepsHistory, keepsVaultHistory } = this.#parts;
    return {
      height: parent.height + 1,
      parent,
      parentModifier: chain.header(parent).stakeModifier,
      params: chain.params,
      blockTime: (height) => parent.ancestor(height)?.time,
      blockHash: (height) => parent.ancestor(height)?.hash,
      checkScripts: !isAssumedValid(parent, chain),
      keepsHistory,
      keepsVaultHistory,
      scripts,
    };
  }

  /** Restores the state of the tip's parent. @throws {InternalFault} if this program fails, or the storage error */
  disconnect(): void {
    atBlock('disconnecting', this.#parts.chain.tip, () => this.#undoTip());
  }

  #undoTip(): void {
    this.#dropDraft();
    const { chain, tree, db, events } = this.#parts;
    const entry = chain.tip;
    const block = chain.block(entry);
    const undo = db.undo(entry);
    if (!block || !undo || !entry.parent) {
      const what = `block ${toHex(entry.hash)} at height ${entry.height} cannot be disconnected: its ${block ? 'undo data' : 'bytes'}`;
      throw new StoreDamaged(`${what} are missing; start with -reindex to build the database again`);
    }
    // A read that fails later would leave the state of the parent below this tip.
    tree.preparePop();
    const overlay = new Overlay(db.view);
    restoreUndo(overlay, undo);
    overlay.delete(undoLogs, entry.hash);
    // Done without -dexstats too, because the totals then do not contain the block that replaces this one.
    if (overlay.get(marks, 'swapTotals') === entry.height) overlay.put(marks, 'swapTotals', entry.height - 1);
    this.#parts.journal?.disconnected(this.#journalBlock(entry, block, overlay), db.view);
    overlay.commit();
    tree.pop();
    db.leaveActiveChain(entry);
    db.setTip(entry.parent);
    events.emit('disconnected', { block, entry, spent: spentCoinsOf(block, entry.height, undo) });
  }
}
