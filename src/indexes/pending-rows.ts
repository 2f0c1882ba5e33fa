import { Overlay } from '../storage/overlay.js';
import type { StateView, Store } from '../storage/view.js';
import { WritePreparation } from '../storage/write-preparation.js';
import { Slicer } from '../util/slicer.js';

/** Rows that are written in one batch at the latest, because a batch for each small block takes longer than its rows. */
const MAX_ROWS = 4_000;
/** Time after which they are written in any case. After an unclean shutdown their blocks are indexed again. */
const WRITE_AFTER_MS = 200;

/** Part of an index that its pending rows use. */
export interface PendingRowsOwner {
  /** Adds the position up to which the rows are complete. Called before each write. */
  complete(rows: Overlay): void;
  /** True while a block is being added on top of the rows. They must not be written then, because its own rows are to follow them. */
  isAdding(): boolean;
  /** Called after each write. */
  written(): void;
  /** Writes in the owner's way of handling failures. */
  guard(write: () => void): void;
}

/** Rows of the last connected blocks, which are written together. Until then reads find them in memory. */
export class PendingRows {
  #rows: Overlay | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Store,
    private readonly owner: PendingRowsOwner,
  ) {}

  /** The store with the pending rows. */
  get view(): StateView {
    return this.#rows ?? this.store;
  }

  /** Place for the rows of the next block. */
  open(): Overlay {
    this.#rows ??= new Overlay(this.store);
    return this.#rows;
  }

  /** A block was added or undone. Its rows are written soon, or now if there are many. */
  noteChange(): void {
    if ((this.#rows?.size ?? 0) >= MAX_ROWS) this.write();
    else this.#writeLater();
  }

  /** Writes all rows now. */
  write(): void {
    const rows = this.#rows;
    this.drop();
    if (!rows) return;
    this.owner.complete(rows);
    this.store.writeRows(rows.rowChanges());
    this.owner.written();
  }

  /** Forgets all rows. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rows = undefined;
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => void this.#writeInSlices(), WRITE_AFTER_MS).unref();
  }

  /** Prepares the write in slices. If rows are added meanwhile, all are written at once at the end. */
  async #writeInSlices(): Promise<void> {
    const rows = this.#rows;
    if (!rows) return;
    this.owner.guard(() => this.owner.complete(rows));
    // After a failure the owner has dropped them.
    if (this.#rows !== rows) return;
    const preparation = new WritePreparation(rows, this.store);
    if (!this.owner.isAdding()) await new Slicer().run(preparation.run());
    const prepared = preparation.take();
    if (this.#rows !== rows) prepared?.drop();
    else if (this.owner.isAdding()) {
      prepared?.drop();
      this.#timer = undefined;
      this.#writeLater();
    } else if (!prepared) this.owner.guard(() => this.write());
    else {
      this.drop();
      this.owner.guard(() => {
        prepared.write();
        this.owner.written();
      });
    }
  }
}
