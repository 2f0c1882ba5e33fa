import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { DecodedBlock } from '../../chain/stored-blocks.js';
import { BlockInvalid } from '../../consensus/errors.js';
import type { Mempool } from '../../mempool/mempool.js';
import { type Block, block as blockCodec } from '../../primitives/block.js';
import { encode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { blockHash } from '../../primitives/header.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { Logger } from '../../util/logger.js';
import { Lru } from '../../util/lru.js';
import { inSlices, type Steps, withValue } from '../../util/slicer.js';
import { punish } from '../net/misbehaviour/invalid-data.js';
import { SCORES } from '../net/misbehaviour/scores.js';
import { type BlockTransactions, decodeTransactions } from '../wire/blocktxn.js';
import type { CompactBlock } from '../wire/cmpctblock.js';
import type { SendCompact } from '../wire/sendcmpct.js';
import { type CompactFailure, type CompactVersion, compactBlockOf, PartialBlock } from './compact.js';
import { type BlockDownloads, MAX_REQUESTS_PER_PEER } from './download.js';
import type { HeadersSync } from './headers-sync.js';
import { whileProcessing } from './sliced-message.js';
import type { RequestedBlock, SyncPeer } from './sync-peer.js';

/** Blocks further above the tip are fetched in full, because the mempool lacks their transactions. */
const MAX_HEIGHT_AHEAD = 2;
/** Most peers that are asked to send new blocks without announcement (BIP152 high bandwidth). */
const MAX_ANNOUNCING_PEERS = 3;
const RECENT_BLOCKS = 4;

export type CompactChain = Pick<Chain, 'params' | 'tip' | 'entry' | 'block' | 'acceptHeader' | 'isInitialDownload' | 'bestHeader'>;

export interface CompactRelayDeps {
  readonly chain: CompactChain;
  readonly mempool: Pick<Mempool, 'pool'>;
  readonly downloads: BlockDownloads;
  readonly headers: HeadersSync;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Random number for the key of the short ids. */
  readonly nonce: () => bigint;
  /** This node processes witness data. */
  readonly ownWitness: boolean;
  /** Returns true if the tip is recent enough that unrequested compact blocks are processed. */
  readonly isNearTip: () => boolean;
  /** Transactions outside the mempool that a block may contain: rejected, replaced, or orphans. */
  readonly extra: () => Iterable<Transaction>;
  /** Passes a complete block to the chain. @param keepsRequest the block is requested from another peer, until it is stored */
  readonly deliver: (peer: SyncPeer, block: DecodedBlock, keepsRequest: boolean) => void;
  /** Requests a full block from a peer. */
  readonly fetch: (peer: SyncPeer, hash: Hash256) => void;
  /** Aborted by the stop of the node. */
  readonly signal: AbortSignal;
}

/** Sends and receives compact blocks (BIP152). */
export class CompactRelay {
  readonly #deps: CompactRelayDeps;
  /** Peers asked to send new blocks without announcement, the latest last. */
  readonly #announcing: SyncPeer[] = [];
  readonly #built = new Lru<string, CompactBlock>(RECENT_BLOCKS);

  constructor(deps: CompactRelayDeps) {
    this.#deps = deps;
  }

  /** Processes `sendcmpct`. The peer is sent the version that it offered first. */
  processOffer(peer: SyncPeer, { announce, version }: SendCompact): void {
    if (version !== 1n && version !== BigInt(this.#version)) return;
    const offered: CompactVersion = version === 2n ? 2 : 1;
    peer.compactVersion ??= offered;
    if (peer.compactVersion === offered) peer.wantsCompact = announce;
    peer.sendsCompact ||= offered === this.#version;
  }

  send(peer: SyncPeer, entry: BlockIndexEntry): void {
    const payload = this.#compactOf(entry, peer.compactVersion ?? 1);
    if (payload) peer.peer.send({ command: 'cmpctblock', payload });
  }

  #compactOf(entry: BlockIndexEntry, version: CompactVersion): CompactBlock | undefined {
    const { chain, nonce } = this.#deps;
    const key = `${entry.height}/${Buffer.from(entry.hash).toString('hex')}/${version}`;
    const known = this.#built.get(key);
    if (known) return known;
    const block = chain.block(entry);
    const built = block && compactBlockOf(block, nonce(), version, chain.params.txFormat);
    if (built) this.#built.set(key, built);
    return built;
  }

  /**
   * Asks a peer that was first with a new block to send the next ones without announcement. Of more than three such peers, the least
   * recently preferred one is asked to stop.
   */
  prefer(peer: SyncPeer): void {
    if (!peer.sendsCompact || peer.compactVersion === undefined || peer.peer.disconnected) return;
    const at = this.#announcing.indexOf(peer);
    const version = BigInt(this.#version);
    if (at >= 0) this.#announcing.splice(at, 1);
    else {
      const dropped = this.#announcing.length >= MAX_ANNOUNCING_PEERS ? this.#announcing.shift() : undefined;
      dropped?.peer.send({ command: 'sendcmpct', payload: { announce: false, version } });
      peer.peer.send({ command: 'sendcmpct', payload: { announce: true, version } });
    }
    this.#announcing.push(peer);
  }

  forget(peer: SyncPeer): void {
    const at = this.#announcing.indexOf(peer);
    if (at >= 0) this.#announcing.splice(at, 1);
  }

  process(peer: SyncPeer, compact: CompactBlock): void {
    const { chain, headers, downloads } = this.#deps;
    const { header } = compact;
    if (!chain.entry(header.prevHash)) {
      if (!chain.isInitialDownload()) headers.request(peer, chain.bestHeader);
      return;
    }
    const isNews = !chain.entry(blockHash(header));
    const entry = this.#acceptHeader(peer, compact);
    if (!entry) return;
    peer.hasBlock(entry.hash, chain);
    if (isNews && entry.chainWork > chain.tip.chainWork) peer.lastAnnouncementMs = this.#deps.nowMs();
    const request = downloads.request(entry.hash);
    if (entry.hasData) return;
    if (entry.chainWork <= chain.tip.chainWork || entry.nTx > 0) {
      // The block was requested, but the mempool is unlikely to hold its transactions.
      if (request) this.#deps.fetch(peer, entry.hash);
      return;
    }
    if (!request && !this.#deps.isNearTip()) return;
    if (entry.height >= chain.params.buried.segwit && !peer.sendsCompact) return;
    if (entry.height <= chain.tip.height + MAX_HEIGHT_AHEAD) this.#begin(peer, entry, compact, request);
    else if (request) this.#deps.fetch(peer, entry.hash);
    else headers.process(peer, [header], { compact: true });
  }

  #acceptHeader(peer: SyncPeer, { header }: CompactBlock): BlockIndexEntry | undefined {
    try {
      return this.#deps.chain.acceptHeader(header, peer.peer.id);
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      punish(peer.peer, error, { compact: true, log: this.#deps.log, hash: blockHash(header) });
      return undefined;
    }
  }

  #begin(peer: SyncPeer, entry: BlockIndexEntry, compact: CompactBlock, request: RequestedBlock | undefined): void {
    const { downloads, nowMs } = this.#deps;
    const mayRequest = request ? request.peer === peer : peer.requested.size < MAX_REQUESTS_PER_PEER;
    if (!mayRequest) {
      this.#tryWithoutRequest(peer, compact);
      return;
    }
    const own = downloads.add(peer, entry.hash, nowMs());
    if (own.partial) return;
    this.#run(peer, PartialBlock.begin(compact, this.#versionFrom(peer), this.#known()), (partial) => this.#begun(peer, own, partial));
  }

  #begun(peer: SyncPeer, own: RequestedBlock, partial: PartialBlock | CompactFailure): void {
    const { downloads, nowMs } = this.#deps;
    // The block may have arrived from another peer in the meantime.
    if (downloads.request(own.hash) !== own) return;
    if (partial === 'invalid') {
      downloads.delete(own.hash, nowMs());
      peer.peer.misbehave(SCORES.invalidCompactBlock, 'invalid compact block');
    } else if (partial === 'failed') {
      this.#deps.fetch(peer, own.hash);
    } else {
      own.partial = partial;
      const missing = partial.missing();
      if (missing.length === 0) this.#complete(peer, own, partial);
      else peer.peer.send({ command: 'getblocktxn', payload: { blockHash: own.hash, indexes: missing } });
    }
  }

  /** Tries to reconstruct a block that is requested from another peer; nothing more is requested from this one. */
  #tryWithoutRequest(peer: SyncPeer, compact: CompactBlock): void {
    this.#run(peer, wholeBlock(PartialBlock.begin(compact, this.#versionFrom(peer), this.#known())), (block) => {
      // The request to the other peer is kept until the block is stored: this one may be mutated.
      if (block) this.#deliver(peer, block, true);
    });
  }

  /** Processes `blocktxn`: the transactions that were missing. */
  processTransactions(peer: SyncPeer, message: BlockTransactions): void {
    const request = this.#deps.downloads.request(message.blockHash);
    if (!request?.partial || request.peer !== peer) {
      this.#deps.log.debug('unrequested blocktxn', { peer: peer.peer.id });
      return;
    }
    // The transactions are decoded only now: an unrequested message is not worth it.
    this.#complete(peer, request, request.partial, decodeTransactions(message.raw, this.#deps.chain.params.txFormat));
  }

  /** @param missing the transactions that were missing, if any */
  #complete(peer: SyncPeer, request: RequestedBlock, partial: PartialBlock, missing?: Steps<readonly Transaction[]>): void {
    const { downloads, nowMs } = this.#deps;
    const { hash } = request;
    this.#run(peer, completed(partial, missing), (block) => {
      if (downloads.request(hash) !== request) return;
      if (block === 'invalid') {
        downloads.delete(hash, nowMs());
        peer.peer.misbehave(SCORES.invalidCompactBlock, 'invalid compact block/non-matching block transactions');
      } else if (block === 'failed') {
        this.#deps.fetch(peer, hash);
      } else this.#deliver(peer, block, false);
    });
  }

  #deliver(peer: SyncPeer, block: Block, keepsRequest: boolean): void {
    this.#deps.deliver(peer, { block, raw: encode(blockCodec(this.#deps.chain.params.txFormat), block) }, keepsRequest);
  }

  /** Runs the steps of a message in slices, at once if they are few. */
  #run<T>(peer: SyncPeer, steps: Steps<T>, next: (value: T) => void): void {
    const { log, signal } = this.#deps;
    const work = withValue(inSlices(steps, signal), (value) => {
      if (!peer.peer.disconnected) next(value);
    });
    if (work instanceof Promise) void whileProcessing(peer, work, { command: 'blocktxn', name: 'compact block', log, signal });
  }

  /** Version that this node wants. */
  get #version(): CompactVersion {
    return this.#deps.ownWitness ? 2 : 1;
  }

  /** Version of the short ids in the peer's compact blocks. */
  #versionFrom(peer: SyncPeer): CompactVersion {
    return peer.sendsCompact ? this.#version : 1;
  }

  *#known(): Iterable<Transaction> {
    for (const { tx } of this.#deps.mempool.pool.entries()) yield tx;
    yield* this.#deps.extra();
  }
}

/** The block, if all of its transactions are known. */
function* wholeBlock(begin: Steps<PartialBlock | CompactFailure>): Steps<Block | undefined> {
  const partial = yield* begin;
  if (!(partial instanceof PartialBlock) || partial.missing().length > 0) return undefined;
  const block = yield* partial.complete([]);
  return typeof block === 'string' ? undefined : block;
}

function* completed(partial: PartialBlock, missing: Steps<readonly Transaction[]> | undefined): Steps<Block | CompactFailure> {
  return yield* partial.complete(missing ? yield* missing : []);
}
