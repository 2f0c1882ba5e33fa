import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import { workOf } from '../../consensus/pos/target.js';
import { type Block, strippedBlock } from '../../primitives/block.js';
import type { Hash256 } from '../../primitives/hash.js';
import { buildPartialMerkleTree } from '../../primitives/partial-merkle.js';
import { hasWitness, type Transaction } from '../../primitives/transaction.js';
import { StoreDamaged } from '../../storage/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Logger } from '../../util/logger.js';
import { inSlices, type MaybePromise, type Steps, withValue } from '../../util/slicer.js';
import { SCORES } from '../net/misbehaviour/scores.js';
import { encodeTransactions } from '../wire/blocktxn.js';
import type { BlockTransactionsRequest } from '../wire/getblocktxn.js';
import { type InventoryItem, InvType } from '../wire/inventory.js';
import { LIMITS } from '../wire/limits.js';
import type { LocatorRequest } from '../wire/locator.js';
import { withoutWitness } from '../wire/tx.js';
import type { BloomFilter } from './bloom.js';
import { findFork } from './locator.js';
import { whileProcessing } from './sliced-message.js';
import type { SyncPeer } from './sync-peer.js';

const MAX_GETBLOCKS = 500;
/** Older blocks off the active chain are not served, because they would identify the node. */
const STALE_SEC = 30 * 86_400;
const HISTORICAL_SEC = 7 * 86_400;
/** Blocks below the tip that a pruning node must serve (BIP159), and two more for blocks that arrive after the peer's request. */
const LIMITED_DEPTH = 288;
const LIMITED_SLACK = 2;
const HOUR_SEC = 3600;
const MAX_COMPACT_DEPTH = 5;
const MAX_BLOCKTXN_DEPTH = 10;

export type ServedChain = Pick<
  Chain,
  'params' | 'tip' | 'bestHeader' | 'genesis' | 'entry' | 'next' | 'isActive' | 'header' | 'loadRaw' | 'loadBlock' | 'isInitialDownload'
>;

export interface BlockServerDeps {
  readonly chain: ServedChain;
  readonly log: Logger;
  /** Returns true if only recent blocks are served: others are pruned, or missing below a snapshot. */
  readonly pruned: () => boolean;
  /** Returns false if -maxuploadtarget leaves no room for old blocks. */
  readonly servesHistorical: () => boolean;
  readonly sendCompact: (peer: SyncPeer, entry: BlockIndexEntry) => void;
  /** Returns true if the tip is not older than twenty times the target spacing. */
  readonly isNearTip: () => boolean;
  /** Aborted by the stop of the node. */
  readonly signal: AbortSignal;
}

/** Answers requests for headers and blocks. */
export class BlockServer {
  readonly #deps: BlockServerDeps;

  constructor(deps: BlockServerDeps) {
    this.#deps = deps;
  }

  getHeaders(peer: SyncPeer, { locator, stop }: LocatorRequest): void {
    const { chain } = this.#deps;
    // During initial download the node does not know whether its chain is the best, and must not spread it.
    if (chain.isInitialDownload() && !peer.peer.permissions.has('noban')) return;
    const only = locator.length === 0 ? chain.entry(stop) : undefined;
    if (locator.length === 0 && (!only || !this.#mayServe(only))) return;
    let at = only ?? chain.next(findFork(chain, locator));
    const entries: BlockIndexEntry[] = [];
    while (at && entries.length < LIMITS.headers) {
      entries.push(at);
      if (equalBytes(at.hash, stop)) break;
      at = chain.next(at);
    }
    // After an empty answer the peer is known to have our tip, so that new blocks can be announced by headers again.
    peer.bestHeaderSent = entries.at(-1) ?? chain.tip;
    peer.peer.send({ command: 'headers', payload: entries.map((entry) => chain.header(entry)) });
  }

  getBlocks(peer: SyncPeer, { locator, stop }: LocatorRequest): void {
    const { chain } = this.#deps;
    const pruned = this.#deps.pruned();
    const keptBlocks = LIMITED_DEPTH - HOUR_SEC / chain.params.pos.targetSpacing;
    const found: InventoryItem[] = [];
    for (let at = chain.next(findFork(chain, locator)); at && !equalBytes(at.hash, stop); at = chain.next(at)) {
      if (pruned && (!at.hasData || at.height <= chain.tip.height - keptBlocks)) break;
      found.push({ type: InvType.block, hash: at.hash });
      if (found.length === MAX_GETBLOCKS) {
        peer.continueHash = at.hash;
        break;
      }
    }
    if (found.length > 0) peer.peer.send({ command: 'inv', payload: found });
  }

  /**
   * Sends one block in the requested form, if the peer may have it.
   * @param filter bloom filter that the peer loaded
   * @returns undefined, or a promise for a block that is sent in slices; it rejects if the node stops
   */
  getBlock(peer: SyncPeer, item: InventoryItem, filter?: BloomFilter): MaybePromise<void> {
    const { type, hash } = item;
    const entry = this.#deps.chain.entry(hash);
    // The limits come first: a peer that waits for a deleted block would stall.
    if (!entry || !this.#mayServe(entry) || !this.#isWithinLimits(peer, entry, type) || !entry.hasData) return;
    return inSlices(this.#answer(peer, item, entry, filter), this.#deps.signal);
  }

  *#answer(peer: SyncPeer, item: InventoryItem, entry: BlockIndexEntry, filter: BloomFilter | undefined): Steps<void> {
    if (yield* unlessDamaged(this.#sendAs(peer, entry, item.type, filter))) this.#continue(peer, item.hash);
    else peer.peer.send({ command: 'notfound', payload: [item] });
  }

  /** After the last block of an answer to `getblocks`, announces the tip: the peer then requests the next 500 blocks. */
  #continue(peer: SyncPeer, hash: Hash256): void {
    if (!peer.continueHash || !equalBytes(hash, peer.continueHash)) return;
    peer.continueHash = undefined;
    peer.peer.send({ command: 'inv', payload: [{ type: InvType.block, hash: this.#deps.chain.tip.hash }] });
  }

  *#sendAs(peer: SyncPeer, entry: BlockIndexEntry, type: number, filter: BloomFilter | undefined): Steps<void> {
    if (type === InvType.filteredBlock) {
      const block = yield* this.#deps.chain.loadBlock(entry);
      if (block) yield* this.#filtered(peer, block, filter);
    } else if (type === InvType.compactBlock) yield* this.#sendCompact(peer, entry);
    else yield* this.#send(peer, entry, type === InvType.witnessBlock);
  }

  /** Returns false for old blocks off the active chain: the set of those that a node has would identify it. */
  #mayServe(entry: BlockIndexEntry): boolean {
    const { chain } = this.#deps;
    if (chain.isActive(entry)) return true;
    const { bestHeader } = chain;
    if (!entry.valid || entry.failed || bestHeader.time - entry.time >= STALE_SEC) return false;
    const work = workOf(bestHeader.bits);
    const missedWork = bestHeader.chainWork - entry.chainWork;
    return work > 0n && (missedWork * BigInt(chain.params.pos.targetSpacing)) / work < BigInt(STALE_SEC);
  }

  #isWithinLimits({ peer }: SyncPeer, entry: BlockIndexEntry, type: number): boolean {
    const { chain, pruned, servesHistorical } = this.#deps;
    if (peer.permissions.has('noban')) return true;
    const isOld = chain.bestHeader.time - entry.time > HISTORICAL_SEC || type === InvType.filteredBlock;
    if (isOld && !servesHistorical()) {
      peer.disconnect('historical block serving limit reached');
      return false;
    }
    // The limit must not depend on how much is really pruned, which would identify the node.
    if (pruned() && chain.tip.height - entry.height > LIMITED_DEPTH + LIMITED_SLACK) {
      peer.disconnect('request for a block below the pruning limit');
      return false;
    }
    return true;
  }

  *#send({ peer }: SyncPeer, entry: BlockIndexEntry, witness: boolean): Steps<void> {
    const { chain } = this.#deps;
    const block = witness ? undefined : yield* chain.loadBlock(entry);
    const stripped = block?.transactions.some(hasWitness) ? yield* strippedBlock(block, chain.params.txFormat) : undefined;
    const raw = stripped ?? (yield* chain.loadRaw(entry));
    if (raw && !peer.disconnected) peer.send({ command: 'block', payload: { header: chain.header(entry), hash: entry.hash, raw } });
  }

  *#sendCompact(peer: SyncPeer, entry: BlockIndexEntry): Steps<void> {
    const { chain, isNearTip, sendCompact } = this.#deps;
    const deep = entry.height < chain.tip.height - MAX_COMPACT_DEPTH;
    if (deep || !isNearTip()) yield* this.#send(peer, entry, peer.compactVersion === 2);
    // The compact form is made of the cached block.
    else if (yield* chain.loadBlock(entry)) sendCompact(peer, entry);
  }

  /** Sends a filtered block in steps: each of its transactions is a message of its own, and without a filter all of them match. */
  *#filtered({ peer }: SyncPeer, { header, transactions }: Block, filter: BloomFilter | undefined): Steps<void> {
    const matches: boolean[] = [];
    for (const tx of transactions) {
      matches.push(filter?.matches(tx) ?? true);
      yield;
    }
    const tree = buildPartialMerkleTree(
      transactions.map(({ txid }) => txid),
      matches,
    );
    peer.send({ command: 'merkleblock', payload: { header, tree } });
    for (const [i, tx] of transactions.entries()) {
      if (peer.disconnected) return;
      if (!matches[i]) continue;
      yield;
      peer.send({ command: 'tx', payload: withoutWitness(tx, this.#deps.chain.params.txFormat) });
    }
  }

  /** Sends transactions of a block, in slices if it is large. The peer's next message is processed after that. */
  getBlockTransactions(peer: SyncPeer, request: BlockTransactionsRequest): void {
    const { log, signal } = this.#deps;
    const work = this.#transactions(peer, request);
    const name = 'request for transactions of a block';
    if (work instanceof Promise) void whileProcessing(peer, work, { command: 'getblocktxn', name, log, signal });
  }

  #transactions(peer: SyncPeer, { blockHash, indexes }: BlockTransactionsRequest): MaybePromise<void> {
    const { chain, log } = this.#deps;
    const entry = chain.entry(blockHash);
    if (!entry?.hasData) {
      log.debug('getblocktxn for unknown block', { peer: peer.peer.id, block: toHex(blockHash) });
      return;
    }
    if (entry.height < chain.tip.height - MAX_BLOCKTXN_DEPTH) {
      // The full block is sent instead: reading it costs us the same, and the peer should pay for it in bandwidth.
      return this.getBlock(peer, { type: peer.compactVersion === 2 ? InvType.witnessBlock : InvType.block, hash: blockHash });
    }
    return withValue(inSlices(unlessDamaged(this.#sendTransactions(peer, entry, indexes)), this.#deps.signal), () => {});
  }

  *#sendTransactions(peer: SyncPeer, entry: BlockIndexEntry, indexes: readonly number[]): Steps<void> {
    const { chain } = this.#deps;
    const block = yield* chain.loadBlock(entry);
    const transactions: Transaction[] = [];
    for (const index of indexes) {
      const tx = block?.transactions[index];
      if (!tx) {
        peer.peer.misbehave(SCORES.blockTransactionsOutOfRange, 'getblocktxn with out-of-bounds tx indices');
        return;
      }
      transactions.push(peer.compactVersion === 2 ? tx : withoutWitness(tx, chain.params.txFormat));
    }
    const raw = encodeTransactions(transactions, chain.params.txFormat);
    peer.peer.send({ command: 'blocktxn', payload: { blockHash: entry.hash, raw } });
  }
}

/**
 * Runs steps that read a stored block. The chain reports a damaged block to the operator; the peer is sent nothing.
 * @returns false if the block is damaged
 */
function* unlessDamaged(work: Steps<void>): Steps<boolean> {
  try {
    yield* work;
    return true;
  } catch (error) {
    if (error instanceof StoreDamaged) return false;
    throw error;
  }
}
