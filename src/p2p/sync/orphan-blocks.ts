import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import type { BlockBytes } from '../wire/block.js';
import type { SyncPeer } from './sync-peer.js';

const MAX_BLOCKS = 32;
const MAX_BYTES = 64_000_000;
const MAX_PER_PEER = 4;

export interface OrphanBlock {
  readonly block: BlockBytes;
  /** Sender. */
  readonly peer: SyncPeer;
}

/** Blocks that arrived before their parents' headers. Few and bounded, because nothing about them has been checked yet. */
export class OrphanBlocks {
  /** In order of arrival, by hash in hex. */
  readonly #blocks = new Map<string, OrphanBlock>();
  #bytes = 0;

  get size(): number {
    return this.#blocks.size;
  }

  add(block: BlockBytes, peer: SyncPeer): void {
    const key = toHex(block.hash);
    if (this.#blocks.has(key) || block.raw.length > MAX_BYTES) return;
    const ofPeer = [...this.#blocks].filter(([, orphan]) => orphan.peer === peer);
    const [oldestOfPeer] = ofPeer;
    if (ofPeer.length >= MAX_PER_PEER && oldestOfPeer) this.#remove(oldestOfPeer[0]);
    this.#blocks.set(key, { block, peer });
    this.#bytes += block.raw.length;
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_BLOCKS && this.#bytes <= MAX_BYTES) break;
      this.#remove(oldest);
    }
  }

  /** Removes and returns the blocks whose parents are known. */
  removeConnectable(isKnown: (hash: Hash256) => boolean): OrphanBlock[] {
    const ready: OrphanBlock[] = [];
    for (const [key, orphan] of [...this.#blocks]) {
      if (!isKnown(orphan.block.header.prevHash)) continue;
      this.#remove(key);
      ready.push(orphan);
    }
    return ready;
  }

  /** Deletes the blocks that a peer sent. */
  deleteFrom(peer: SyncPeer): void {
    for (const [key, orphan] of [...this.#blocks]) if (orphan.peer === peer) this.#remove(key);
  }

  #remove(key: string): void {
    const orphan = this.#blocks.get(key);
    if (!orphan) return;
    this.#bytes -= orphan.block.raw.length;
    this.#blocks.delete(key);
  }
}
