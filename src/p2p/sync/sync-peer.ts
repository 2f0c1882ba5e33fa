import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { hasServices, Service, servesBlocks } from '../addresses/services.js';
import type { Peer } from '../net/peer.js';
import type { CompactVersion, PartialBlock } from './compact.js';

/** A block that was asked of a peer and has not come. */
export interface RequestedBlock {
  readonly hash: Hash256;
  readonly peer: SyncPeer;
  /** What came of it by a compact block. */
  partial?: PartialBlock;
}

/** What is known about the blocks of one peer. */
export class SyncPeer {
  readonly peer: Peer;
  /** We chose it, or the operator vouches for it: blocks are fetched from such peers first. */
  readonly preferred: boolean;
  readonly servesBlocks: boolean;
  /** It keeps recent blocks only. */
  readonly limited: boolean;
  /** Blocks and transactions are asked of it with their witness data. */
  readonly hasWitness: boolean;

  /** The block with the most work that it is known to have. */
  best: BlockIndexEntry | undefined;
  /** Last block that it and the active chain share, as far as was looked at. */
  lastCommon: BlockIndexEntry | undefined;
  /** Best header that we sent it. */
  bestHeaderSent: BlockIndexEntry | undefined;
  #announcedUnknown: Hash256 | undefined;

  /** Messages of headers in a row that connect to nothing. */
  unconnectingHeaders = 0;
  /** We asked it for the headers that we lack. */
  syncStarted = false;
  headersDeadlineMs = Number.POSITIVE_INFINITY;
  /** When it last told us first of a block better than our tip; 0 for never. */
  lastAnnouncementMs = 0;

  /** Of stored blocks that it sent unasked and that could not be connected when they came. */
  unaskedBytes = 0;
  /** In the order in which they were asked for, by hash. */
  readonly requested = new Map<string, RequestedBlock>();
  /** Since when the first of them is waited for. */
  downloadingSinceMs = 0;
  /** Since when it alone keeps the download window from moving; 0 if it does not. */
  stallingSinceMs = 0;

  /** It wants headers instead of inventories (BIP130). */
  wantsHeaders = false;
  /** It offers compact blocks; undefined if it does not. The first version that it named is the one we send. */
  compactVersion: CompactVersion | undefined;
  /** It wants new blocks as compact blocks without asking. */
  wantsCompact = false;
  /** It can send us compact blocks of the version that we want. */
  sendsCompact = false;

  /** Blocks of the active chain to tell it of, rising. */
  readonly toAnnounce: BlockIndexEntry[] = [];
  /** Last block of a full answer to `getblocks`: once it asks for it, it wants to hear of the tip. */
  continueHash: Hash256 | undefined;
  /** Whether the node keeps it however long its chain lags; at most four of our choice are. */
  isProtected = false;
  /** Until when it has to show as much work as we had. */
  lag: { untilMs: number; readonly tip: BlockIndexEntry; asked: boolean } | undefined;

  /** @param ownWitness this node knows of witness data: without it, it could not tell what to do with such a block */
  constructor(peer: Peer, ownWitness: boolean) {
    const { services } = peer;
    this.peer = peer;
    this.servesBlocks = servesBlocks(services);
    this.limited = this.servesBlocks && !hasServices(services, Service.network);
    this.hasWitness = ownWitness && hasServices(services, Service.witness);
    this.preferred = (!peer.inbound || peer.permissions.has('noban')) && this.servesBlocks;
  }

  /** We opened the connection, and may end it for a better one. */
  get isOfOurChoice(): boolean {
    return this.peer.kind === 'outbound';
  }

  /** Notes that it has a block, known to us or not. */
  hasBlock(hash: Hash256, chain: Pick<Chain, 'entry'>): void {
    this.resolveAnnounced(chain);
    const entry = chain.entry(hash);
    if (!entry) this.#announcedUnknown = hash;
    else if (!this.best || entry.chainWork >= this.best.chainWork) this.best = entry;
  }

  /** Looks whether the block that it announced last is known by now. */
  resolveAnnounced(chain: Pick<Chain, 'entry'>): void {
    const entry = this.#announcedUnknown && chain.entry(this.#announcedUnknown);
    if (!entry) return;
    this.#announcedUnknown = undefined;
    if (!this.best || entry.chainWork >= this.best.chainWork) this.best = entry;
  }

  /** Whether it has a header, or was sent it. */
  knowsHeader(entry: BlockIndexEntry): boolean {
    return this.best?.ancestor(entry.height) === entry || this.bestHeaderSent?.ancestor(entry.height) === entry;
  }
}
