import type { BlockHeader } from '../primitives/header.js';
import type { BlockIndexEntry } from './block-index.js';

/** Peer that a header came from; undefined for the operator (`submitheader`, `submitblock`), whose headers are not bounded. */
export type HeaderOwner = number | undefined;

/** Owner of the headers of peers that have left, until the next sweeps. */
const NOBODY = -1;
/** A few headers outlive their peer: it may come back, or another one be asked for the blocks. */
const MAX_ABANDONED = 288;

interface Row {
  readonly header: BlockHeader;
  owner: HeaderOwner;
  readonly opensFork: boolean;
  /** Outlived one sweep. */
  old: boolean;
}

interface Count {
  headers: number;
  forks: number;
}

/** Two days of blocks on the live networks. */
const TWO_DAYS = 5_760;
/** Peers that may hold their full share of headers at a time. */
const FULL_SHARES = 5;
/** Branches without blocks that one peer may have opened. Competing blocks are common, and most of them are never downloaded. */
const MAX_FORKS = 100;

export type HeaderRefusal = 'owner' | 'total';

/**
 * Headers whose blocks have not arrived. A header costs its sender one signature by any key, since stake is checked only when the block
 * is connected. So these headers stay in memory, counted by the peer that sent them, and are dropped with that peer.
 */
export class BlocklessHeaders {
  readonly #rows = new Map<BlockIndexEntry, Row>();
  readonly #counts = new Map<number, Count>();

  get size(): number {
    return this.#rows.size;
  }

  has(entry: BlockIndexEntry): boolean {
    return this.#rows.has(entry);
  }

  header(entry: BlockIndexEntry): BlockHeader | undefined {
    return this.#rows.get(entry)?.header;
  }

  countOf(owner: number): number {
    return this.#counts.get(owner)?.headers ?? 0;
  }

  /**
   * Bound that one more header of a peer would exceed.
   * @param missing blocks that the network may have made since the tip
   * @param opensFork the header does not extend a branch of its own
   */
  refusal(owner: number, { missing, opensFork }: { readonly missing: number; readonly opensFork: boolean }): HeaderRefusal | undefined {
    const { headers = 0, forks = 0 } = this.#counts.get(owner) ?? {};
    const share = missing + TWO_DAYS;
    if (headers >= share || (opensFork && forks >= MAX_FORKS)) return 'owner';
    return this.isFull(missing) ? 'total' : undefined;
  }

  /** There are as many as there may be of all peers together. */
  isFull(missing: number): boolean {
    return this.size >= missing + FULL_SHARES * TWO_DAYS;
  }

  add(
    entry: BlockIndexEntry,
    header: BlockHeader,
    { owner, opensFork }: { readonly owner: HeaderOwner; readonly opensFork: boolean },
  ): void {
    this.#rows.set(entry, { header, owner, opensFork, old: false });
    this.#count(owner, 1, opensFork);
  }

  /** The entry's block arrived, or the entry is dropped. */
  delete(entry: BlockIndexEntry): void {
    const row = this.#rows.get(entry);
    if (!row) return;
    this.#rows.delete(entry);
    this.#count(row.owner, -1, row.opensFork);
  }

  ownerOf(entry: BlockIndexEntry): HeaderOwner {
    return this.#rows.get(entry)?.owner;
  }

  give(entry: BlockIndexEntry, owner: HeaderOwner): void {
    const row = this.#rows.get(entry);
    if (!row || row.owner === owner) return;
    this.#count(row.owner, -1, row.opensFork);
    row.owner = owner;
    this.#count(owner, 1, row.opensFork);
  }

  ownedBy(owner: number): BlockIndexEntry[] {
    if (this.countOf(owner) === 0) return [];
    return [...this.#rows].filter(([, row]) => row.owner === owner).map(([entry]) => entry);
  }

  /** Makes entries of a peer that has left nobody's. @returns false if there are too many of those */
  abandon(entries: readonly BlockIndexEntry[]): boolean {
    if (this.countOf(NOBODY) + entries.length > MAX_ABANDONED) return false;
    for (const entry of entries) this.give(entry, NOBODY);
    return true;
  }

  /** Entries of peers that were there at the last call too, and are nobody's or have less work than `tip`, so that nobody asks for their blocks. */
  sweep(tip: BlockIndexEntry): BlockIndexEntry[] {
    const stale: BlockIndexEntry[] = [];
    for (const [entry, row] of this.#rows) {
      if (row.owner === undefined || (row.owner !== NOBODY && entry.chainWork >= tip.chainWork)) continue;
      if (row.old) stale.push(entry);
      row.old = true;
    }
    return stale;
  }

  #count(owner: HeaderOwner, by: 1 | -1, opensFork: boolean): void {
    if (owner === undefined) return;
    const count = this.#counts.get(owner) ?? { headers: 0, forks: 0 };
    count.headers += by;
    if (opensFork) count.forks += by;
    if (count.headers > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
  }
}
