import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Transaction } from '../primitives/transaction.js';
import { fromHex, toHex } from '../util/bytes.js';
import { NodeError } from '../util/errors.js';
import type { Wallet } from '../wallet/wallet.js';
import type { Wallets } from '../wallet/wallets/manager.js';
import type { AutoMining } from './auto-mining.js';
import type { MiningMode } from './options.js';
import type { ClockState, TimeControl } from './time-control.js';

/** Modules whose state a snapshot covers. */
export interface SnapshotParts {
  readonly chain: Pick<Chain, 'tip' | 'isActive' | 'entryAt' | 'invalidate' | 'on'>;
  readonly mempool: Pick<Mempool, 'pool' | 'restore'>;
  /** Undefined with -disablewallet. */
  readonly wallets: Pick<Wallets, 'loaded'> | undefined;
  readonly time: Pick<TimeControl, 'state' | 'restore'>;
  readonly mining: Pick<AutoMining, 'mode'>;
}

/** State that the undo records of the chain do not cover. */
interface Snapshot {
  readonly tip: BlockIndexEntry;
  /** Transactions of the mempool in the order of their entry. */
  readonly pooled: readonly { readonly tx: Transaction; readonly time: number }[];
  readonly clock: ClockState;
  readonly mode: MiningMode;
  /** Keys of the transactions that each wallet waits for. */
  readonly unconfirmed: ReadonlyMap<Wallet, ReadonlySet<string>>;
}

const MAX_SNAPSHOTS = 10_000;

/** Snapshots of chain, mempool, clock and transactions of wallets. They last as long as the process. */
export class Snapshots {
  readonly #kept = new Map<number, Snapshot>();
  #last = 0;

  constructor(private readonly parts: SnapshotParts) {}

  /** @returns id of the snapshot */
  take(): number {
    if (this.#kept.size >= MAX_SNAPSHOTS) throw new NodeError('resource-exhausted', `there are ${MAX_SNAPSHOTS} snapshots already`);
    const { chain, mempool, wallets, time, mining } = this.parts;
    const entries = [...mempool.pool.entries()].sort((a, b) => a.sequence - b.sequence);
    const unconfirmed = new Map<Wallet, ReadonlySet<string>>();
    for (const wallet of wallets?.loaded() ?? []) {
      unconfirmed.set(wallet, new Set(wallet.unspent.unconfirmedTransactions().map(({ key }) => key)));
    }
    this.#last += 1;
    this.#kept.set(this.#last, {
      tip: chain.tip,
      pooled: entries.map(({ tx, time: enteredAt }) => ({ tx, time: enteredAt })),
      clock: time.state(),
      mode: mining.mode,
      unconfirmed,
    });
    return this.#last;
  }

  /** True for a snapshot that can be returned to. */
  has(id: number): boolean {
    return this.#kept.has(id);
  }

  /** Drops a snapshot and all later ones. */
  drop(id: number): void {
    for (const each of [...this.#kept.keys()]) if (each >= id) this.#kept.delete(each);
  }

  /**
   * Returns to a snapshot and drops the later ones.
   * @throws {NodeError} if there is no such snapshot, or another branch has replaced its tip
   */
  revert(id: number): void {
    const { chain } = this.parts;
    const snapshot = this.#kept.get(id);
    if (!snapshot) throw new NodeError('not-found', `there is no snapshot ${id}`);
    if (!chain.isActive(snapshot.tip)) throw new NodeError('misc', `the tip of snapshot ${id} is not in the active chain`);
    this.drop(id + 1);
    this.goTo(snapshot, () => {
      const first = chain.entryAt(snapshot.tip.height + 1);
      if (first) chain.invalidate(first);
    });
  }

  /**
   * Changes to another state in one turn of the event loop.
   * @param move disconnects and connects blocks
   */
  goTo(state: Omit<Snapshot, 'tip'>, move: () => void): void {
    const { chain, mempool, time, mining } = this.parts;
    const gone = new Set([...mempool.pool.entries()].map(({ key }) => key));
    const unsubscribe = [
      chain.on('disconnected', ({ block }) => {
        for (const { txid } of block.transactions) gone.add(toHex(txid));
      }),
      chain.on('connected', ({ block }) => {
        for (const { txid } of block.transactions) gone.delete(toHex(txid));
      }),
    ];
    // Otherwise the transactions that return would be mined at once.
    mining.mode = 'off';
    // Restored first, because rules of the mempool depend on the clock.
    time.restore(state.clock);
    try {
      mempool.restore(state.pooled, move);
    } finally {
      for (const end of unsubscribe) end();
      this.#forget(state, gone);
      mining.mode = state.mode;
    }
  }

  /** Removes transactions from wallets that entered them after the snapshot: they would keep the coins that they spend. */
  #forget({ unconfirmed }: Pick<Snapshot, 'unconfirmed'>, gone: ReadonlySet<string>): void {
    for (const wallet of this.parts.wallets?.loaded() ?? []) {
      const known = unconfirmed.get(wallet);
      const later = wallet.unspent.unconfirmedTransactions().filter(({ key }) => (known ? !known.has(key) : gone.has(key)));
      // Coinbases of disconnected blocks are not among those that wait for a block.
      const coinbases = [...gone].flatMap((key) => wallet.txs.get(fromHex(key)) ?? []).filter(({ isCoinbase }) => isCoinbase);
      const removed = [...later, ...coinbases].filter((wtx) => !wallet.isInMempool(wtx));
      for (const wtx of removed) wallet.txs.remove(wtx);
      if (removed.length > 0) wallet.commit();
    }
  }
}
