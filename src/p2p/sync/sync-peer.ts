import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { hasServices, Service, servesBlocks } from '../addresses/services.js';
import type { Peer } from '../net/peer.js';
import type { CompactVersion, PartialBlock } from './compact.js';

/** A block that was requested from a peer and has not arrived. */
export interface RequestedBlock {
  readonly hash: Hash256;
  readonly peer: SyncPeer;
  /** Height of a block that is missing because the database began with a snapshot; undefined for others. */
  readonly historical: number | undefined;
  /** The block under reconstruction, if the peer sent a compact block. */
  partial?: PartialBlock;
}

/** State of headers and blocks with one peer. */
export class SyncPeer {
  readonly peer: Peer;
  /** The peer is not inbound, or has the permission `noban`: blocks are fetched from such peers first. */
  readonly preferred: boolean;
  readonly servesBlocks: boolean;
  /** The peer serves recent blocks only (BIP159). */
  readonly limited: boolean;
  /** Blocks and transactions are requested from the peer with witness data. */
  readonly hasWitness: boolean;

  /** Block with the most work that the peer is known to have. */
  best: BlockIndexEntry | undefined;
  /** Last known block that the peer's best chain and our stored blocks have in common. */
  lastCommon: BlockIndexEntry | undefined;
  /** Best header that was sent to the peer. */
  bestHeaderSent: BlockIndexEntry | undefined;
  #announcedUnknown: Hash256 | undefined;

  /** Consecutive `headers` messages that do not connect to a known header. */
  unconnectingHeaders = 0;
  /** Initial headers were requested from the peer. */
  syncStarted = false;
  headersDeadlineMs = Number.POSITIVE_INFINITY;
  /** True if no more headers of the peer are requested until blocks for the known ones have followed. */
  headersPaused = false;
  /** Best block of the peer when it was last asked for headers in a pause. */
  askedAt: BlockIndexEntry | undefined;
  /** Time when the peer was last the first to announce a block with more work than the tip; 0 for never. */
  lastAnnouncementMs = 0;

  /**
   * Number of large messages of the peer that are being decoded, and of its blocks that wait to be connected. Meanwhile this node, not the
   * peer, is slow.
   */
  pendingWork = 0;
  /** Bytes of stored blocks that the peer sent without a request and that could not be connected on arrival. */
  unrequestedBytes = 0;
  /** Blocks requested from the peer, by hash in hex, in order of the requests. */
  readonly requested = new Map<string, RequestedBlock>();
  /** Time since when the first of them is awaited, ms of the monotonic clock. */
  downloadingSinceMs = 0;
  /** Time since when this peer alone stalls the download window; 0 if it does not. */
  stallingSinceMs = 0;

  /** The peer wants new blocks announced by `headers` (BIP130). */
  wantsHeaders = false;
  /** Version of the compact blocks to send: the first that the peer offered; undefined if it offered none. */
  compactVersion: CompactVersion | undefined;
  /** The peer wants new blocks sent as compact blocks without announcement (BIP152 high bandwidth). */
  wantsCompact = false;
  /** The peer can send compact blocks of the version that this node wants. */
  sendsCompact = false;

  /** Blocks of the active chain to announce to the peer, ascending. */
  readonly toAnnounce: BlockIndexEntry[] = [];
  /** Last block of a full answer to `getblocks`. When the peer requests it, the tip is announced so that it continues. */
  continueHash: Hash256 | undefined;
  /** The peer is not disconnected however far its chain lags. At most four outbound peers are protected. */
  isProtected = false;
  /** Deadline for a peer with less work than our tip: by `untilMs` it has to show the work of `tip`. */
  lag: { untilMs: number; readonly tip: BlockIndexEntry; headersRequested: boolean } | undefined;

  /** @param ownWitness this node processes witness data; without it, blocks are requested without */
  constructor(peer: Peer, ownWitness: boolean) {
    const { services } = peer;
    this.peer = peer;
    this.servesBlocks = servesBlocks(services);
    this.limited = this.servesBlocks && !hasServices(services, Service.network);
    this.hasWitness = ownWitness && hasServices(services, Service.witness);
    this.preferred = (!peer.inbound || peer.permissions.has('noban')) && this.servesBlocks;
  }

  /** The node chose the peer itself, and may replace it by a better one. */
  get isOutbound(): boolean {
    return this.peer.kind === 'outbound';
  }

  /** Notes that the peer has a block, even one whose header is unknown here. */
  hasBlock(hash: Hash256, chain: Pick<Chain, 'entry'>): void {
    this.resolveAnnounced(chain);
    const entry = chain.entry(hash);
    if (!entry) this.#announcedUnknown = hash;
    else if (!this.best || entry.chainWork >= this.best.chainWork) this.best = entry;
  }

  /** Updates `best` if the header of the peer's last announced block has become known. */
  resolveAnnounced(chain: Pick<Chain, 'entry'>): void {
    const entry = this.#announcedUnknown && chain.entry(this.#announcedUnknown);
    if (!entry) return;
    this.#announcedUnknown = undefined;
    if (!this.best || entry.chainWork >= this.best.chainWork) this.best = entry;
  }

  /** Returns true if the peer has the header or was sent it. */
  knowsHeader(entry: BlockIndexEntry): boolean {
    return this.best?.ancestor(entry.height) === entry || this.bestHeaderSent?.ancestor(entry.height) === entry;
  }
}
