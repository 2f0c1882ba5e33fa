import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { DecodedBlock } from '../../chain/stored-blocks.js';
import type { BlockInvalid } from '../../consensus/errors.js';
import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import type { Logger } from '../../util/logger.js';
import { Lru } from '../../util/lru.js';
import { Slicer } from '../../util/slicer.js';
import { punish } from '../net/misbehaviour/invalid-data.js';
import { SCORES } from '../net/misbehaviour/scores.js';
import { rejectBlock } from '../net/rejection.js';
import type { BlockBytes } from '../wire/block.js';
import type { BlockDownloads } from './download.js';
import type { HeadersSync } from './headers-sync.js';
import { OrphanBlocks } from './orphan-blocks.js';
import { whileProcessing } from './sliced-message.js';
import type { SyncPeer } from './sync-peer.js';

const MAX_SOURCES = 4_096;
/** Size of a block, bytes, above which it is decoded in slices, which lets other threads verify its scripts meanwhile. */
const LARGE_BLOCK = 100_000;
/** The same for a block that is already decoded, and is decoded again in slices. Few blocks are as large. */
const LARGE_DECODED_BLOCK = 2_000_000;
/** Most bytes of unrequested blocks from one peer that cannot be connected yet. Honest nodes send none. */
const MAX_UNREQUESTED_BYTES = 16_000_000;

interface Source {
  readonly peer: SyncPeer;
  readonly compact: boolean;
}

/** A complete block from a peer. */
export interface Delivery {
  readonly hash: Hash256;
  readonly bytes: Uint8Array;
  readonly requested: boolean;
  /** The block was reconstructed from a compact block. */
  readonly compact: boolean;
  /** The block, if it is decoded already. */
  readonly decoded?: DecodedBlock | undefined;
}

interface LargeBlockOptions extends Pick<Delivery, 'requested' | 'compact'> {
  /** A request to another peer counts until the block is stored. */
  readonly keepsRequest: boolean;
}

export interface BlockIntakeDeps {
  readonly chain: Pick<
    Chain,
    'processBlock' | 'decodeBlock' | 'advance' | 'on' | 'entry' | 'bestHeader' | 'heldHeight' | 'isInitialDownload'
  >;
  readonly downloads: BlockDownloads;
  readonly headers: HeadersSync;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Runs a task in another turn of the event loop. */
  readonly later: (task: () => void) => void;
  /** Called for the first peer that delivered a new valid block. */
  readonly onFirst: (peer: SyncPeer) => void;
}

/** Passes blocks of peers to the chain, and the chain's verdicts to their senders. */
export class BlockIntake {
  readonly #deps: BlockIntakeDeps;
  readonly #orphans = new OrphanBlocks();
  /** Senders of blocks without a verdict, by block hash in hex. */
  readonly #sources = new Lru<string, Source>(MAX_SOURCES);
  /** Releases of the senders that wait until all stored blocks are connected. */
  readonly #releases: (() => void)[] = [];
  /** Releases of the senders that wait for one block, by its hash in hex. */
  readonly #waiting = new Map<string, () => void>();

  constructor(deps: BlockIntakeDeps) {
    this.#deps = deps;
  }

  /** Subscribes to the verdicts of the chain. @returns a function that ends the subscription */
  start(): () => void {
    return this.#deps.chain.on('checked', ({ hash, error }) => this.#checked(hash, error));
  }

  /** True while stored blocks wait to be connected. */
  get busy(): boolean {
    return this.#releases.length + this.#waiting.size > 0;
  }

  get orphans(): number {
    return this.#orphans.size;
  }

  forget(peer: SyncPeer): void {
    this.#orphans.deleteFrom(peer);
  }

  process(peer: SyncPeer, block: BlockBytes): void {
    const { downloads, nowMs } = this.#deps;
    const requested = downloads.request(block.hash) !== undefined;
    if (!requested && peer.unrequestedBytes > MAX_UNREQUESTED_BYTES) {
      peer.peer.misbehave(SCORES.unrequestedBlock, 'too many unrequested blocks');
      return;
    }
    if (block.raw.length > LARGE_BLOCK) {
      this.#processLarge(peer, block, { requested, compact: false, keepsRequest: false });
      return;
    }
    downloads.delete(block.hash, nowMs());
    this.#processed(peer, block, this.deliver(peer, { hash: block.hash, bytes: block.raw, requested, compact: false }));
  }

  /** Processes a block that was reconstructed from a compact block. @param keepsRequest a request to another peer counts until it is stored */
  processReconstructed(peer: SyncPeer, decoded: DecodedBlock, keepsRequest: boolean): void {
    const { downloads, nowMs } = this.#deps;
    const { header, hash } = decoded.block;
    const { raw } = decoded;
    if (raw.length > LARGE_DECODED_BLOCK) {
      // The block is decoded again, because decoding also computes its roots in slices.
      this.#processLarge(peer, { header, hash, raw }, { requested: true, compact: true, keepsRequest });
      return;
    }
    if (!keepsRequest) downloads.delete(hash, nowMs());
    this.deliver(peer, { hash, bytes: raw, requested: true, compact: true, decoded });
  }

  #processLarge(peer: SyncPeer, block: BlockBytes, options: LargeBlockOptions): void {
    const work = this.#decodeLarge(peer, block, options);
    void whileProcessing(peer, work, { command: 'block', name: 'large block', log: this.#deps.log });
  }

  /** Decodes a large block in slices. Its request counts until then. @throws {DecodeError} */
  async #decodeLarge(peer: SyncPeer, block: BlockBytes, { requested, compact, keepsRequest }: LargeBlockOptions): Promise<void> {
    const { chain, downloads, nowMs } = this.#deps;
    const endRequest = () => keepsRequest || downloads.delete(block.hash, nowMs());
    try {
      const decoded = await new Slicer().run(chain.decodeBlock(block.raw, requested));
      if (peer.peer.disconnected) return;
      endRequest();
      this.#processed(peer, block, this.deliver(peer, { hash: block.hash, bytes: block.raw, requested, compact, decoded }));
    } catch (error) {
      endRequest();
      throw error;
    }
  }

  #processed(peer: SyncPeer, block: BlockBytes, error: BlockInvalid | undefined): void {
    if (error?.kind !== 'missing-parent' || peer.peer.disconnected) return;
    this.#orphans.add(block, peer);
    this.#deps.headers.request(peer, this.#deps.chain.bestHeader);
  }

  /** @returns the error, if the block is found invalid before it is stored */
  deliver(peer: SyncPeer, { hash, bytes, requested, compact, decoded }: Delivery): BlockInvalid | undefined {
    const { chain, downloads, nowMs, later } = this.#deps;
    const key = toHex(hash);
    this.#sources.set(key, { peer, compact });
    const receipt = chain.processBlock(bytes, { requested, from: peer.peer.id }, decoded);
    if (receipt.status === 'invalid') return receipt.error;
    // Only now, because a mutated block with the same hash must not end the request.
    downloads.delete(hash, nowMs());
    if (receipt.status === 'stored') {
      // A block that can be connected is not counted: its verdict follows at once.
      if (!requested && receipt.entry.chainTx === 0) peer.unrequestedBytes += bytes.length;
      peer.peer.lastBlockMs = nowMs();
      if (receipt.pending) this.#advanceLater(peer, receipt.entry);
      if (this.#orphans.size > 0) later(() => this.adoptOrphans());
    } else this.#sources.delete(key);
    return undefined;
  }

  /** Processes orphan blocks whose parents have become known. */
  adoptOrphans(): void {
    const { chain } = this.#deps;
    for (const { block, peer } of this.#orphans.removeConnectable((hash) => chain.entry(hash) !== undefined)) this.process(peer, block);
  }

  /**
   * Connects stored blocks in slices: the given one, and those above it that arrived before. The next message of the sender is processed after
   * them, because a peer that sends a ping after a block expects the block to be connected when it receives the pong; but the next block may
   * be decoded meanwhile.
   */
  #advanceLater(sender: SyncPeer, { hash, height }: BlockIndexEntry): void {
    const isRunning = this.busy;
    const { peer } = sender;
    if (this.#deps.chain.heldHeight > height) this.#releases.push(this.#pending(sender, peer.hold()));
    else this.#waiting.set(toHex(hash), this.#pending(sender, peer.holdForBlock()));
    if (!isRunning) this.#deps.later(() => this.#advance());
  }

  /** Stops the timeouts of a peer until it is released. @returns the release */
  #pending(sender: SyncPeer, release: () => void): () => void {
    sender.pendingWork += 1;
    return () => {
      sender.pendingWork -= 1;
      this.#deps.downloads.restartTimeouts(sender, this.#deps.nowMs());
      release();
    };
  }

  #advance(): void {
    let more = false;
    try {
      more = this.#deps.chain.advance();
    } finally {
      if (!more) {
        for (const release of this.#releases.splice(0)) release();
        for (const key of this.#waiting.keys()) this.#release(key);
      }
    }
    if (more) this.#deps.later(() => this.#advance());
  }

  #release(key: string): void {
    this.#waiting.get(key)?.();
    this.#waiting.delete(key);
  }

  #checked(hash: Hash256, error: BlockInvalid | undefined): void {
    const key = toHex(hash);
    this.#release(key);
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
