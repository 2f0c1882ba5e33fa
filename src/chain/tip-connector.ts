import { BlockInvalid } from '../consensus/errors.js';
import type { ScriptHelpers } from '../consensus/scripts.js';
import { StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import { toHex } from '../util/bytes.js';
import type { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import { isAssumedValid } from './assume-valid.js';
import type { BlockIndexEntry, BlockTree } from './block-index.js';
import { type ConnectContext, connectBlock, spentCoinsOf } from './connect.js';
import type { ChainDatabase } from './database.js';
import type { ChainEvents } from './events.js';
import { atBlock } from './faults.js';
import type { FlushPace } from './flush-pace.js';
import { markInvalid } from './invalid.js';
import type { ChainQueries } from './reader.js';
import { undoLogs } from './records.js';
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
  readonly keepsHistory: boolean;
  readonly keepsVaultHistory: boolean;
}

/** Connects stored blocks to the tip, and disconnects the tip. */
export class TipConnector {
  readonly #parts: TipConnectorParts;

  constructor(parts: TipConnectorParts) {
    this.#parts = parts;
  }

  /**
   * Connects a child of the tip. An invalid block is marked as such, with all above it.
   * @returns undefined if it is connected, and otherwise the rule that it breaks
   * @throws {InternalFault} if this program fails, or the storage error
   */
  connect(entry: BlockIndexEntry): BlockInvalid | undefined {
    return atBlock('connecting', entry, () => this.#connectOrReject(entry));
  }

  #connectOrReject(entry: BlockIndexEntry): BlockInvalid | undefined {
    const { tree, db, events, log } = this.#parts;
    const overlay = new Overlay(db.view);
    const hash = toHex(entry.hash);
    try {
      const block = this.#parts.checkedBlocks.require(entry);
      const { spent } = connectBlock(block, this.contextAbove(entry.parent as BlockIndexEntry), overlay);
      overlay.put(undoLogs, entry.hash, overlay.undo());
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
    const { chain, tree, db, events } = this.#parts;
    const entry = chain.tip;
    const block = chain.block(entry);
    const undo = db.undo(entry);
    if (!block || !undo || !entry.parent) {
      const what = `block ${toHex(entry.hash)} at height ${entry.height} cannot be disconnected: its ${block ? 'undo data' : 'bytes'}`;
      throw new StoreDamaged(`${what} are missing; start with -reindex to build the database again`);
    }
    const overlay = new Overlay(db.view);
    overlay.restore(undo);
    overlay.delete(undoLogs, entry.hash);
    overlay.commit();
    tree.pop();
    db.setTip(entry.parent);
    events.emit('disconnected', { block, entry, spent: spentCoinsOf(block, entry.height, undo) });
  }
}
