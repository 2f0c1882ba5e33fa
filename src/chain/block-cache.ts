import type { Block } from '../primitives/block.js';
import { toHex } from '../util/bytes.js';
import { Lru } from '../util/lru.js';

/** Estimated memory of the cached blocks, bytes. */
const MAX_BYTES = 16 * 2 ** 20;
/** Blocks that arrive while earlier ones are being connected stay cached whatever their size. */
const MAX_WAITING = 16;

interface CachedBlock {
  readonly block: Block;
  /** Estimated memory. */
  readonly bytes: number;
}

/** Decoded blocks: those that wait to be connected, and the most recently used. A block never changes. */
export class BlockCache {
  /** Numbers of lookups since the start that found their block, and that did not. */
  hits = 0;
  misses = 0;
  readonly #used = new Lru<string, CachedBlock>(Number.POSITIVE_INFINITY);
  readonly #waiting = new Map<string, CachedBlock>();
  #bytes = 0;

  constructor(readonly maxBytes = MAX_BYTES) {}

  /** Estimated memory, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(hash: Uint8Array): Block | undefined {
    const key = toHex(hash);
    const cached = this.#waiting.get(key) ?? this.#used.get(key);
    if (cached) this.hits += 1;
    else this.misses += 1;
    return cached?.block;
  }

  /** Keeps a block that was used. The last one is kept whatever its size. */
  set(block: Block): void {
    const key = toHex(block.hash);
    if (!this.#waiting.has(key)) this.#use(key, { block, bytes: memoryOf(block) });
  }

  #use(key: string, cached: CachedBlock): void {
    this.#remove(key);
    this.#used.set(key, cached);
    this.#bytes += cached.bytes;
    this.#evict();
  }

  /** Keeps a block until it is connected, or until too many came after it. */
  hold(block: Block): void {
    const key = toHex(block.hash);
    this.#remove(key);
    const bytes = memoryOf(block);
    this.#waiting.set(key, { block, bytes });
    this.#bytes += bytes;
    if (this.#waiting.size > MAX_WAITING) {
      for (const first of this.#waiting.values()) {
        this.release(first.block.hash);
        return;
      }
    }
    this.#evict();
  }

  /** A block that waited to be connected counts as recently used from now on. */
  release(hash: Uint8Array): void {
    const key = toHex(hash);
    const cached = this.#waiting.get(key);
    if (!cached) return;
    this.#remove(key);
    this.#use(key, cached);
  }

  delete(hash: Uint8Array): void {
    this.#remove(toHex(hash));
  }

  #evict(): void {
    while (this.#bytes > this.maxBytes && this.#used.size > 1) this.#bytes -= this.#used.deleteOldest()?.bytes ?? 0;
  }

  #remove(key: string): void {
    const cached = this.#waiting.get(key) ?? this.#used.get(key);
    if (!cached) return;
    if (!this.#waiting.delete(key)) this.#used.delete(key);
    this.#bytes -= cached.bytes;
  }
}

/** Factor from stored bytes to memory, and memory of the objects of a transaction: measured with the answers that handlers keep for a block. */
const BYTES_PER_BYTE = 4;
const BYTES_PER_TRANSACTION = 4096;

function memoryOf({ transactions }: Block): number {
  let size = 0;
  for (const { raw } of transactions) size += BYTES_PER_BYTE * raw.length + BYTES_PER_TRANSACTION;
  return size;
}
