import { randomInt } from 'node:crypto';
import type { BlockIndexEntry } from '../chain/block-index.js';
import type { ChainEvent } from '../chain/chain.js';
import type { Transaction } from '../primitives/transaction.js';
import { customTxPayload } from '../script/custom-tx.js';
import { type LoadOptions, USUAL_LOAD } from './options.js';
import { Resender } from './resend.js';
import { WalletNotWritten } from './store/file.js';
import * as records from './store/records.js';
import type { WalletStore } from './store/store.js';
import type { WalletTx } from './txs/wallet-tx.js';
import type { Wallet } from './wallet.js';

/** Blocks without news for the wallet after which its place in the chain is noted all the same. */
const PLACE_INTERVAL = 144;
const TICK_MS = 1_000;

/** Keeps a wallet in step with the chain and the mempool from `start` to `stop`, and knows how far it is. */
export class Follower {
  readonly #unsubscribe: (() => void)[] = [];
  readonly #resender: Resender;
  #blocksUnnoted = 0;
  #hasNews = false;
  /** Nothing before the tip was missed. */
  #caughtUp = false;

  constructor(
    private readonly wallet: Wallet,
    private readonly store: WalletStore,
  ) {
    this.#resender = new Resender(wallet, (below) => randomInt(below));
  }

  /** Catches up with the chain, then follows it and the mempool. */
  async start({ rescan, forgets }: LoadOptions = USUAL_LOAD): Promise<void> {
    const { wallet } = this;
    const { chain, mempool, clock } = wallet.deps;
    await wallet.topUpKeyPool();
    this.#unsubscribe.push(
      chain.on('connected', (event) => this.#blockConnected(event)),
      chain.on('disconnected', (event) => this.#blockDisconnected(event)),
      mempool.pool.on('added', ({ tx }) => this.#heard(tx)),
    );
    const ticking = setInterval(() => this.#resender.tick(clock.seconds()), TICK_MS);
    ticking.unref();
    this.#unsubscribe.push(() => clearInterval(ticking));
    const forgotten = forgets === undefined ? [] : wallet.txs.clear();
    await this.#catchUp(rescan || forgets !== undefined);
    if (forgets === 'transactions') this.#remember(forgotten);
    this.resubmit();
    for (const { tx } of mempool.pool.entries()) wallet.tracker.seen(tx);
    // Putting very many outputs in order takes a while: better now than in the first call that lists them.
    wallet.unspent.confirmed().next();
    wallet.commit();
  }

  /** Stops following; what was seen until now counts. Nothing is written. */
  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    if (this.#caughtUp) this.notePlace(this.wallet.deps.chain.tip);
  }

  /** Something of the wallet changed: its place is noted with it. */
  noteNews(): void {
    this.#hasNews = true;
  }

  /** The wallet has seen the chain up to this block. */
  notePlace(entry: BlockIndexEntry): void {
    this.#blocksUnnoted = 0;
    this.#hasNews = false;
    this.store.put(records.syncedTo, records.ONLY, entry.hash);
  }

  /**
   * Hands the wallet's unconfirmed transactions to the mempool again. Those that carry an operation of the chain and are refused
   * are given up. @see docs/protocol/wallet.md 2.6
   */
  resubmit(): void {
    const { wallet } = this;
    const { mempool, settings } = wallet.deps;
    for (const wtx of wallet.unspent.unconfirmedTransactions()) {
      if (wtx.isAbandoned || wallet.isInMempool(wtx)) continue;
      const { status } = mempool.accept(wtx.tx, { absurdFee: settings.maxFee });
      if (status === 'rejected' && customTxPayload(wtx.tx)) wallet.tracker.abandon(wtx, (each) => wallet.isInMempool(each));
    }
    this.store.commitLazily();
  }

  /** Gives transactions that were found again what the chain cannot tell of them. */
  #remember(forgotten: readonly WalletTx[]): void {
    const { txs } = this.wallet;
    for (const { tx, notes, smartTime, receivedAt, isFromMe } of forgotten) {
      const found = txs.get(tx.txid);
      if (!found) continue;
      Object.assign(found, { smartTime, receivedAt, isFromMe });
      for (const [name, text] of notes) found.note(name, text);
      txs.save(found);
    }
  }

  async #catchUp(fromTheStart: boolean): Promise<void> {
    const { rescan, deps } = this.wallet;
    const start = fromTheStart ? deps.chain.genesis : this.#firstMissed();
    this.#caughtUp = start === undefined;
    if (!start) return;
    const release = rescan.reserve();
    try {
      const { status, last } = await rescan.run(start);
      this.#caughtUp = status === 'success';
      if (this.#caughtUp) this.notePlace(last ?? deps.chain.tip);
    } finally {
      release();
    }
  }

  /** The first block that the wallet has not seen and that can concern it. */
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
    this.#resender.blockConnected(this.wallet.deps.clock.seconds());
    this.#blocksUnnoted += 1;
    if (!this.#hasNews && this.#blocksUnnoted < PLACE_INTERVAL) return;
    // Before the wallet has caught up, its place is where it was.
    if (this.#caughtUp) this.notePlace(event.entry);
    this.#hasNews = false;
    this.#write();
    this.wallet.compactIfDue();
  }

  #blockDisconnected(event: ChainEvent): void {
    this.wallet.unspent.blockDisconnected(event);
    this.notePlace(event.entry.parent ?? event.entry);
  }

  #heard(tx: Transaction): void {
    this.wallet.tracker.seen(tx);
    this.#write();
  }

  /** The chain and the mempool go on though the wallet's disk is full: what is not written now is written with the next news. */
  #write(): void {
    try {
      this.store.commitLazily();
    } catch (error) {
      if (!(error instanceof WalletNotWritten)) throw error;
      this.wallet.deps.log.error('news for the wallet waits for a disk that takes it', { path: this.wallet.path, error: error.message });
    }
  }
}
