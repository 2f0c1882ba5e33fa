import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import type { BlockBytes } from '../wire/block.js';

const MAX_BLOCKS = 32;
const MAX_BYTES = 64_000_000;
const MAX_PER_PEER = 4;

export interface OrphanBlock {
  readonly block: BlockBytes;
  /** Id of the peer that sent it. */
  readonly peer: number;
}

/** Blocks that came before the headers below them were known. Few and bounded: nothing about them is proven yet. */
export class OrphanBlocks {
  /** In the order of arrival. */
  readonly #blocks = new Map<string, OrphanBlock>();
  #bytes = 0;

  get size(): number {
    return this.#blocks.size;
  }

  add(block: BlockBytes, peer: number): void {
    const key = toHex(block.hash);
    if (this.#blocks.has(key) || block.raw.length > MAX_BYTES) return;
    const own = [...this.#blocks].filter(([, kept]) => kept.peer === peer);
    const [oldestOwn] = own;
    if (own.length >= MAX_PER_PEER && oldestOwn) this.#remove(oldestOwn[0]);
    this.#blocks.set(key, { block, peer });
    this.#bytes += block.raw.length;
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_BLOCKS && this.#bytes <= MAX_BYTES) break;
      this.#remove(oldest);
    }
  }

  /** Takes out those whose parents are known now. */
  take(isKnown: (hash: Hash256) => boolean): OrphanBlock[] {
    const ready: OrphanBlock[] = [];
    for (const [key, orphan] of [...this.#blocks]) {
      if (!isKnown(orphan.block.header.prevHash)) continue;
      this.#remove(key);
      ready.push(orphan);
    }
    return ready;
  }

  /** Forgets what a peer sent that has left. */
  deleteFrom(peer: number): void {
    for (const [key, orphan] of [...this.#blocks]) if (orphan.peer === peer) this.#remove(key);
  }

  #remove(key: string): void {
    const orphan = this.#blocks.get(key);
    if (!orphan) return;
    this.#bytes -= orphan.block.raw.length;
    this.#blocks.delete(key);
  }
}
