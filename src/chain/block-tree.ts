import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { BlockIndexEntry } from './block-index.js';
import { BuriedBlocks, entryOf, type StoredActiveChain } from './buried-blocks.js';

/** Blocks of the active chain, from the tip down, that stay in memory: more than most rules look back. */
const RECENT_BLOCKS = 4_096;
/** Blocks that enter memory at once when the chain is disconnected below those in memory. */
const UNBURIED_BLOCKS = 64;

/**
 * Tree of all known headers, with the active chain. In memory are the newest blocks of the active chain and all other headers; the rest
 * of the active chain, the buried blocks, is read from the store.
 */
export class BlockTree {
  /** Entries in memory by hash. */
  readonly #entries = new Map<string, BlockIndexEntry>();
  /** Children of entries in memory and of those with several children; a missing child is that of the active chain. */
  readonly #children = new Map<BlockIndexEntry, BlockIndexEntry[]>();
  /** Newest blocks of the active chain, from height `#base` to the tip. */
  #recent: BlockIndexEntry[] = [];
  #base = 0;
  readonly #buried: BuriedBlocks | undefined;
  /** Entries without children. The best header is one of them, or an ancestor of a failed one. */
  readonly #leaves = new Set<BlockIndexEntry>();
  #bestHeader: BlockIndexEntry | undefined;
  #changes = 0;
  #tipChanges = 0;

  /** @param store undefined to keep all entries in memory, for tests */
  constructor(
    private readonly params: NetworkParams,
    store?: StoredActiveChain,
    private readonly recentBlocks = RECENT_BLOCKS,
  ) {
    this.#buried = store && new BuriedBlocks(store, this, params, recentBlocks);
  }

  /** Number of changes of the tree and of the active chain so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Number of changes of the active chain so far. */
  get tipChanges(): number {
    return this.#tipChanges;
  }

  add(hash: Hash256, header: BlockHeader, parent: BlockIndexEntry | undefined): BlockIndexEntry {
    this.#changes += 1;
    const entry = new BlockIndexEntry(hash, header, parent, this.params);
    this.#entries.set(toHex(hash), entry);
    this.#leaves.add(entry);
    if (parent) {
      this.#leaves.delete(parent);
      entry.invalidAncestor = parent.failed;
      this.#children.set(parent, [...this.children(parent), entry]);
    }
    this.noteHeader(entry);
    return entry;
  }

  /** Removes an entry without children. The caller resets the best header after the last removal. */
  remove(entry: BlockIndexEntry): void {
    this.#changes += 1;
    this.#entries.delete(toHex(entry.hash));
    this.#leaves.delete(entry);
    const { parent } = entry;
    const siblings = parent && this.#children.get(parent);
    if (!parent || !siblings) return;
    siblings.splice(siblings.indexOf(entry), 1);
    if (siblings.length > 0) return;
    this.#children.delete(parent);
    this.#leaves.add(parent);
  }

  /** Makes the entry the best header if it has the most work. */
  noteHeader(entry: BlockIndexEntry): void {
    if (!entry.failed && (!this.#bestHeader || entry.chainWork > this.#bestHeader.chainWork)) this.#bestHeader = entry;
  }

  /** Finds the best header again, after entries were marked invalid or removed. */
  resetBestHeader(): void {
    this.#changes += 1;
    this.#bestHeader = this.tip;
    for (const leaf of this.#leaves) {
      let at: BlockIndexEntry | undefined = leaf;
      while (at?.failed) at = at.parent;
      if (at) this.noteHeader(at);
    }
  }

  get bestHeader(): BlockIndexEntry {
    return this.#bestHeader ?? this.tip;
  }

  get tip(): BlockIndexEntry {
    const tip = this.#recent.at(-1);
    if (!tip) throw new Error('the chain has no genesis block yet');
    return tip;
  }

  get(hash: Hash256): BlockIndexEntry | undefined {
    return this.#entries.get(toHex(hash)) ?? (this.#base > 0 ? this.#buried?.find(hash, this.#base) : undefined);
  }

  /** True if the block of that height and hash is known; cheaper than `get` for an unknown one. */
  has({ height, hash }: { readonly height: number; readonly hash: Hash256 }): boolean {
    if (this.#entries.has(toHex(hash))) return true;
    return height < this.#base && equalBytes((this.at(height) as BlockIndexEntry).hash, hash);
  }

  /** Block of the active chain at that height. */
  at(height: number): BlockIndexEntry | undefined {
    if (height >= this.#base) return this.#recent[height - this.#base];
    return height < 0 ? undefined : this.#buried?.at(height, this.#base);
  }

  isActive(entry: BlockIndexEntry): boolean {
    return entry.isActive;
  }

  children(entry: BlockIndexEntry): readonly BlockIndexEntry[] {
    const known = this.#children.get(entry);
    if (known) return known;
    const next = entry.isActive ? this.at(entry.height + 1) : undefined;
    return next ? [next] : [];
  }

  /** The entry itself and all entries above it, parents first. */
  *descendants(entry: BlockIndexEntry): Iterable<BlockIndexEntry> {
    const waiting = [entry];
    for (let at = waiting.pop(); at; at = waiting.pop()) {
      yield at;
      waiting.push(...this.children(at));
    }
  }

  /** Entries in memory: all headers but the buried blocks. */
  all(): Iterable<BlockIndexEntry> {
    return this.#entries.values();
  }

  /** All headers off the active chain, and the blocks of the active chain from a height on. */
  *from(height: number): Generator<BlockIndexEntry> {
    for (const entry of this.all()) if (!entry.isActive) yield entry;
    for (let at = this.at(height); at; at = this.at(at.height + 1)) yield at;
  }

  /** Last block that the active chain and the chain below `entry` share. */
  forkPoint(entry: BlockIndexEntry): BlockIndexEntry {
    let at: BlockIndexEntry = entry.height > this.tip.height ? (entry.ancestor(this.tip.height) as BlockIndexEntry) : entry;
    while (!at.isActive) at = at.parent as BlockIndexEntry;
    return at;
  }

  push(entry: BlockIndexEntry): void {
    this.#recent.push(entry);
    entry.join(this);
    if (this.#buried && this.#recent.length >= this.recentBlocks + this.#stride) this.#bury(this.#buried);
    this.#noteTip();
  }

  /** Reads what `pop` needs, which may fail. The active chain stays as it is. */
  preparePop(): void {
    if (this.#buried && this.#recent.length === 1) this.#unbury(this.#buried);
    this.tip.prepareToLeave();
  }

  /** Removes the tip from the active chain. Nothing can fail after `preparePop`. */
  pop(): void {
    this.preparePop();
    const entry = this.tip;
    const { parent } = entry;
    // The parent does not find it by its height any more.
    if (parent && !this.#children.has(parent)) this.#children.set(parent, [entry]);
    entry.leave();
    this.#recent.pop();
    this.#noteTip();
  }

  /** Reads the newest blocks of the active chain into an empty tree. */
  setActive(tipHeight: number, store: StoredActiveChain): void {
    this.#base = Math.max(tipHeight - this.recentBlocks + 1, 0);
    let height = this.#base;
    for (const row of store.activeBlocks(height, tipHeight)) {
      const entry = entryOf(height++, row, this, this.params);
      this.#recent.push(entry);
      this.#entries.set(toHex(entry.hash), entry);
    }
    this.#leaves.add(this.tip);
    this.#noteTip();
  }

  /** Blocks that leave memory at once. */
  get #stride(): number {
    return Math.ceil(this.recentBlocks / 8);
  }

  /** Drops the oldest blocks from memory. */
  #bury(buried: BuriedBlocks): void {
    const oldest = this.#recent.slice(0, this.#stride);
    const contested = this.#contestedHeights(oldest);
    for (const entry of oldest) {
      this.#entries.delete(toHex(entry.hash));
      if (this.#children.get(entry)?.length === 1) this.#children.delete(entry);
      // The order of arrival matters while another branch has a block with the same work; it is not stored.
      buried.add(entry, entry.sequence !== 0 && contested.has(entry.height));
    }
    this.#recent = this.#recent.slice(oldest.length);
    this.#base += oldest.length;
  }

  /** Heights of some blocks of the active chain at which other branches have blocks too. */
  #contestedHeights(blocks: readonly BlockIndexEntry[]): ReadonlySet<number> {
    const lowest = blocks[0]?.height ?? 0;
    const highest = blocks.at(-1)?.height ?? 0;
    const heights = new Set<number>();
    for (const leaf of this.#leaves) {
      let at = leaf.ancestor(Math.min(leaf.height, highest));
      for (; at && !at.isActive && at.height >= lowest; at = at.parent) heights.add(at.height);
    }
    return heights;
  }

  /** Brings some blocks back into memory, so that the tip can be disconnected. */
  #unbury(buried: BuriedBlocks): void {
    const base = Math.max(this.#base - UNBURIED_BLOCKS, 0);
    const entries: BlockIndexEntry[] = [];
    for (let height = this.#base - 1; height >= base; height--) entries.push(buried.at(height, this.#base));
    for (const entry of entries.reverse()) {
      buried.delete(entry);
      this.#entries.set(toHex(entry.hash), entry);
    }
    this.#recent = [...entries, ...this.#recent];
    this.#base = base;
  }

  #noteTip(): void {
    this.#changes += 1;
    this.#tipChanges += 1;
  }
}
