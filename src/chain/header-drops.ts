import { type Abortable, inSlices, type MaybePromise, type Steps } from '../util/slicer.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';
import type { BlocklessHeaders } from './blockless-headers.js';

/** Peer with the best block that it is known to have. */
export interface HeaderHolder {
  readonly owner: number;
  readonly best: BlockIndexEntry;
}

/** Present holders of headers; called again after each pause, because they change meanwhile. */
export type HeaderHolders = () => Iterable<HeaderHolder>;

/** Headers that are visited or dropped between two yields. */
const AT_ONCE = 256;

/**
 * Drops headers whose blocks do not arrive, in slices, because a peer may leave more than a hundred thousand of them behind. One drop runs
 * at a time, in order of the calls. The tree is consistent at each pause: headers are removed from the top down.
 */
export class HeaderDrops {
  /** Resolved after the last drop that did not fit into its turn; undefined if none is running. */
  #last: Promise<void> | undefined;

  constructor(
    private readonly tree: BlockTree,
    private readonly blockless: BlocklessHeaders,
    /** True for headers that must stay, because they are being stored. */
    private readonly isKept: (entry: BlockIndexEntry) => boolean,
  ) {}

  /** True while headers are being dropped. */
  get isBusy(): boolean {
    return this.#last !== undefined;
  }

  /**
   * Drops the headers without blocks of a disconnected peer. Headers that another peer has too are counted for that peer. If there are few,
   * all are kept until later sweeps.
   * @returns undefined, or a promise if the work does not fit into this turn
   */
  dropOf(owner: number, holders: HeaderHolders, call: Abortable): MaybePromise<void> {
    return this.#inTurn(this.#stepsOf(owner, holders), call);
  }

  /** Drops headers that two calls found unwanted: those of disconnected peers, and those with less work than the tip. */
  sweep(holders: HeaderHolders, call: Abortable): MaybePromise<void> {
    return this.#inTurn(this.#sweepSteps(holders), call);
  }

  #inTurn(steps: Steps<void>, call: Abortable): MaybePromise<void> {
    const work = this.#last ? this.#last.then(() => inSlices(steps, call)) : inSlices(steps, call);
    if (!(work instanceof Promise)) return work;
    const settled = work.then(ignore, ignore);
    this.#last = settled;
    return work.finally(() => {
      if (this.#last === settled) this.#last = undefined;
    });
  }

  *#stepsOf(owner: number, holders: HeaderHolders): Steps<void> {
    const entries = yield* this.blockless.ownedBy(owner);
    if (!this.blockless.abandon(entries)) yield* this.#drop(entries, holders);
  }

  *#sweepSteps(holders: HeaderHolders): Steps<void> {
    yield* this.#drop(yield* this.blockless.sweep(this.tree.tip), holders);
  }

  /** @param entries in order of arrival, so that those above a header follow it */
  *#drop(entries: readonly BlockIndexEntry[], holders: HeaderHolders): Steps<void> {
    const newOwners = new Map<BlockIndexEntry, number>();
    for (let left = entries.length; left > 0; ) {
      yield* this.#markHeld(holders, newOwners);
      const end = Math.max(left - AT_ONCE, 0);
      while (left > end) {
        left -= 1;
        this.#release(entries[left] as BlockIndexEntry, newOwners);
      }
      this.tree.resetBestHeader();
      yield;
    }
  }

  /**
   * Notes the owner of each header on the way to the best block of a holder. Holders may change at a yield, so none follows the last read
   * of them.
   */
  *#markHeld(holders: HeaderHolders, newOwners: Map<BlockIndexEntry, number>): Steps<void> {
    for (let next = this.#unmarked(holders, newOwners); next; next = this.#unmarked(holders, newOwners)) {
      const path: BlockIndexEntry[] = [];
      for (let at: BlockIndexEntry | undefined = next.best; at && this.blockless.has(at) && !newOwners.has(at); at = at.parent) {
        path.push(at);
        if (path.length % AT_ONCE === 0) yield;
      }
      // From below, so that the ancestors of a marked header are marked at each pause.
      for (let left = path.length - 1; left >= 0; left--) {
        newOwners.set(path[left] as BlockIndexEntry, next.owner);
        if (left > 0 && left % AT_ONCE === 0) yield;
      }
    }
  }

  #unmarked(holders: HeaderHolders, newOwners: ReadonlyMap<BlockIndexEntry, number>): HeaderHolder | undefined {
    for (const holder of holders()) if (this.blockless.has(holder.best) && !newOwners.has(holder.best)) return holder;
    return undefined;
  }

  /** Drops a header, unless a peer has it or another header is above it: then it is counted for the owner of that. */
  #release(entry: BlockIndexEntry, newOwners: ReadonlyMap<BlockIndexEntry, number>): void {
    const { blockless, tree } = this;
    if (!blockless.has(entry) || this.isKept(entry)) return;
    const [child] = tree.children(entry);
    const newOwner = newOwners.get(entry);
    if (newOwner === undefined && !child) {
      blockless.delete(entry);
      tree.remove(entry);
    } else blockless.setOwner(entry, newOwner ?? (child && blockless.ownerOf(child)));
  }
}

function ignore(): void {}
