import { blockRoots, checkCommitments, checkOutline } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import type { NetworkParams } from '../params/network.js';
import { type Block, readLongBlock } from '../primitives/block.js';
import { type BlockOutline, type OutlineOptions, outlineOf, readOutline } from '../primitives/block-outline.js';
import { ByteReader, DecodeError, decode } from '../primitives/codec.js';
import { formatHash } from '../primitives/hash.js';
import { blockHash, blockHeader } from '../primitives/header.js';
import { type Transaction, transaction } from '../primitives/transaction.js';
import type { TransactionWatch } from '../primitives/transaction-scan.js';
import { StoreDamaged } from '../storage/errors.js';
import { equalBytes } from '../util/bytes.js';
import type { Steps } from '../util/slicer.js';
import { BlockCache } from './block-cache.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockStore, TransactionPlace } from './block-store.js';

/** Reads stored blocks, and compares them with the headers that were accepted: the disk may have damaged them since. */
export class StoredBlockReader {
  readonly cache = new BlockCache();
  /** Entries whose stored blocks were read and match the commitments of their headers. */
  readonly #verified = new WeakSet<BlockIndexEntry>();

  constructor(
    private readonly params: NetworkParams,
    private readonly blocks: Pick<BlockStore, 'read' | 'readPart'>,
  ) {}

  /** The block's bytes as they were received. @throws {StoreDamaged} if the stored bytes are not that block */
  *raw(entry: BlockIndexEntry): Steps<Uint8Array | undefined> {
    const raw = entry.position && this.blocks.read(entry.position);
    if (raw && this.#verified.has(entry)) this.#checkHash(raw, entry);
    else if (raw) {
      yield* this.#outline(raw, entry, { witnessLeaves: true });
      this.#verified.add(entry);
    }
    return raw;
  }

  /** Outline of a block, without witness leaves. @throws {StoreDamaged} if the stored bytes are not that block */
  *outline(entry: BlockIndexEntry): Steps<BlockOutline | undefined> {
    if (!entry.position) return undefined;
    const known = this.cache.get(entry.hash);
    return known ? outlineOf(known) : yield* this.#outline(this.blocks.read(entry.position), entry, {});
  }

  /**
   * Searches a block for transactions that are watched for. One in memory is not searched.
   * @returns false if there is none; undefined if the block is not stored
   * @throws {StoreDamaged} if the stored bytes are not that block
   */
  *mayHave(entry: BlockIndexEntry, watch: TransactionWatch): Steps<boolean | undefined> {
    if (!entry.position) return undefined;
    if (this.cache.get(entry.hash)) return true;
    return (yield* this.#outline(this.blocks.read(entry.position), entry, { watch })).isFound;
  }

  *#outline(raw: Uint8Array, entry: BlockIndexEntry, options: OutlineOptions): Steps<BlockOutline> {
    try {
      const outline = yield* readOutline(raw, this.params.txFormat, options);
      if (!equalBytes(outline.hash, entry.hash)) throw new DecodeError('another hash');
      if (this.#mustVerify(entry)) yield* checkOutline(outline, entry.height, this.params);
      return outline;
    } catch (error) {
      throw damageIn(entry, error);
    }
  }

  /** Once per process, because it takes as long as decoding the block. */
  #mustVerify(entry: BlockIndexEntry): boolean {
    return !this.#verified.has(entry) && entry.height > 0 && !entry.lacksWitness;
  }

  /** A block, in steps. @throws {StoreDamaged} if the stored bytes are not that block */
  *load(entry: BlockIndexEntry): Steps<Block | undefined> {
    if (!entry.position) return undefined;
    const known = this.cache.get(entry.hash);
    if (known) return known;
    const block = yield* this.#decode(this.blocks.read(entry.position), entry);
    this.cache.set(block);
    return block;
  }

  *#decode(raw: Uint8Array, entry: BlockIndexEntry): Steps<Block> {
    try {
      const r = new ByteReader(raw);
      const block = yield* readLongBlock(r, this.params.txFormat);
      if (r.remaining > 0) throw new DecodeError(`excess ${r.remaining} bytes`);
      if (!equalBytes(block.hash, entry.hash)) throw new DecodeError('another hash');
      if (this.#mustVerify(entry)) checkCommitments(block, entry.height, this.params, yield* blockRoots(block));
      this.#verified.add(entry);
      return block;
    } catch (error) {
      throw damageIn(entry, error);
    }
  }

  /**
   * A transaction of a stored block, read without the rest of the block. Its witness is not verified.
   * @returns undefined if the transaction is not at that place
   */
  transaction(entry: BlockIndexEntry, { txid, position, span }: TransactionPlace): Transaction | undefined {
    const cached = this.cache.get(entry.hash);
    if (cached) return cached.transactions[position];
    const at = entry.position;
    // A damaged row must not make it read more than the block.
    const isInside = at && span && span.offset + span.size <= at.size;
    const bytes = isInside ? this.blocks.readPart(at, span.offset, span.size) : undefined;
    const tx = bytes && this.#decodeTransaction(bytes);
    return tx && equalBytes(tx.txid, txid) ? tx : undefined;
  }

  #decodeTransaction(bytes: Uint8Array): Transaction | undefined {
    try {
      return decode(transaction(this.params.txFormat), bytes);
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  /** Caches a block that was just checked and stored, and will soon be connected. */
  hold(block: Block, entry: BlockIndexEntry): void {
    this.cache.hold(block);
    this.#verified.add(entry);
  }

  /** Drops what is known of a block whose bytes are dropped. */
  forget(entry: BlockIndexEntry): void {
    this.#verified.delete(entry);
    this.cache.delete(entry.hash);
  }

  #checkHash(raw: Uint8Array, entry: BlockIndexEntry): void {
    try {
      if (!equalBytes(blockHash(blockHeader.read(new ByteReader(raw))), entry.hash)) throw new DecodeError('another hash');
    } catch (error) {
      throw damageIn(entry, error);
    }
  }
}

/** The error of a read of a stored block, as {StoreDamaged} if it means damaged bytes. */
function damageIn({ hash, height }: BlockIndexEntry, error: unknown): unknown {
  const isDamage = error instanceof DecodeError || (error instanceof BlockInvalid && error.kind === 'mutated');
  if (!isDamage) return error;
  const what = `the stored block ${formatHash(hash)} at height ${height} is damaged (${error.message})`;
  return new StoreDamaged(`${what}; start with -reindex to build the database again`, { cause: error });
}
