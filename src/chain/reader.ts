import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Snapshot, StateView } from '../storage/view.js';
import type { Clock } from '../util/clock.js';
import type { BlockIndexEntry, BlockTree } from './block-index.js';
import { type Coin, coins } from './coins.js';
import { spentCoinsOf } from './connect.js';
import type { ChainDatabase } from './database.js';

/** Questions about the chain, none of which changes it. */
export abstract class ChainReader {
  #leftInitialDownload = false;

  protected constructor(
    readonly params: NetworkParams,
    protected readonly db: ChainDatabase,
    protected readonly tree: BlockTree,
    protected readonly clock: Clock,
  ) {}

  get tip(): BlockIndexEntry {
    return this.tree.tip;
  }

  /** The header with the most work that is not known to be invalid. */
  get bestHeader(): BlockIndexEntry {
    return this.tree.bestHeader;
  }

  get genesis(): BlockIndexEntry {
    return this.tree.at(0) as BlockIndexEntry;
  }

  entry(hash: Hash256): BlockIndexEntry | undefined {
    return this.tree.get(hash);
  }

  /** Block of the active chain at that height. */
  entryAt(height: number): BlockIndexEntry | undefined {
    return this.tree.at(height);
  }

  /** Every known block or header. */
  entries(): Iterable<BlockIndexEntry> {
    return this.tree.all();
  }

  /** The entry itself and everything known above it, parents first. */
  descendants(entry: BlockIndexEntry): Iterable<BlockIndexEntry> {
    return this.tree.descendants(entry);
  }

  isActive(entry: BlockIndexEntry): boolean {
    return this.tree.isActive(entry);
  }

  /** What follows on the active chain. */
  next(entry: BlockIndexEntry): BlockIndexEntry | undefined {
    return this.isActive(entry) ? this.entryAt(entry.height + 1) : undefined;
  }

  /** Blocks from this one to the tip, both included; -1 off the active chain. */
  confirmations(entry: BlockIndexEntry): number {
    return this.isActive(entry) ? this.tip.height - entry.height + 1 : -1;
  }

  /** Last block that the active chain and the chain below `entry` share. */
  forkPoint(entry: BlockIndexEntry): BlockIndexEntry {
    return this.tree.forkPoint(entry);
  }

  header(entry: BlockIndexEntry): BlockHeader {
    return this.db.header(entry);
  }

  /** The block's bytes as they were received; undefined while only the header is known. */
  rawBlock(entry: BlockIndexEntry): Uint8Array | undefined {
    return this.db.rawBlock(entry);
  }

  block(entry: BlockIndexEntry): Block | undefined {
    return this.db.block(entry);
  }

  /** Coins that a connected block spent; undefined where there is no undo data, as for the genesis block. */
  spentCoins(entry: BlockIndexEntry, block = this.block(entry)): readonly (readonly Coin[])[] | undefined {
    const undo = this.db.undo(entry);
    return undo && block && spentCoinsOf(block, entry.height, undo);
  }

  coin(point: OutPoint): Coin | undefined {
    return this.state.get(coins, point);
  }

  /** Any unspent output of a transaction. */
  hasUnspent(txid: Hash256): Coin | undefined {
    for (const [, coin] of this.state.entries(coins, { prefix: txid })) return coin;
    return undefined;
  }

  /** The state at the tip. */
  get state(): StateView {
    return this.db.view;
  }

  /** The state at the tip, held still for a long scan; close it. */
  snapshot(): Snapshot {
    return this.db.snapshot();
  }

  /** The lowest block from which on all blocks up to the tip are stored: genesis, unless old ones were deleted. */
  lowestStored(): BlockIndexEntry {
    let at = this.tip;
    while (at.parent?.hasData) at = at.parent;
    return at;
  }

  get sizeOnDisk(): number {
    return this.db.sizeOnDisk;
  }

  /** True until the tip is recent and has the least work that the network is known to have; then false for good. */
  isInitialDownload(): boolean {
    if (this.params.mocknet || this.#leftInitialDownload) return false;
    const recent = this.tip.time >= this.clock.seconds() - this.params.maxTipAge;
    this.#leftInitialDownload = recent && this.tip.chainWork >= this.params.minimumChainWork;
    return !this.#leftInitialDownload;
  }

  /** Share of the chain's expected transactions that is validated: 0 to 1. */
  verificationProgress(): number {
    const { chainTx, time } = this.tip;
    const known = this.params.chainTxData;
    const now = this.clock.seconds();
    const total = chainTx <= known.txCount ? known.txCount + (now - known.time) * known.txRate : chainTx + (now - time) * known.txRate;
    return total > 0 ? Math.min(chainTx / total, 1) : 0;
  }
}
