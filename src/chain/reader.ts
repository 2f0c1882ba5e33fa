import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import type { BlockOutline } from '../primitives/block-outline.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction } from '../primitives/transaction.js';
import type { TransactionWatch } from '../primitives/transaction-scan.js';
import type { Snapshot, StateView } from '../storage/view.js';
import type { Clock } from '../util/clock.js';
import type { Steps } from '../util/slicer.js';
import type { BlockCache } from './block-cache.js';
import type { BlockIndexEntry } from './block-index.js';
import type { TransactionPlace } from './block-store.js';
import type { BlockTree } from './block-tree.js';
import { type Coin, coins } from './coins.js';
import { spentCoinsOf } from './connect.js';
import type { ChainDatabase } from './database.js';
import type { BlockReader } from './stored-blocks.js';

/** Read access to the chain; a literal with the same members serves as well. */
export type ChainQueries = Pick<ChainReader, keyof ChainReader>;

interface ReaderParts {
  readonly tree: BlockTree;
  readonly db: Pick<
    ChainDatabase,
    'header' | 'undo' | 'view' | 'snapshot' | 'sizeOnDisk' | 'blockCache' | 'entryChanges' | 'mark' | 'activeBlocks'
  >;
  readonly blocks: Pick<BlockReader, 'rawBlock' | 'loadRaw' | 'block' | 'loadBlock' | 'outline' | 'mayHave' | 'transaction' | 'damage'>;
  readonly clock: Pick<Clock, 'seconds'>;
}

/** Queries about the chain. None of them changes it. */
export class ChainReader {
  readonly #parts: ReaderParts;
  #leftInitialDownload = false;
  #genesis: BlockIndexEntry | undefined;

  constructor(
    readonly params: NetworkParams,
    parts: ReaderParts,
  ) {
    this.#parts = parts;
  }

  get tip(): BlockIndexEntry {
    return this.#parts.tree.tip;
  }

  /** Number of blocks connected and disconnected so far. While it is the same, so are the active chain and its state. */
  get tipChanges(): number {
    return this.#parts.tree.tipChanges;
  }

  /** Number of changes of headers, stored blocks and the active chain so far. */
  get blockChanges(): number {
    return this.#parts.tree.changes + this.#parts.db.entryChanges;
  }

  /** The header with the most work that is not known to be invalid. */
  get bestHeader(): BlockIndexEntry {
    return this.#parts.tree.bestHeader;
  }

  get genesis(): BlockIndexEntry {
    this.#genesis ??= this.#parts.tree.at(0) as BlockIndexEntry;
    return this.#genesis;
  }

  entry(hash: Hash256): BlockIndexEntry | undefined {
    return this.#parts.tree.get(hash);
  }

  /** Block of the active chain at that height. */
  entryAt(height: number): BlockIndexEntry | undefined {
    return this.#parts.tree.at(height);
  }

  /** Versions of the blocks of the active chain from one height to another, both included, ascending. Entries are not made for them. */
  *versions(from: number, to: number): Iterable<number> {
    for (const { version } of this.#parts.db.activeBlocks(from, to)) yield version;
  }

  /** Every known block or header, except blocks of the active chain far below the tip. */
  entries(): Iterable<BlockIndexEntry> {
    return this.#parts.tree.all();
  }

  /** The entry itself and all known blocks and headers above it, parents first. */
  descendants(entry: BlockIndexEntry): Iterable<BlockIndexEntry> {
    return this.#parts.tree.descendants(entry);
  }

  isActive(entry: BlockIndexEntry): boolean {
    return this.#parts.tree.isActive(entry);
  }

  /** Next block of the active chain; undefined for the tip and for entries off the active chain. */
  next(entry: BlockIndexEntry): BlockIndexEntry | undefined {
    return this.isActive(entry) ? this.entryAt(entry.height + 1) : undefined;
  }

  /** Number of blocks from this one to the tip, both included; -1 off the active chain. */
  confirmations(entry: BlockIndexEntry): number {
    return this.isActive(entry) ? this.tip.height - entry.height + 1 : -1;
  }

  /** Last block that the active chain and the chain below `entry` share. */
  forkPoint(entry: BlockIndexEntry): BlockIndexEntry {
    return this.#parts.tree.forkPoint(entry);
  }

  header(entry: BlockIndexEntry): BlockHeader {
    return this.#parts.db.header(entry);
  }

  /**
   * The block's bytes as they were received; undefined while only the header is known, and after pruning.
   * @throws {StoreDamaged} if the stored bytes are not that block
   */
  rawBlock(entry: BlockIndexEntry): Uint8Array | undefined {
    return this.#parts.blocks.rawBlock(entry);
  }

  /** Like {@link rawBlock}, decoded. @throws {StoreDamaged} if the stored bytes are not that block */
  block(entry: BlockIndexEntry): Block | undefined {
    return this.#parts.blocks.block(entry);
  }

  /** {@link rawBlock} in steps, for blocks of any size. @throws {StoreDamaged} if the stored bytes are not that block */
  loadRaw(entry: BlockIndexEntry): Steps<Uint8Array | undefined> {
    return this.#parts.blocks.loadRaw(entry);
  }

  /** {@link block} in steps, for blocks of any size. @throws {StoreDamaged} if the stored bytes are not that block */
  loadBlock(entry: BlockIndexEntry): Steps<Block | undefined> {
    return this.#parts.blocks.loadBlock(entry);
  }

  /** Like {@link block}, without the fields of the transactions. @throws {StoreDamaged} if the stored bytes are not that block */
  outline(entry: BlockIndexEntry): Steps<BlockOutline | undefined> {
    return this.#parts.blocks.outline(entry);
  }

  /**
   * Searches a block for transactions, in a quarter of the time of reading it.
   * @returns true if the block may have one; undefined while only the header is known, and after pruning
   * @throws {StoreDamaged} if the stored bytes are not that block
   */
  mayHave(entry: BlockIndexEntry, watch: TransactionWatch): Steps<boolean | undefined> {
    return this.#parts.blocks.mayHave(entry, watch);
  }

  /**
   * A transaction of a block; undefined while only the header is known, and after pruning. Much faster than {@link block} if its bytes are
   * known.
   * @throws {StoreDamaged} if the stored bytes are not that block
   */
  transaction(entry: BlockIndexEntry, place: TransactionPlace): Transaction | undefined {
    return this.#parts.blocks.transaction(entry, place);
  }

  /** Use of the cache of decoded blocks. */
  get blockCache(): Pick<BlockCache, 'hits' | 'misses' | 'bytes'> {
    return this.#parts.db.blockCache;
  }

  /** First stored block that was found damaged since the start, with advice; undefined if none was. */
  get damage(): string | undefined {
    return this.#parts.blocks.damage;
  }

  /**
   * Coins that each transaction of a connected block spent, in the order of its inputs; undefined without undo data, as for the genesis
   * block.
   */
  spentCoins(entry: BlockIndexEntry, block = this.block(entry)): readonly (readonly Coin[])[] | undefined {
    const undo = this.#parts.db.undo(entry);
    return undo && block && spentCoinsOf(block, entry.height, undo);
  }

  /** Unspent output as of the tip. */
  coin(point: OutPoint): Coin | undefined {
    return this.state.get(coins, point);
  }

  /** Any unspent output of a transaction as of the tip. */
  hasUnspent(txid: Hash256): Coin | undefined {
    for (const [, coin] of this.state.entries(coins, { prefix: txid })) return coin;
    return undefined;
  }

  /** State at the tip: coins and DeFi state. */
  get state(): StateView {
    return this.#parts.db.view;
  }

  /** Consistent snapshot of the state at the tip, for long scans; the caller must close it. */
  snapshot(): Snapshot {
    return this.#parts.db.snapshot();
  }

  /** Lowest block from which all blocks up to the tip are stored: genesis, unless old blocks were pruned. */
  lowestStored(): BlockIndexEntry {
    const { tip } = this;
    return this.entryAt(Math.min(this.#parts.db.mark('pruned') ?? 0, tip.height)) ?? tip;
  }

  /** Size of the stored blocks, bytes. */
  get sizeOnDisk(): number {
    return this.#parts.db.sizeOnDisk;
  }

  /** True until the tip is recent and has the network's minimum chain work; from then on false until a restart. */
  isInitialDownload(): boolean {
    if (this.params.mocknet || this.#leftInitialDownload) return false;
    const recent = this.tip.time >= this.#parts.clock.seconds() - this.params.maxTipAge;
    this.#leftInitialDownload = recent && this.tip.chainWork >= this.params.minimumChainWork;
    return !this.#leftInitialDownload;
  }

  /** Estimated share of the network's transactions up to the tip: 0 to 1. */
  verificationProgress(): number {
    const { chainTx, time } = this.tip;
    const known = this.params.chainTxData;
    const now = this.#parts.clock.seconds();
    const total = chainTx <= known.txCount ? known.txCount + (now - known.time) * known.txRate : chainTx + (now - time) * known.txRate;
    return total > 0 ? Math.min(chainTx / total, 1) : 0;
  }
}
