import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain, ChainEvent } from '../chain/chain.js';
import { list, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { isStorageFailure, StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import type { Column, StateView, Store, WritableView } from '../storage/view.js';
import { WritePreparation } from '../storage/write-preparation.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { Progress, type ProgressOutput, type Terminal } from '../util/progress.js';
import { Slicer } from '../util/slicer.js';
import type { ReportWork } from '../util/work-report.js';

/** The part of the chain that a follower uses. */
export type FollowedChain = Pick<Chain, 'tip' | 'entry' | 'entryAt' | 'next' | 'forkPoint' | 'block' | 'spentCoins' | 'on'>;

export interface FollowerDeps {
  readonly store: Store;
  readonly chain: FollowedChain;
  readonly log: Logger;
  readonly terminal?: Terminal | undefined;
  readonly report?: ReportWork | undefined;
}

/** Index-specific part of a follower. */
export interface BlockIndexer {
  /** Key of its position in the database. */
  readonly name: string;
  /**
   * Writes the rows of a block, overwriting existing ones, since a block may be indexed again after a restart or a reorganisation. Nothing
   * is removed when a block is disconnected: the index also covers blocks off the active chain.
   */
  add(view: WritableView, event: ChainEvent): void;
}

/**
 * Position of each index: hashes of its last block and of those 1, 2, 4, ... below, down to genesis. After an unclean shutdown the chain
 * may have lost its last blocks but not the index, so that only an older hash is known.
 */
export const indexPositions: Column<string, readonly Hash256[]> = { name: 'index/position', key: varString, value: list(hash256) };

/** A block of no more transactions is indexed in the turn of the event loop that connected it. */
const SMALL_BLOCK = 100;
/** Connected blocks that may wait to be indexed: each is held in memory. */
const MAX_WAITING = 4;
/** Rows of new blocks that are written in one batch at the latest, because a batch for each small block takes longer than its rows. */
const MAX_PENDING_ROWS = 4_000;
/** Time after which they are written in any case. After an unclean shutdown their blocks are indexed again. */
const WRITE_AFTER_MS = 200;
/** Pause after a storage failure, such as a full disk, before the index catches up from what is stored. */
const RETRY_MS = 2_000;

/**
 * Keeps an index in sync with the active chain. Behind the tip it catches up in slices of 10 ms. Once in sync it indexes a small block when
 * it is connected and a large one in a later turn, but no later than the next read, so that a reported tip counts as indexed. Rows of
 * several blocks are written together; until then reads find them in memory.
 */
export class Follower {
  readonly #index: BlockIndexer;
  readonly #store: Store;
  readonly #chain: FollowedChain;
  readonly #log: Logger;
  readonly #output: ProgressOutput;
  #position: BlockIndexEntry | undefined;
  #synced = false;
  #running = false;
  /** Connected blocks that are not indexed yet, in order. */
  #waiting: ChainEvent[] = [];
  /** Rows of the last connected blocks, which are not written yet. */
  #pending: Overlay | undefined;
  #writeTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** Text of the last storage failure, so that the same one is logged once; undefined if rows were written since. */
  #failure: string | undefined;
  #unsubscribe: (() => void)[] = [];

  constructor(index: BlockIndexer, { store, chain, log, terminal, report }: FollowerDeps) {
    this.#index = index;
    this.#store = store;
    this.#chain = chain;
    this.#log = log;
    this.#output = { log, terminal, report };
  }

  /** True if in sync with the tip. False after a failure, which is logged: until it has caught up again if storage failed, else permanently. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Last indexed block of the active chain. */
  get position(): BlockIndexEntry | undefined {
    this.#indexWaiting();
    return this.#position;
  }

  /** Starts to catch up. If only a few blocks are missing, the index is in sync on return. */
  start(): void {
    this.#running = true;
    this.#position = this.#storedPosition();
    this.#retryTimer = undefined;
    this.#unsubscribe = [
      this.#chain.on('connected', (event) => this.#onConnected(event)),
      this.#chain.on('disconnected', ({ entry }) => this.#onDisconnected(entry)),
    ];
    void this.#catchUp();
  }

  stop(): void {
    this.#indexWaiting();
    this.#guard(() => this.#writePending());
    this.#halt();
  }

  /** Drops all that is not written: it is indexed again from the stored position. */
  #halt(): void {
    for (const timer of [this.#writeTimer, this.#retryTimer]) clearTimeout(timer);
    this.#writeTimer = undefined;
    this.#pending = undefined;
    this.#waiting = [];
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
    this.#waiting.push(event);
    if (event.block.transactions.length <= SMALL_BLOCK || this.#waiting.length > MAX_WAITING) this.#indexWaiting();
    else void this.#indexLater();
  }

  async #indexLater(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const pause = new Slicer().pause();
    if (pause) await pause;
    this.#indexWaiting();
  }

  /** The index with all connected blocks. */
  protected get view(): StateView {
    this.#indexWaiting();
    return this.#pending ?? this.#store;
  }

  /** Indexes the connected blocks that wait for it. */
  #indexWaiting(): void {
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#guard(() => {
      this.#pending ??= new Overlay(this.#store);
      for (const event of events) {
        if (event.entry.parent !== this.#position) throw new Error('a block was connected out of order');
        this.#add(this.#pending, event);
      }
      if (this.#pending.size >= MAX_PENDING_ROWS) this.#writePending();
      else this.#writeTimer ??= setTimeout(() => void this.#writeInSlices(), WRITE_AFTER_MS).unref();
    });
  }

  /** Prepares the write of the pending rows in slices. If rows are added meanwhile, all are written at once at the end. */
  async #writeInSlices(): Promise<void> {
    const pending = this.#pending;
    if (!pending) return;
    this.#putPosition(pending);
    const preparation = new WritePreparation(pending, this.#store);
    await new Slicer().run(preparation.run());
    const rows = preparation.take();
    if (this.#pending !== pending) rows?.drop();
    else if (!rows) this.#guard(() => this.#writePending());
    else {
      this.#writeTimer = undefined;
      this.#pending = undefined;
      this.#guard(() => rows.write());
    }
  }

  #writePending(): void {
    clearTimeout(this.#writeTimer);
    this.#writeTimer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) this.#write(pending);
  }

  #onDisconnected(entry: BlockIndexEntry): void {
    this.#indexWaiting();
    // Not written: a stored position off the active chain is resolved to its fork point on start.
    if (this.#synced && this.#position === entry) this.#position = entry.parent;
  }

  async #catchUp(): Promise<void> {
    const slicer = new Slicer();
    const progress = new Progress(`building index ${this.#index.name}`, this.#output);
    let batch = new Overlay(this.#store);
    // At least one block per turn, even if other work has used up its time, so that the index of a chain of one block starts in sync.
    let isFirst = true;
    while (this.#running) {
      const next = this.#next();
      const pause = next && !isFirst ? slicer.pause() : undefined;
      if (!next || pause) {
        this.#guard(() => this.#write(batch));
        if (!this.#running) break;
        if (!next) {
          progress.end();
          this.#synced = true;
          this.#log.info('index in sync with the tip', { index: this.#index.name, height: this.#position?.height });
          return;
        }
        batch = new Overlay(this.#store);
        await pause;
        isFirst = true;
        continue;
      }
      this.#guard(() => this.#add(batch, this.#eventOf(next)));
      progress.update({ share: next.height / this.#chain.tip.height, blocks: next.height, facts: { height: next.height } });
      isFirst = false;
    }
    progress.end();
  }

  /** Next block of the active chain to index; undefined at the tip. */
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
    if (batch.size === 0 || !this.#position) return;
    this.#putPosition(batch);
    this.#store.writeRows(batch.rowChanges());
    this.#failure = undefined;
  }

  #putPosition(batch: Overlay): void {
    if (this.#position) batch.put(indexPositions, this.#index.name, locatorOf(this.#position));
  }

  /** Stops the index on an error, which is logged; the chain continues. After a storage failure the index starts again later. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#halt();
      const facts = { index: this.#index.name, error: errorText(error) };
      if (error instanceof StoreDamaged || !isStorageFailure(error)) this.#log.error('index stopped after an error', facts);
      else this.#retryLater(facts);
    }
  }

  #retryLater(facts: { readonly index: string; readonly error: string }): void {
    if (facts.error !== this.#failure) this.#log.error('index halted after a storage failure; it is tried again', facts);
    this.#failure = facts.error;
    this.#retryTimer = setTimeout(() => this.#guard(() => this.start()), RETRY_MS).unref();
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
