import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { ChainEvent } from '../../chain/chain.js';
import { decode } from '../../primitives/codec.js';
import { hasWitness, type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import type { TransactionWatch } from '../../primitives/transaction-scan.js';
import { toHex } from '../../util/bytes.js';
import type { Clock } from '../../util/clock.js';
import { Ownership } from '../keys/ownership.js';
import type { Transactions } from './transactions.js';
import { ABANDONED, type Depths, type TxStatus, UNCONFIRMED, type WalletTx } from './wallet-tx.js';

/** Position of a transaction in the chain. */
export interface TxPosition {
  readonly entry: BlockIndexEntry;
  readonly index: number;
}

/** The part of a wallet that the tracker uses. */
export interface TrackedWallet {
  readonly txs: Transactions;
  readonly avoidsReuse: boolean;
  ownershipOf(script: Uint8Array): Ownership;
  /** @returns false for a script that the wallet does not own; cheaper than `ownershipOf` */
  mayOwn(script: Uint8Array): boolean;
  outputOwnership(wtx: WalletTx): readonly Ownership[];
  /** Marks keys of the key pool that the script pays as used. */
  markKeysUsed(script: Uint8Array): void;
  /** Marks the script's address as spent from. */
  markUsedAddress(script: Uint8Array): void;
  /** Unlocks a spent output. */
  releaseOutput(point: Transaction['vin'][number]['prevout']): void;
  /** Called for a transaction that is new, or whose status may have changed. */
  changed(wtx: WalletTx): void;
}

export interface TrackerDeps {
  readonly chain: Depths & { readonly params: { readonly txFormat: TxFormat } };
  readonly clock: Pick<Clock, 'seconds'>;
}

/** Maximum time ahead of the clock of a transaction's time that is used. */
const MAX_AHEAD_SEC = 300;

/** Adds transactions to the wallet and updates their status as the chain changes. @see docs/protocol/wallet.md 2.3 */
export class Tracker {
  constructor(
    private readonly wallet: TrackedWallet,
    private readonly deps: TrackerDeps,
  ) {}

  /** Search for transactions that {@link importIfRelevant} does not skip. It finds nearly no others. */
  readonly watch: TransactionWatch = {
    wantsTxid: (bytes, at) => this.wallet.txs.mayInvolve(bytes, at),
    wantsScript: (script) => this.wallet.mayOwn(script) && this.wallet.ownershipOf(script) !== Ownership.None,
  };

  blockConnected({ block, entry }: Pick<ChainEvent, 'block' | 'entry'>): void {
    const { transactions } = block;
    for (let index = 0; index < transactions.length; index++) {
      this.importIfRelevant(transactions[index] as Transaction, { entry, index });
    }
  }

  /**
   * Adds or updates a transaction of the mempool or of a block, if it concerns the wallet.
   * @param position undefined for the mempool
   * @param update false skips a transaction that the wallet has
   * @returns undefined if it was skipped or does not concern the wallet
   */
  importIfRelevant(tx: Transaction, position?: TxPosition, { update = true } = {}): WalletTx | undefined {
    if (!this.#mayConcern(tx)) return undefined;
    const { txs } = this.wallet;
    if (position) this.#markConflicts(tx, position.entry);
    const known = txs.get(tx.txid);
    if (known && !update) return undefined;
    if (!known && !this.#concerns(tx)) return undefined;
    for (const { scriptPubKey } of tx.vout) this.wallet.markKeysUsed(scriptPubKey);
    return this.import(tx, position);
  }

  /** False, at little cost, for nearly every transaction that the wallet neither has nor conflicts with, and that does not concern it. */
  #mayConcern({ txid, vin, vout }: Transaction): boolean {
    const { wallet } = this;
    const { txs } = wallet;
    return (
      txs.mayInvolve(txid) ||
      vin.some(({ prevout }) => txs.mayInvolve(prevout.txid)) ||
      vout.some(({ scriptPubKey }) => wallet.mayOwn(scriptPubKey))
    );
  }

  /** True if the transaction pays the wallet or spends an output of it. */
  #concerns(tx: Transaction): boolean {
    const { txs } = this.wallet;
    return (
      tx.vout.some(({ scriptPubKey }) => this.wallet.ownershipOf(scriptPubKey) !== Ownership.None) ||
      tx.vin.some(({ prevout }) => {
        const parent = txs.get(prevout.txid);
        return parent !== undefined && (this.wallet.outputOwnership(parent)[prevout.vout] ?? Ownership.None) !== Ownership.None;
      })
    );
  }

  /**
   * Adds a transaction that is submitted next, without notifying of it: the wallet does so when the mempool has accepted it. Outputs
   * that it spends are unlocked.
   */
  addSilently(tx: Transaction): WalletTx {
    return this.#add(tx, undefined);
  }

  /** Adds or updates a transaction. @param own the wallet made it; texts to store with it */
  import(tx: Transaction, position: TxPosition | undefined, own?: { readonly notes: ReadonlyMap<string, string> }): WalletTx {
    const known = this.wallet.txs.get(tx.txid);
    if (this.wallet.avoidsReuse) this.#markUsedAddresses(tx);
    const wtx = known ? this.#update(known, tx, position) : this.#add(tx, position, own?.notes);
    if (own && !wtx.isFromMe) {
      wtx.isFromMe = true;
      this.wallet.txs.save(wtx);
    }
    this.wallet.changed(wtx);
    return wtx;
  }

  #add(tx: Transaction, position: TxPosition | undefined, notes: ReadonlyMap<string, string> = new Map()): WalletTx {
    const { txs } = this.wallet;
    const receivedAt = this.deps.clock.seconds();
    for (const { prevout } of tx.vin) this.wallet.releaseOutput(prevout);
    return txs.add({
      // A copy: the bytes may be a view of a whole block.
      tx: decode(transaction(this.deps.chain.params.txFormat), Uint8Array.from(tx.raw)),
      status: statusAt(position),
      receivedAt,
      smartTime: position ? this.#smartTime(receivedAt, position.entry.time) : receivedAt,
      isFromMe: false,
      order: txs.nextOrder,
      notes,
    });
  }

  #update(wtx: WalletTx, tx: Transaction, position: TxPosition | undefined): WalletTx {
    const { txs } = this.wallet;
    const before = wtx.status;
    if (position) wtx.status = statusAt(position);
    else if (before.kind === 'abandoned') wtx.status = UNCONFIRMED;
    const witnessNow = hasWitness(tx) && !hasWitness(wtx.tx);
    if (witnessNow) txs.replaceBytes(wtx, decode(transaction(this.deps.chain.params.txFormat), Uint8Array.from(tx.raw)));
    if (witnessNow || wtx.status !== before) txs.save(wtx);
    return wtx;
  }

  /** Estimated time of creation: between the times of earlier transactions, of the block and of receipt. @see docs/protocol/wallet.md 2.3 */
  #smartTime(receivedAt: number, blockTime: number): number {
    const tolerated = receivedAt + MAX_AHEAD_SEC;
    let latest = 0;
    let now = receivedAt;
    const ordered = this.wallet.txs.inOrder();
    for (let i = ordered.length - 1; i >= 0; i--) {
      const time = ordered[i]?.smartTime || ordered[i]?.receivedAt || 0;
      if (time > tolerated) continue;
      latest = time;
      if (time > now) now = time;
      break;
    }
    return Math.max(latest, Math.min(blockTime, now));
  }

  #markUsedAddresses(tx: Transaction): void {
    for (const { prevout } of tx.vin) {
      const spent = this.wallet.txs.get(prevout.txid)?.tx.vout[prevout.vout];
      if (spent) this.wallet.markUsedAddress(spent.scriptPubKey);
    }
  }

  /** Transactions of the wallet that spend an output which a transaction in the block spends conflict with that block. */
  #markConflicts(tx: Transaction, entry: BlockIndexEntry): void {
    const key = toHex(tx.txid);
    for (const { prevout } of tx.vin) {
      for (const spender of [...this.wallet.txs.spendersOf(prevout)]) if (spender.key !== key) this.#conflict(spender, entry);
    }
  }

  /** Marks a transaction and its descendants as conflicted, unless they conflict with a deeper block already. */
  #conflict(first: WalletTx, entry: BlockIndexEntry): void {
    const { chain } = this.deps;
    const depth = -chain.confirmations(entry);
    if (depth >= 0) return;
    const seen = new Set<WalletTx>();
    const waiting = [first];
    for (let wtx = waiting.pop(); wtx; wtx = waiting.pop()) {
      if (seen.has(wtx)) continue;
      seen.add(wtx);
      if (depth >= wtx.depth(chain)) continue;
      wtx.status = { kind: 'conflicted', block: { hash: entry.hash, entry } };
      this.wallet.txs.save(wtx);
      this.wallet.changed(wtx);
      waiting.push(...this.wallet.txs.childrenOf(wtx));
    }
  }

  /**
   * Abandons a transaction and its descendants.
   * @returns false if that is not possible: it is in a block, conflicts with one, or is in the mempool
   */
  abandon(first: WalletTx, inMempool: (wtx: WalletTx) => boolean): boolean {
    const { chain } = this.deps;
    if (first.depth(chain) !== 0 || inMempool(first)) return false;
    const seen = new Set<WalletTx>();
    const waiting = [first];
    for (let wtx = waiting.pop(); wtx; wtx = waiting.pop()) {
      if (seen.has(wtx)) continue;
      seen.add(wtx);
      if (wtx.depth(chain) !== 0 || wtx.isAbandoned) continue;
      wtx.status = ABANDONED;
      this.wallet.txs.save(wtx);
      this.wallet.changed(wtx);
      waiting.push(...this.wallet.txs.childrenOf(wtx));
    }
    return true;
  }
}

function statusAt(position: TxPosition | undefined): TxStatus {
  if (!position) return UNCONFIRMED;
  const { entry, index } = position;
  return { kind: 'confirmed', block: { hash: entry.hash, entry }, index };
}
