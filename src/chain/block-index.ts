import { type Ancestor, medianTimePast } from '../consensus/ancestry.js';
import { workOf } from '../consensus/pos/target.js';
import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import type { BlockPosition } from './block-store.js';

/** Blocks of the active chain by height. */
export interface ActiveChain {
  at(height: number): BlockIndexEntry | undefined;
}

/** Place of a block in its chain: what the chain below adds up to. */
export type ChainPlace = Pick<BlockIndexEntry, 'height' | 'chainWork' | 'maxTime'>;

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
  /**
   * The active chain while the entry is part of it. Its ancestors are then found by height, and not referenced, so that those far below
   * the tip need not stay in memory.
   */
  #chain: ActiveChain | undefined;
  #parent: BlockIndexEntry | undefined;
  #skip: BlockIndexEntry | undefined;
  #median: number | undefined;

  /** @param below parent, or undefined for genesis; the place in the chain for a block of the active chain that is read from the store */
  constructor(
    readonly hash: Hash256,
    header: Pick<BlockHeader, 'version' | 'time' | 'bits'>,
    below: BlockIndexEntry | ChainPlace | undefined,
    params: NetworkParams,
  ) {
    this.version = header.version;
    this.time = header.time;
    this.bits = header.bits;
    this.#params = params;
    if (below && !(below instanceof BlockIndexEntry)) {
      this.height = below.height;
      this.chainWork = below.chainWork;
      this.maxTime = below.maxTime;
      return;
    }
    this.height = below ? below.height + 1 : 0;
    this.chainWork = (below?.chainWork ?? 0n) + workOf(header.bits);
    this.maxTime = Math.max(below?.maxTime ?? 0, header.time);
    this.#setParent(below);
  }

  get parent(): BlockIndexEntry | undefined {
    return this.#chain ? this.#chain.at(this.height - 1) : this.#parent;
  }

  /** True if the block is part of the active chain. */
  get isActive(): boolean {
    return this.#chain !== undefined;
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
   * Ancestor at that height: on the active chain by its height, on a branch in about log² steps. Each entry of a branch has a skip pointer
   * to the ancestor whose height lacks the lowest bit of its own (Bitcoin Core: `pskip`).
   */
  ancestor(height: number): BlockIndexEntry | undefined {
    if (height > this.height || height < 0) return undefined;
    let at: BlockIndexEntry | undefined = this;
    while (at && at.height > height) {
      if (at.#chain) return at.#chain.at(height);
      at = at.#skip && at.#skip.height >= height ? at.#skip : at.#parent;
    }
    return at;
  }

  /** Makes the entry part of the active chain. To be called by the tree. */
  join(chain: ActiveChain): void {
    this.#chain = chain;
    this.#parent = undefined;
    this.#skip = undefined;
  }

  /** Reads what `leave` needs. To be called by the tree, while the active chain still finds the parent. */
  prepareToLeave(): void {
    if (!this.#parent) this.#setParent(this.parent);
  }

  /** Makes the entry part of a branch. To be called by the tree, after `prepareToLeave`. */
  leave(): void {
    this.#chain = undefined;
  }

  #setParent(parent: BlockIndexEntry | undefined): void {
    this.#skip = parent?.ancestor(this.height & (this.height - 1));
    this.#parent = parent;
  }
}
