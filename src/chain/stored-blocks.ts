import { type BlockRoots, blockRoots, type CheckedBlock, checkBlock, checkBlockContext } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import type { NetworkParams } from '../params/network.js';
import { type Block, type BlockFollower, block as blockCodec, readLongBlock } from '../primitives/block.js';
import type { BlockOutline } from '../primitives/block-outline.js';
import { ByteReader } from '../primitives/codec.js';
import type { Transaction } from '../primitives/transaction.js';
import type { TransactionWatch } from '../primitives/transaction-scan.js';
import { StoreDamaged } from '../storage/errors.js';
import { toHex } from '../util/bytes.js';
import type { Logger } from '../util/logger.js';
import { finish, type Steps } from '../util/slicer.js';
import type { BlockIndexEntry } from './block-index.js';
import type { TransactionPlace } from './block-store.js';
import type { BlockTree } from './block-tree.js';
import type { ChainDatabase } from './database.js';
import type { ChainQueries } from './reader.js';
import type { StoredBlockReader } from './stored-block-reader.js';

type StoredBlocks = Pick<ChainDatabase, 'fileIndex' | 'blockFiles' | 'mark'>;

const REPAIR = 'start with -reindex to build the database again';

/** Error for a start that needs blocks which were pruned. */
export const PRUNED_DATA =
  'You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire blockchain';

/**
 * Checks that the files of all known blocks exist.
 * @param mayLackBlocks true if this start prunes, or old blocks may be missing for another reason
 * @throws {StoreDamaged} if a file is missing
 * @throws {Error} if blocks are missing although all are kept
 */
export function checkStoredBlocks(db: StoredBlocks, mayLackBlocks: boolean): void {
  const files = new Set(db.blockFiles.map(({ file }) => file));
  for (const file of db.fileIndex.files) if (!files.has(file)) throw new StoreDamaged(`block file ${file} is missing; ${REPAIR}`);
  if (db.mark('pruned') !== undefined && !mayLackBlocks) throw new Error(PRUNED_DATA);
}

/**
 * Stored blocks that may lack witness data which the rules demand by now, and all stored blocks above them.
 * @param suspectBelow height from which all blocks were stored with their witnesses
 */
export function blocksLackingWitness(
  tree: Pick<BlockTree, 'from' | 'descendants'>,
  { buried: { segwit } }: Pick<NetworkParams, 'buried'>,
  suspectBelow: number,
): ReadonlySet<BlockIndexEntry> {
  const found = new Set<BlockIndexEntry>();
  if (suspectBelow <= segwit) return found;
  for (const entry of tree.from(segwit)) {
    if (!entry.lacksWitness || entry.height < segwit || found.has(entry)) continue;
    for (const above of tree.descendants(entry)) if (above.nTx > 0) found.add(above);
  }
  return found;
}

type StoredReads = Pick<StoredBlockReader, 'raw' | 'load' | 'outline' | 'mayHave' | 'transaction'>;

/** Reads stored blocks, and reports each damaged one once. */
export class BlockReader {
  readonly #blocks: StoredReads;
  readonly #log: Pick<Logger, 'error'>;
  readonly #onDamage: (text: string) => void;
  readonly #damaged = new Map<BlockIndexEntry, string>();

  /** @param onDamage called with a text for the operator: the damaged block, and advice */
  constructor(blocks: StoredReads, log: Pick<Logger, 'error'>, onDamage: (text: string) => void) {
    this.#blocks = blocks;
    this.#log = log;
    this.#onDamage = onDamage;
  }

  /** @throws {StoreDamaged} if the stored bytes are not that block */
  rawBlock(entry: BlockIndexEntry): Uint8Array | undefined {
    return finish(this.loadRaw(entry));
  }

  /** @throws {StoreDamaged} if the stored bytes are not that block */
  block(entry: BlockIndexEntry): Block | undefined {
    return finish(this.loadBlock(entry));
  }

  /** Outline of a block, in steps. @throws {StoreDamaged} if the stored bytes are not that block */
  outline(entry: BlockIndexEntry): Steps<BlockOutline | undefined> {
    return this.#reportDamage(entry, this.#blocks.outline(entry));
  }

  /** {@link rawBlock} in steps. @throws {StoreDamaged} if the stored bytes are not that block */
  loadRaw(entry: BlockIndexEntry): Steps<Uint8Array | undefined> {
    return this.#reportDamage(entry, this.#blocks.raw(entry));
  }

  /** {@link block} in steps. @throws {StoreDamaged} if the stored bytes are not that block */
  loadBlock(entry: BlockIndexEntry): Steps<Block | undefined> {
    return this.#reportDamage(entry, this.#blocks.load(entry));
  }

  /** Searches a block for transactions, in steps. @throws {StoreDamaged} if the stored bytes are not that block */
  mayHave(entry: BlockIndexEntry, watch: TransactionWatch): Steps<boolean | undefined> {
    return this.#reportDamage(entry, this.#blocks.mayHave(entry, watch));
  }

  /** Reads the whole block if the transaction is not found at its place. @throws {StoreDamaged} if that is not the block */
  transaction(entry: BlockIndexEntry, place: TransactionPlace): Transaction | undefined {
    return this.#blocks.transaction(entry, place) ?? this.block(entry)?.transactions[place.position];
  }

  /** Report of the first damaged block since the start. */
  get damage(): string | undefined {
    return this.#damaged.values().next().value;
  }

  *#reportDamage<T>(entry: BlockIndexEntry, read: Steps<T>): Steps<T> {
    try {
      return yield* read;
    } catch (error) {
      this.#note(entry, error);
      throw error;
    }
  }

  #note(entry: BlockIndexEntry, error: unknown): void {
    if (!(error instanceof StoreDamaged) || this.#damaged.has(entry)) return;
    this.#damaged.set(entry, error.message);
    this.#log.error('a stored block is damaged', { height: entry.height, error: error.message });
    this.#onDamage(error.message);
  }
}

/** Stored blocks in the state that connecting them asks for: checked by themselves and in the context of their parents. */
export class CheckedBlocks {
  readonly #params: NetworkParams;
  readonly #blocks: Pick<BlockReader, 'block'>;
  /** Block objects that were checked in this process and are immutable since. */
  readonly #checked = new WeakSet<Block>();

  constructor(params: NetworkParams, blocks: Pick<BlockReader, 'block'>) {
    this.#params = params;
    this.#blocks = blocks;
  }

  note(block: CheckedBlock): void {
    this.#checked.add(block);
  }

  /**
   * A stored block. It was checked when it was accepted. One that is read from disk is checked again, so that a disk error is not
   * mistaken for an invalid block.
   * @throws {StoreDamaged} if the block is missing, or is not the one that was stored
   * @throws {BlockInvalid} if it breaks a rule, which is possible if the rules have changed since it was accepted
   */
  require(entry: BlockIndexEntry): CheckedBlock {
    const block = this.#blocks.block(entry);
    if (!block) throw new StoreDamaged(`block ${toHex(entry.hash)} is not stored; ${REPAIR}`);
    return this.#checked.has(block) ? (block as CheckedBlock) : this.#check(block, entry);
  }

  #check(block: Block, { hash, height, parent }: BlockIndexEntry): CheckedBlock {
    try {
      const checked = checkBlock(block, height, this.#params);
      if (parent) checkBlockContext(checked, parent, this.#params);
      this.note(checked);
      return checked;
    } catch (error) {
      if (!(error instanceof BlockInvalid) || error.kind !== 'mutated') throw error;
      throw new StoreDamaged(`the stored block ${toHex(hash)} at height ${height} is damaged (${error.message}); ${REPAIR}`, {
        cause: error,
      });
    }
  }
}

/** A block that was read from the start of some bytes. */
export interface DecodedBlock {
  readonly block: Block;
  /** Its bytes without those that follow. */
  readonly raw: Uint8Array;
  /** Its roots, if they were computed. */
  readonly roots?: BlockRoots | undefined;
}

/** Reads a block from the start of `bytes`. */
export function readBlock(bytes: Uint8Array, params: NetworkParams): DecodedBlock {
  const r = new ByteReader(bytes);
  const block = blockCodec(params.txFormat).read(r);
  return { block, raw: r.since(0) };
}

/** Reads a large block from the start of `bytes` in slices, and computes its roots unless it is stored already. */
export function* decodeInSlices(
  bytes: Uint8Array,
  chain: Pick<ChainQueries, 'params' | 'entry'>,
  follow?: BlockFollower,
): Steps<DecodedBlock> {
  const r = new ByteReader(bytes);
  const block = yield* readLongBlock(r, chain.params.txFormat, follow);
  const raw = r.since(0);
  return { block, raw, roots: chain.entry(block.hash)?.hasData ? undefined : yield* blockRoots(block) };
}
