import type { NetworkParams } from '../params/network.js';
import { block as blockCodec } from '../primitives/block.js';
import { encode } from '../primitives/codec.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockPosition } from './block-store.js';
import type { BlockTree } from './block-tree.js';
import type { ChainDatabase } from './database.js';
import type { Flusher } from './flusher.js';

/** Heights, both included. */
export interface HeightRange {
  readonly from: number;
  readonly to: number;
}

/** Progress of the validation of the blocks below a snapshot. */
export interface ValidationProgress {
  /** Height up to which the blocks are validated. */
  readonly height: number;
  /** Height of the snapshot. */
  readonly base: number;
}

export interface HistoryParts {
  readonly params: Pick<NetworkParams, 'genesis' | 'txFormat'>;
  readonly tree: Pick<BlockTree, 'at'>;
  readonly db: ChainDatabase;
  readonly flusher: Pick<Flusher, 'flush'>;
}

/** The blocks of the active chain whose bytes are missing because the database began with a snapshot. */
export class History {
  readonly #parts: HistoryParts;
  /** Blocks to request from peers; undefined for none. */
  wanted: HeightRange | undefined;
  #validation: ValidationProgress | undefined;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** False while blocks of the active chain are missing, below a snapshot or because they were pruned. */
  get isComplete(): boolean {
    return this.#parts.db.mark('pruned') === undefined;
  }

  /** Progress of the validation of the blocks below a snapshot; undefined if there is none in this run, or once it is complete. */
  get validation(): ValidationProgress | undefined {
    return this.#validation;
  }

  set validation(progress: ValidationProgress | undefined) {
    this.#validation = progress;
    this.#parts.db.noteChange();
  }

  /** Position of the genesis block, which is stored if it is missing, because no peer sends it. */
  genesisPosition(): BlockPosition {
    const { params, tree, db } = this.#parts;
    const entry = tree.at(0) as BlockIndexEntry;
    if (entry.position) return entry.position;
    const position = db.appendBlock(encode(blockCodec(params.txFormat), params.genesis));
    entry.position = position;
    db.saveEntry(entry, params.genesis.header);
    return position;
  }

  /** Records that all blocks are stored. */
  complete(): void {
    const { db, flusher } = this.#parts;
    this.wanted = undefined;
    this.validation = undefined;
    db.clearMark('pruned');
    flusher.flush();
  }

  /** Records that the blocks up to this height do not lead to the state of the snapshot. */
  refute(height: number): void {
    const { db, flusher } = this.#parts;
    db.setMark('refuted', height);
    flusher.flush();
  }
}
