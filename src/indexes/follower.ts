import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain, ChainEvent } from '../chain/chain.js';
import { list, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { Overlay } from '../storage/overlay.js';
import type { Column, Store, WritableView } from '../storage/view.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { Slicer } from '../util/slicer.js';

/** What a follower asks of the chain. */
export type FollowedChain = Pick<Chain, 'entry' | 'entryAt' | 'next' | 'forkPoint' | 'block' | 'spentCoins' | 'on'>;

export interface FollowerDeps {
  readonly store: Store;
  readonly chain: FollowedChain;
  readonly log: Logger;
}

/** One index: what it keeps of a block. */
export interface BlockIndexer {
  /** Names its position in the store. */
  readonly name: string;
  /**
   * Writes what the index keeps. The same block may come again after a restart or a reorganisation, so it overwrites. Nothing
   * is taken back when a block is disconnected: the index answers for blocks that left the active chain too.
   */
  add(view: WritableView, event: ChainEvent): void;
}

/**
 * How far each index is: hashes of its last block and of those 1, 2, 4, ... below, down to genesis. More than one, because a
 * kill may lose the last blocks of the chain but not those of the index, and then only an older one is known.
 */
export const indexPositions: Column<string, readonly Hash256[]> = { name: 'index/position', key: varString, value: list(hash256) };

/**
 * Keeps an index level with the active chain. Behind the tip it catches up in slices of 10 ms between which the event loop
 * turns; level with it, it follows each block at once, so that whoever sees a tip finds it indexed.
 */
export class Follower {
  readonly #index: BlockIndexer;
  readonly #store: Store;
  readonly #chain: FollowedChain;
  readonly #log: Logger;
  #position: BlockIndexEntry | undefined;
  #synced = false;
  #running = false;
  #unsubscribe: (() => void)[] = [];

  constructor(index: BlockIndexer, { store, chain, log }: FollowerDeps) {
    this.#index = index;
    this.#store = store;
    this.#chain = chain;
    this.#log = log;
  }

  /** Level with the tip. False for good after a failure, which is in the log. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Last block of the active chain that is in the index. */
  get position(): BlockIndexEntry | undefined {
    return this.#position;
  }

  /** Begins to catch up; a chain that is a few blocks ahead is level when this returns. */
  start(): void {
    this.#running = true;
    this.#position = this.#storedPosition();
    this.#unsubscribe = [
      this.#chain.on('connected', (event) => this.#onConnected(event)),
      this.#chain.on('disconnected', ({ entry }) => this.#onDisconnected(entry)),
    ];
    void this.#catchUp();
  }

  stop(): void {
    this.#running = false;
    this.#synced = false;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
  }

  #storedPosition(): BlockIndexEntry | undefined {
    for (const hash of this.#store.get(indexPositions, this.#index.name) ?? []) {
      const entry = this.#chain.entry(hash);
      if (entry) return this.#chain.forkPoint(entry);
    }
    return undefined;
  }

  #onConnected(event: ChainEvent): void {
    if (!this.#synced) return;
    this.#guard(() => {
      if (event.entry.parent !== this.#position) throw new Error('a block was connected out of order');
      const batch = new Overlay(this.#store);
      this.#add(batch, event);
      this.#write(batch);
    });
  }

  #onDisconnected(entry: BlockIndexEntry): void {
    // Not written: a stored position off the active chain stands for its fork point.
    if (this.#synced && this.#position === entry) this.#position = entry.parent;
  }

  async #catchUp(): Promise<void> {
    const slicer = new Slicer();
    let batch = new Overlay(this.#store);
    // One block at least in every turn, also where other work has used up its time: an index of a chain of one block starts level.
    let isFirst = true;
    while (this.#running) {
      const next = this.#next();
      const pause = next && !isFirst ? slicer.pause() : undefined;
      if (!next || pause) {
        this.#guard(() => this.#write(batch));
        if (!this.#running) return;
        if (!next) {
          this.#synced = true;
          this.#log.info('index is level with the tip', { index: this.#index.name, height: this.#position?.height });
          return;
        }
        batch = new Overlay(this.#store);
        await pause;
        isFirst = true;
        continue;
      }
      this.#guard(() => this.#add(batch, this.#eventOf(next)));
      isFirst = false;
    }
  }

  /** The block of the active chain that comes next, or undefined at the tip. */
  #next(): BlockIndexEntry | undefined {
    if (!this.#position) return this.#chain.entryAt(0);
    this.#position = this.#chain.forkPoint(this.#position);
    return this.#chain.next(this.#position);
  }

  #eventOf(entry: BlockIndexEntry): ChainEvent {
    const block = this.#chain.block(entry);
    if (!block) throw new Error(`block ${entry.height} is not stored any more`);
    const spent = this.#chain.spentCoins(entry, block) ?? [];
    return { block, entry, spent };
  }

  #add(batch: Overlay, event: ChainEvent): void {
    this.#index.add(batch, event);
    this.#position = event.entry;
  }

  #write(batch: Overlay): void {
    const changes = batch.changes();
    if (changes.length === 0 || !this.#position) return;
    batch.put(indexPositions, this.#index.name, locatorOf(this.#position));
    this.#store.write(batch.changes());
  }

  /** A failing index must not keep the chain from going on: it stops, and says so. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.error('index stopped', { index: this.#index.name, error: errorText(error) });
      this.stop();
    }
  }
}

function locatorOf(entry: BlockIndexEntry): Hash256[] {
  const hashes = [entry.hash];
  for (let step = 1; step <= entry.height; step *= 2) {
    const below = entry.ancestor(entry.height - step);
    if (below) hashes.push(below.hash);
  }
  return hashes;
}
