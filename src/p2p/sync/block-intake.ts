import type { Chain } from '../../chain/chain.js';
import type { BlockInvalid } from '../../consensus/errors.js';
import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import type { Logger } from '../../util/logger.js';
import { Lru } from '../../util/lru.js';
import { punish } from '../net/misbehaviour/invalid-data.js';
import { SCORES } from '../net/misbehaviour/scores.js';
import { rejectBlock } from '../net/rejection.js';
import type { BlockBytes } from '../wire/block.js';
import type { BlockDownloads } from './download.js';
import type { HeadersSync } from './headers-sync.js';
import { OrphanBlocks } from './orphan-blocks.js';
import type { SyncPeer } from './sync-peer.js';

const MAX_SOURCES = 4_096;
/** Bytes of blocks that nobody asked for and that cannot be connected yet, of one peer: no node sends any on its own. */
const MAX_UNASKED_BYTES = 16_000_000;

interface Source {
  readonly peer: SyncPeer;
  readonly compact: boolean;
}

export interface Delivery {
  readonly hash: Hash256;
  readonly bytes: Uint8Array;
  readonly requested: boolean;
  /** It was put together from a compact block. */
  readonly compact: boolean;
}

export interface BlockIntakeDeps {
  readonly chain: Pick<Chain, 'processBlock' | 'advance' | 'on' | 'entry' | 'bestHeader' | 'isInitialDownload'>;
  readonly downloads: BlockDownloads;
  readonly headers: HeadersSync;
  readonly log: Logger;
  readonly peers: ReadonlyMap<number, SyncPeer>;
  readonly nowMs: () => number;
  readonly later: (task: () => void) => void;
  /** Called for the peer that was first with a block that is valid. */
  readonly onFirst: (peer: SyncPeer) => void;
}

/** Hands blocks of peers to the chain, and the chain's verdicts to those who sent them. */
export class BlockIntake {
  readonly #deps: BlockIntakeDeps;
  readonly #orphans = new OrphanBlocks();
  /** Who sent blocks that have no verdict yet. */
  readonly #sources = new Lru<string, Source>(MAX_SOURCES);
  /** What lets peers go on whose blocks made more to connect than there was time for. */
  readonly #held: (() => void)[] = [];

  constructor(deps: BlockIntakeDeps) {
    this.#deps = deps;
  }

  /** Begins to listen to the chain. @returns a function that ends it */
  start(): () => void {
    return this.#deps.chain.on('checked', ({ hash, error }) => this.#checked(hash, error));
  }

  /** Stored blocks wait to be connected. */
  get busy(): boolean {
    return this.#held.length > 0;
  }

  get orphans(): number {
    return this.#orphans.size;
  }

  forget({ peer }: SyncPeer): void {
    this.#orphans.deleteFrom(peer.id);
  }

  take(peer: SyncPeer, block: BlockBytes): void {
    const { downloads, nowMs } = this.#deps;
    const requested = downloads.delete(block.hash, nowMs()) !== undefined;
    if (!requested && peer.unaskedBytes > MAX_UNASKED_BYTES) {
      peer.peer.misbehave(SCORES.unaskedBlock, 'too many blocks that nobody asked for');
      return;
    }
    const error = this.deliver(peer, { hash: block.hash, bytes: block.raw, requested, compact: false });
    if (error?.kind !== 'missing-parent' || peer.peer.disconnected) return;
    this.#orphans.add(block, peer.peer.id);
    this.#deps.headers.request(peer, this.#deps.chain.bestHeader);
  }

  /** @returns why the block is invalid, if that is known at once */
  deliver(peer: SyncPeer, { hash, bytes, requested, compact }: Delivery): BlockInvalid | undefined {
    const { chain, downloads, nowMs, later } = this.#deps;
    const key = toHex(hash);
    this.#sources.set(key, { peer, compact });
    const receipt = chain.processBlock(bytes, { requested, from: peer.peer.id });
    if (receipt.status === 'invalid') return receipt.error;
    // Not before: a mutated form of it must not end the request of the right one.
    downloads.delete(hash, nowMs());
    if (receipt.status === 'stored') {
      // A block that can be connected gets its verdict at once.
      if (!requested && receipt.entry.chainTx === 0) peer.unaskedBytes += bytes.length;
      peer.peer.lastBlockMs = nowMs();
      if (receipt.pending) this.#advanceLater(peer);
      if (this.#orphans.size > 0) later(() => this.adoptOrphans());
    } else this.#sources.delete(key);
    return undefined;
  }

  /** Takes blocks whose parents are known by now. */
  adoptOrphans(): void {
    const { chain, peers } = this.#deps;
    for (const { block, peer: id } of this.#orphans.take((hash) => chain.entry(hash) !== undefined)) {
      const peer = peers.get(id);
      if (peer) this.take(peer, block);
    }
  }

  /**
   * What waited for a missing block is connected in slices. Whoever sent that block is answered after them: a peer that hears the pong
   * of a ping behind a block takes the block for connected.
   */
  #advanceLater({ peer }: SyncPeer): void {
    this.#held.push(peer.hold());
    if (this.#held.length === 1) this.#deps.later(() => this.#advance());
  }

  #advance(): void {
    let more = false;
    try {
      more = this.#deps.chain.advance();
    } finally {
      if (!more) for (const release of this.#held.splice(0)) release();
    }
    if (more) this.#deps.later(() => this.#advance());
  }

  #checked(hash: Hash256, error: BlockInvalid | undefined): void {
    const key = toHex(hash);
    const source = this.#sources.get(key);
    if (!source) return;
    this.#sources.delete(key);
    const { downloads, chain, log, onFirst } = this.#deps;
    if (error) {
      source.peer.peer.reject(rejectBlock(hash, error));
      punish(source.peer.peer, error, { compact: source.compact, log, hash });
      return;
    }
    const others = downloads.size - (downloads.request(hash) ? 1 : 0);
    if (others === 0 && !chain.isInitialDownload()) onFirst(source.peer);
  }
}
