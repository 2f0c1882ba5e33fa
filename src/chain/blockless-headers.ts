import type { BlockHeader } from '../primitives/header.js';
import type { Steps } from '../util/slicer.js';
import type { BlockIndexEntry } from './block-index.js';

/** Peer that a header came from; undefined for the operator (`submitheader`, `submitblock`), whose headers are not bounded. */
export type HeaderOwner = number | undefined;

/** Owner of the headers of disconnected peers, until a sweep drops them. */
const NO_PEER = -1;
/** Maximum headers of disconnected peers. They are kept for a while because a peer may reconnect, or another peer may serve the blocks. */
const MAX_ABANDONED = 288;

interface Row {
  readonly header: BlockHeader;
  owner: HeaderOwner;
  readonly opensFork: boolean;
  /** True if an earlier sweep found the header unwanted. */
  wasUnwanted: boolean;
}

/** Headers of one owner. */
interface Count {
  headers: number;
  /** Headers that opened a fork. */
  forks: number;
}

/** Blocks of two days on mainnet and testnet. */
const TWO_DAYS = 5_760;
/** Number of peers whose full shares fit into the total bound. */
const FULL_SHARES = 5;
/** Maximum forks that one peer may open with headers. Competing blocks are common, and most of them are never downloaded. */
const MAX_FORKS = 100;

/** Headers that are visited between two yields. */
const ROWS_AT_ONCE = 1_024;

/** Bound that a header would exceed: the one of its owner, or the one of all peers together. */
export type HeaderRefusal = 'owner' | 'total';

/**
 * Headers whose blocks are missing. A header costs its sender only a signature by any key, because the stake is checked when the block
 * is connected. To bound their number, these headers stay in memory, are counted by the peer that sent them, and are dropped when that
 * peer disconnects.
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
   * @param missing estimated number of blocks between the tip and the present
   * @param opensFork true if the header starts a branch instead of extending one
   */
  refusal(owner: number, { missing, opensFork }: { readonly missing: number; readonly opensFork: boolean }): HeaderRefusal | undefined {
    const { headers = 0, forks = 0 } = this.#counts.get(owner) ?? {};
    const share = missing + TWO_DAYS;
    if (headers >= share || (opensFork && forks >= MAX_FORKS)) return 'owner';
    return this.isFull(missing) ? 'total' : undefined;
  }

  /** True if the headers of all peers together have reached their bound. */
  isFull(missing: number): boolean {
    return this.size >= missing + FULL_SHARES * TWO_DAYS;
  }

  add(
    entry: BlockIndexEntry,
    header: BlockHeader,
    { owner, opensFork }: { readonly owner: HeaderOwner; readonly opensFork: boolean },
  ): void {
    this.#rows.set(entry, { header, owner, opensFork, wasUnwanted: false });
    this.#count(owner, 1, opensFork);
  }

  /** Removes the header when its block is stored, or when the entry is dropped. */
  delete(entry: BlockIndexEntry): void {
    const row = this.#rows.get(entry);
    if (!row) return;
    this.#rows.delete(entry);
    this.#count(row.owner, -1, row.opensFork);
  }

  ownerOf(entry: BlockIndexEntry): HeaderOwner {
    return this.#rows.get(entry)?.owner;
  }

  /** Transfers the header to another owner. */
  setOwner(entry: BlockIndexEntry, owner: HeaderOwner): void {
    const row = this.#rows.get(entry);
    if (!row || row.owner === owner) return;
    this.#count(row.owner, -1, row.opensFork);
    row.owner = owner;
    this.#count(owner, 1, row.opensFork);
  }

  /** Headers of a peer in order of arrival, so that those above a header follow it. */
  *ownedBy(owner: number): Steps<BlockIndexEntry[]> {
    const owned: BlockIndexEntry[] = [];
    if (this.countOf(owner) === 0) return owned;
    let visited = 0;
    for (const [entry, row] of this.#rows) {
      if (row.owner === owner) owned.push(entry);
      if (++visited % ROWS_AT_ONCE === 0) yield;
    }
    return owned;
  }

  /** Keeps the headers of a disconnected peer without an owner. @returns false, without effect, if there are too many of them */
  abandon(entries: readonly BlockIndexEntry[]): boolean {
    if (this.countOf(NO_PEER) + entries.length > MAX_ABANDONED) return false;
    for (const entry of entries) this.setOwner(entry, NO_PEER);
    return true;
  }

  /**
   * Headers that this call and an earlier one found unwanted: they have no owner, or less work than `tip`, so that their blocks are not
   * requested. Headers of the operator are never among them. In order of arrival.
   */
  *sweep(tip: BlockIndexEntry): Steps<BlockIndexEntry[]> {
    const stale: BlockIndexEntry[] = [];
    let visited = 0;
    for (const [entry, row] of this.#rows) {
      if (++visited % ROWS_AT_ONCE === 0) yield;
      if (row.owner === undefined || (row.owner !== NO_PEER && entry.chainWork >= tip.chainWork)) continue;
      if (row.wasUnwanted) stale.push(entry);
      row.wasUnwanted = true;
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
