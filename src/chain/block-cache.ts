import type { Block } from '../primitives/block.js';
import { toHex } from '../util/bytes.js';
import { Lru } from '../util/lru.js';

/** Estimated memory of the cached blocks, bytes. */
const MAX_BYTES = 16 * 2 ** 20;
/** Blocks that stay cached whatever their size: those that arrive while earlier ones are being connected. */
const LEAST_BLOCKS = 16;

/** Decoded blocks that were used last. A block never changes, so nothing but pruning and the bound removes one. */
export class BlockCache {
  /** Lookups since the start that found their block, and those that did not. */
  hits = 0;
  misses = 0;
  readonly #blocks = new Lru<string, Block>(Number.POSITIVE_INFINITY);
  #bytes = 0;

  constructor(readonly maxBytes = MAX_BYTES) {}

  /** Estimated memory, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(hash: Uint8Array): Block | undefined {
    const block = this.#blocks.get(toHex(hash));
    if (block) this.hits += 1;
    else this.misses += 1;
    return block;
  }

  set(block: Block): void {
    this.delete(block.hash);
    this.#blocks.set(toHex(block.hash), block);
    this.#bytes += memoryOf(block);
    while (this.#bytes > this.maxBytes && this.#blocks.size > LEAST_BLOCKS) {
      for (const oldest of this.#blocks.values()) {
        this.delete(oldest.hash);
        break;
      }
    }
  }

  delete(hash: Uint8Array): void {
    const key = toHex(hash);
    const block = this.#blocks.get(key);
    if (!block) return;
    this.#blocks.delete(key);
    this.#bytes -= memoryOf(block);
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
