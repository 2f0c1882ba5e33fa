import { type Ancestor, medianTimePast } from '../consensus/ancestry.js';
import { workOf } from '../consensus/pos/target.js';
import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { toHex } from '../util/bytes.js';
import type { BlockPosition } from './block-store.js';

/** Entry of the header tree, with the state of its block. Only the header fields that rules often read stay in memory. */
export class BlockIndexEntry implements Ancestor {
  readonly height: number;
  readonly version: number;
  readonly time: number;
  readonly bits: number;
  /** Work of the chain up to this block, included. */
  readonly chainWork: bigint;
  /** Latest time of the chain up to this block, seconds since 1970. */
  readonly maxTime: number;
  /** Number of transactions in the block; 0 while only the header is known. */
  nTx = 0;
  /** Number of transactions in the chain up to this block; 0 while an ancestor's block is missing. */
  chainTx = 0;
  /** Order of arrival; among chains with the same work the lowest wins. */
  sequence = 0;
  /** Position of the stored block; undefined if it is not stored, or was pruned. */
  position: BlockPosition | undefined;
  /** True if the block was connected before. */
  valid = false;
  /** True if the block was stored while segwit was not active at its height, so that witness data may be missing. */
  lacksWitness = false;
  /** True if the block itself breaks a rule, or the operator invalidated it. */
  invalid = false;
  /** True if an ancestor is invalid. */
  invalidAncestor = false;
  readonly #params: NetworkParams;
  readonly #skip: BlockIndexEntry | undefined;
  #median: number | undefined;

  constructor(
    readonly hash: Hash256,
    header: Pick<BlockHeader, 'version' | 'time' | 'bits'>,
    readonly parent: BlockIndexEntry | undefined,
    params: NetworkParams,
  ) {
    this.height = parent ? parent.height + 1 : 0;
    this.version = header.version;
    this.time = header.time;
    this.bits = header.bits;
    this.chainWork = (parent?.chainWork ?? 0n) + workOf(header.bits);
    this.maxTime = Math.max(parent?.maxTime ?? 0, header.time);
    this.#params = params;
    this.#skip = parent?.ancestor(this.height & (this.height - 1));
  }

  /** True if the block's bytes are stored. */
  get hasData(): boolean {
    return this.position !== undefined;
  }

  /** True if the block's bytes were stored and then pruned. */
  get isPruned(): boolean {
    return this.position === undefined && this.nTx > 0;
  }

  /** True if the block or an ancestor is invalid. */
  get failed(): boolean {
    return this.invalid || this.invalidAncestor;
  }

  medianTimePast(): number {
    this.#median ??= medianTimePast(this, this.#params);
    return this.#median;
  }

  /**
   * Ancestor at that height, in about log² steps: each entry has a skip pointer to the ancestor whose height lacks the lowest bit of its
   * own (Bitcoin Core: `pskip`).
   */
  ancestor(height: number): BlockIndexEntry | undefined {
    if (height > this.height || height < 0) return undefined;
    let at: BlockIndexEntry | undefined = this;
    while (at && at.height > height) at = at.#skip && at.#skip.height >= height ? at.#skip : at.parent;
    return at;
  }
}

/** Tree of all known headers, with the active chain. */
export class BlockTree {
  readonly #entries = new Map<string, BlockIndexEntry>();
  readonly #children = new Map<BlockIndexEntry, BlockIndexEntry[]>();
  readonly #active: BlockIndexEntry[] = [];
  /** Entries without children. The best header is one of them, or an ancestor of a failed one. */
  readonly #leaves = new Set<BlockIndexEntry>();
  #bestHeader: BlockIndexEntry | undefined;
  #changes = 0;
  #tipChanges = 0;

  constructor(private readonly params: NetworkParams) {}

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
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(entry);
      else this.#children.set(parent, [entry]);
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
    const tip = this.#active.at(-1);
    if (!tip) throw new Error('the chain has no genesis block yet');
    return tip;
  }

  get(hash: Hash256): BlockIndexEntry | undefined {
    return this.#entries.get(toHex(hash));
  }

  /** Block of the active chain at that height. */
  at(height: number): BlockIndexEntry | undefined {
    return this.#active[height];
  }

  isActive(entry: BlockIndexEntry): boolean {
    return this.#active[entry.height] === entry;
  }

  children(entry: BlockIndexEntry): readonly BlockIndexEntry[] {
    return this.#children.get(entry) ?? [];
  }

  /** The entry itself and all entries above it, parents first. */
  *descendants(entry: BlockIndexEntry): Iterable<BlockIndexEntry> {
    const waiting = [entry];
    for (let at = waiting.pop(); at; at = waiting.pop()) {
      yield at;
      waiting.push(...this.children(at));
    }
  }

  all(): Iterable<BlockIndexEntry> {
    return this.#entries.values();
  }

  /** Last block that the active chain and the chain below `entry` share. */
  forkPoint(entry: BlockIndexEntry): BlockIndexEntry {
    let at: BlockIndexEntry = entry.height > this.tip.height ? (entry.ancestor(this.tip.height) as BlockIndexEntry) : entry;
    while (!this.isActive(at)) at = at.parent as BlockIndexEntry;
    return at;
  }

  push(entry: BlockIndexEntry): void {
    this.#active.push(entry);
    this.#noteTip();
  }

  pop(): void {
    this.#active.pop();
    this.#noteTip();
  }

  /** Makes the chain up to `tip` the active one, at start-up. */
  setActive(tip: BlockIndexEntry): void {
    this.#active.length = 0;
    for (let at: BlockIndexEntry | undefined = tip; at; at = at.parent) this.#active[at.height] = at;
    this.#noteTip();
  }

  #noteTip(): void {
    this.#changes += 1;
    this.#tipChanges += 1;
  }
}
