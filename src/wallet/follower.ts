import { randomInt } from 'node:crypto';
import type { BlockIndexEntry } from '../chain/block-index.js';
import type { ChainEvent } from '../chain/chain.js';
import type { Transaction } from '../primitives/transaction.js';
import { customTxPayload } from '../script/custom-tx.js';
import { NodeError } from '../util/errors.js';
import { DEFAULT_LOAD, type LoadOptions } from './options.js';
import { Resender } from './resend.js';
import { WalletNotWritten } from './store/file-errors.js';
import * as records from './store/records.js';
import type { WalletStore } from './store/store.js';
import type { WalletTx } from './txs/wallet-tx.js';
import type { Wallet } from './wallet.js';

/** Number of blocks without a transaction of the wallet after which its position in the chain is stored anyway. */
const PLACE_INTERVAL = 144;
const TICK_MS = 1_000;
/** Refusals of a wallet that has missed blocks which are not stored. */
const SYNCED_BELOW_PRUNED =
  'Prune: last wallet synchronisation goes beyond pruned data. You need to -reindex (download the whole blockchain again in case of pruned node)';
const SYNCED_BELOW_SNAPSHOT =
  'The last wallet synchronisation is below the snapshot that the chain began with. Load the wallet when the blocks below it are validated; until then the node starts with -disablewallet or -nowallet';

/** Updates a wallet from the chain and the mempool, from `start` to `stop`, and stores its position in the chain. */
export class Follower {
  readonly #unsubscribe: (() => void)[] = [];
  readonly #resender: Resender;
  #blocksUnnoted = 0;
  #hasChanges = false;
  /** The wallet has processed all blocks up to the tip. */
  #caughtUp = false;

  constructor(
    private readonly wallet: Wallet,
    private readonly store: WalletStore,
  ) {
    this.#resender = new Resender(wallet, (below) => randomInt(below));
  }

  /** Catches up with the chain, then follows it and the mempool. */
  async start({ rescan, forgets, fillsLater }: LoadOptions = DEFAULT_LOAD): Promise<void> {
    const { wallet } = this;
    const { chain, mempool, clock } = wallet.deps;
    if (!fillsLater) await wallet.keyChanges.topUp();
    this.#unsubscribe.push(
      chain.on('connected', (event) => this.#blockConnected(event)),
      chain.on('disconnected', (event) => this.#blockDisconnected(event)),
      mempool.pool.on('added', ({ tx }) => this.#onMempoolTx(tx)),
    );
    const ticking = setInterval(() => this.#resender.tick(clock.seconds()), TICK_MS);
    ticking.unref();
    this.#unsubscribe.push(() => clearInterval(ticking));
    const first = rescan || forgets !== undefined ? chain.genesis : this.#firstMissed();
    if (first) this.#requireStored(first);
    const removed = forgets === undefined ? [] : this.#forgetAll();
    await this.#catchUp(first);
    if (forgets === 'transactions') this.#restoreNotes(removed);
    this.resubmit();
    for (const { tx } of mempool.pool.entries()) wallet.tracker.importIfRelevant(tx);
    // Sorts the outputs now: with very many of them the first call that lists them would be slow.
    wallet.unspent.confirmed().next();
    wallet.commit();
  }

  /** Stops following the chain and notes the position; the caller commits. */
  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    if (this.#caughtUp) this.notePlace(this.wallet.deps.chain.tip);
  }

  /** A transaction of the wallet changed: the position is stored with the next block. */
  noteChange(): void {
    this.#hasChanges = true;
  }

  /** Notes the last block that the wallet has processed; the caller commits. */
  notePlace(entry: BlockIndexEntry): void {
    this.#blocksUnnoted = 0;
    this.#hasChanges = false;
    this.store.put(records.syncedTo, records.ONLY, entry.hash);
  }

  /**
   * Submits the wallet's unconfirmed transactions to the mempool again, unless `-walletbroadcast=0` holds them back. Custom transactions
   * that are rejected are abandoned. @see docs/protocol/wallet.md 2.6
   */
  resubmit(): void {
    const { wallet } = this;
    const { mempool, settings } = wallet.deps;
    if (!settings.broadcast) return;
    for (const wtx of wallet.unspent.unconfirmedTransactions()) {
      if (wtx.isAbandoned || wallet.isInMempool(wtx)) continue;
      const { status } = mempool.accept(wtx.tx, { absurdFee: settings.maxFee });
      if (status === 'rejected' && customTxPayload(wtx.tx)) wallet.tracker.abandon(wtx, (each) => wallet.isInMempool(each));
    }
    this.store.commitLazily();
  }

  /** Restores notes and times of transactions that the scan found again. */
  #restoreNotes(removed: readonly WalletTx[]): void {
    const { txs } = this.wallet;
    for (const { tx, notes, smartTime, receivedAt, isFromMe } of removed) {
      const found = txs.get(tx.txid);
      if (!found) continue;
      Object.assign(found, { smartTime, receivedAt, isFromMe });
      for (const [name, text] of notes) found.note(name, text);
      txs.save(found);
    }
  }

  /** Removes all transactions. A start after an interruption scans for them again. */
  #forgetAll(): WalletTx[] {
    this.notePlace(this.wallet.deps.chain.genesis);
    return this.wallet.txs.clear();
  }

  /** @throws {NodeError} if blocks from there on are not stored: the wallet would lack transactions without a sign of it */
  #requireStored({ height }: BlockIndexEntry): void {
    const { chain } = this.wallet.deps;
    if (!chain.isPruned || height >= chain.lowestStored().height) return;
    throw new NodeError('wallet', chain.pruning ? SYNCED_BELOW_PRUNED : SYNCED_BELOW_SNAPSHOT);
  }

  /** Scans from a block to the tip. @param first undefined if no block was missed @throws {NodeError} if a block cannot be read */
  async #catchUp(first: BlockIndexEntry | undefined): Promise<void> {
    const { rescan, deps } = this.wallet;
    this.#caughtUp = first === undefined;
    if (!first) return;
    const release = rescan.reserve();
    try {
      for (let from: BlockIndexEntry | undefined = first; from; ) {
        const { status, failedAt } = await rescan.run(from);
        if (status === 'aborted') return;
        // A reorganisation during the scan replaced this block: the new branch is scanned from the fork on.
        const replaced = failedAt && !deps.chain.isActive(failedAt);
        if (failedAt && !replaced) throw new NodeError('wallet', 'Failed to rescan the wallet during initialization');
        from = replaced ? deps.chain.entryAt(deps.chain.forkPoint(failedAt).height + 1) : undefined;
      }
      this.#caughtUp = true;
      this.notePlace(deps.chain.tip);
    } finally {
      release();
    }
  }

  /** First block that the wallet has not processed and that may contain its transactions; undefined if there is none. */
  #firstMissed(): BlockIndexEntry | undefined {
    const { rescan, keys, deps } = this.wallet;
    const { chain, clock } = deps;
    const place = this.store.single(records.syncedTo);
    const known = place && chain.entry(place);
    const fork = known ? chain.forkPoint(known) : undefined;
    if (fork === chain.tip) return undefined;
    const born = rescan.startFor(keys.birthday(clock.seconds()));
    const next = chain.entryAt((fork?.height ?? -1) + 1);
    if (!born || !next) return undefined;
    return born.height > next.height ? born : next;
  }

  #blockConnected(event: ChainEvent): void {
    this.wallet.tracker.blockConnected(event);
    this.wallet.unspent.blockConnected(event.entry);
    this.store.noteChange();
    this.#resender.blockConnected(this.wallet.deps.clock.seconds());
    this.#blocksUnnoted += 1;
    if (!this.#hasChanges && this.#blocksUnnoted < PLACE_INTERVAL) return;
    // Until the wallet has caught up, its stored position does not change.
    if (this.#caughtUp) this.notePlace(event.entry);
    this.#hasChanges = false;
    this.#write();
    this.wallet.compactIfDue();
  }

  #blockDisconnected(event: ChainEvent): void {
    const { txs, unspent, deps } = this.wallet;
    unspent.blockDisconnected(event);
    if (deps.onTransaction) {
      for (const { txid } of event.block.transactions) {
        const wtx = txs.get(txid);
        if (wtx) deps.onTransaction(this.wallet, wtx);
      }
    }
    // During a scan the stored position stays below the blocks that are still to be scanned.
    if (this.#caughtUp) this.notePlace(event.entry.parent ?? event.entry);
  }

  #onMempoolTx(tx: Transaction): void {
    this.wallet.tracker.importIfRelevant(tx);
    this.#write();
  }

  /** A full disk of the wallet does not stop the chain: changes that cannot be written now are written with the next ones. */
  #write(): void {
    try {
      this.store.commitLazily();
    } catch (error) {
      if (!(error instanceof WalletNotWritten)) throw error;
      this.wallet.deps.log.error('wallet update not written to disk, will retry', { path: this.wallet.path, error: error.message });
    }
  }
}
