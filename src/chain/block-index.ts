import { type Ancestor, medianTimePast } from '../consensus/ancestry.js';
import { workOf } from '../consensus/pos/target.js';
import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { toHex } from '../util/bytes.js';
import type { BlockPosition } from './block-store.js';

/** A header of the tree with what is known about its block. Only the header fields that rules ask for often stay in memory. */
export class BlockIndexEntry implements Ancestor {
  readonly height: number;
  readonly version: number;
  readonly time: number;
  readonly bits: number;
  /** Work of the chain up to this block. */
  readonly chainWork: bigint;
  /** Latest time of the chain up to this block. */
  readonly maxTime: number;
  /** Transactions of the block; 0 while only the header is known. */
  nTx = 0;
  /** Transactions of the chain up to this block; 0 while a block below is missing. */
  chainTx = 0;
  /** Order of arrival: of chains with equal work the first wins. */
  sequence = 0;
  position: BlockPosition | undefined;
  /** Was connected once. */
  valid = false;
  /** Was stored while segwit was not in force at its height, so witness data may be missing. */
  lacksWitness = false;
  /** Breaks a rule itself. */
  invalid = false;
  /** A block below it breaks a rule. */
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

  /** The block's bytes are stored. */
  get hasData(): boolean {
    return this.position !== undefined;
  }

  /** The block's bytes were stored once, and deleted to save room. */
  get isPruned(): boolean {
    return this.position === undefined && this.nTx > 0;
  }

  /** Breaks a rule, or stands on a block that does. */
  get failed(): boolean {
    return this.invalid || this.invalidAncestor;
  }

  medianTimePast(): number {
    this.#median ??= medianTimePast(this, this.#params);
    return this.#median;
  }

  /** In about log² steps: each entry also knows the one whose height lacks its lowest bit. */
  ancestor(height: number): BlockIndexEntry | undefined {
    if (height > this.height || height < 0) return undefined;
    let at: BlockIndexEntry | undefined = this;
    while (at && at.height > height) at = at.#skip && at.#skip.height >= height ? at.#skip : at.parent;
    return at;
  }
}

/** All known headers, and which of them form the active chain. */
export class BlockTree {
  readonly #entries = new Map<string, BlockIndexEntry>();
  readonly #children = new Map<BlockIndexEntry, BlockIndexEntry[]>();
  readonly #active: BlockIndexEntry[] = [];
  /** Entries without children: the best header is the best of them, or below one that failed. */
  readonly #leaves = new Set<BlockIndexEntry>();
  #bestHeader: BlockIndexEntry | undefined;

  constructor(private readonly params: NetworkParams) {}

  add(hash: Hash256, header: BlockHeader, parent: BlockIndexEntry | undefined): BlockIndexEntry {
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

  /** Drops an entry that has no children. The caller resets the best header after the last one. */
  remove(entry: BlockIndexEntry): void {
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

  /** Takes the entry as the best header if it is one. */
  noteHeader(entry: BlockIndexEntry): void {
    if (!entry.failed && (!this.#bestHeader || entry.chainWork > this.#bestHeader.chainWork)) this.#bestHeader = entry;
  }

  /** Finds the best header anew, after entries were marked invalid or dropped. */
  resetBestHeader(): void {
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

  /** The entry itself and everything above it, parents first. */
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
  }

  pop(): void {
    this.#active.pop();
  }

  /** Makes the chain below `tip` the active one, at start. */
  setActive(tip: BlockIndexEntry): void {
    this.#active.length = 0;
    for (let at: BlockIndexEntry | undefined = tip; at; at = at.parent) this.#active[at.height] = at;
  }
}
