import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { ChainEvent } from '../../chain/chain.js';
import { decode } from '../../primitives/codec.js';
import { hasWitness, type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import { destinationOf } from '../../script/address.js';
import { toHex } from '../../util/bytes.js';
import type { Clock } from '../../util/clock.js';
import { Ownership } from '../keys/ownership.js';
import type { Transactions } from './transactions.js';
import { ABANDONED, type Depths, type TxStatus, UNCONFIRMED, type WalletTx } from './wallet-tx.js';

/** Where a block holds a transaction. */
export interface Place {
  readonly entry: BlockIndexEntry;
  readonly index: number;
}

/** What following the chain needs of the wallet. */
export interface TrackedWallet {
  readonly txs: Transactions;
  readonly avoidsReuse: boolean;
  ownershipOf(script: Uint8Array): Ownership;
  outputsOf(wtx: WalletTx): readonly Ownership[];
  /** An output pays this script: keys of the pool that it pays are in use. */
  notePaid(script: Uint8Array): void;
  markUsedAddress(script: Uint8Array): void;
  /** An output is spent: it need not be set aside any more. */
  releaseOutput(point: Transaction['vin'][number]['prevout']): void;
  changed(wtx: WalletTx): void;
}

export interface TrackerDeps {
  readonly chain: Depths & { readonly params: { readonly txFormat: TxFormat } };
  readonly clock: Pick<Clock, 'seconds'>;
}

/** How far ahead of the clock a transaction's time may be and still count as a time. */
const MAX_AHEAD_SEC = 300;

/** Takes transactions into the wallet and keeps their status in step with the chain. @see docs/protocol/wallet.md 2.3 */
export class Tracker {
  constructor(
    private readonly wallet: TrackedWallet,
    private readonly deps: TrackerDeps,
  ) {}

  blockConnected({ block, entry }: Pick<ChainEvent, 'block' | 'entry'>): void {
    block.transactions.forEach((tx, index) => {
      this.seen(tx, { entry, index });
    });
  }

  /**
   * A transaction is in the mempool, or in a block.
   * @param update false leaves what the wallet knows of it
   * @returns undefined unless it is the wallet's business
   */
  seen(tx: Transaction, place?: Place, { update = true } = {}): WalletTx | undefined {
    const { txs } = this.wallet;
    if (place) this.#markConflicts(tx, place.entry);
    const known = txs.get(tx.txid);
    if (known && !update) return undefined;
    if (!known && !this.#concerns(tx)) return undefined;
    for (const { scriptPubKey } of tx.vout) this.wallet.notePaid(scriptPubKey);
    return this.import(tx, place);
  }

  /** Pays the wallet, or spends what it has. */
  #concerns(tx: Transaction): boolean {
    const { txs } = this.wallet;
    return (
      tx.vout.some(({ scriptPubKey }) => this.wallet.ownershipOf(scriptPubKey) !== Ownership.None) ||
      tx.vin.some(({ prevout }) => {
        const parent = txs.get(prevout.txid);
        return parent !== undefined && (this.wallet.outputsOf(parent)[prevout.vout] ?? Ownership.None) !== Ownership.None;
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
  import(tx: Transaction, place: Place | undefined, own?: { readonly notes: ReadonlyMap<string, string> }): WalletTx {
    const known = this.wallet.txs.get(tx.txid);
    if (this.wallet.avoidsReuse) this.#markUsedAddresses(tx);
    const wtx = known ? this.#update(known, tx, place) : this.#add(tx, place, own?.notes);
    if (own && !wtx.isFromMe) {
      wtx.isFromMe = true;
      this.wallet.txs.save(wtx);
    }
    this.wallet.changed(wtx);
    return wtx;
  }

  #add(tx: Transaction, place: Place | undefined, notes: ReadonlyMap<string, string> = new Map()): WalletTx {
    const { txs } = this.wallet;
    const receivedAt = this.deps.clock.seconds();
    for (const { prevout } of tx.vin) this.wallet.releaseOutput(prevout);
    return txs.add({
      // A copy: the bytes may be a view of a whole block.
      tx: decode(transaction(this.deps.chain.params.txFormat), Uint8Array.from(tx.raw)),
      status: statusAt(place),
      receivedAt,
      smartTime: place ? this.#smartTime(receivedAt, place.entry.time) : receivedAt,
      isFromMe: false,
      order: txs.nextOrder,
      notes,
    });
  }

  #update(wtx: WalletTx, tx: Transaction, place: Place | undefined): WalletTx {
    const { txs } = this.wallet;
    const before = wtx.status;
    if (place) wtx.status = statusAt(place);
    else if (before.kind === 'abandoned') wtx.status = UNCONFIRMED;
    const witnessNow = hasWitness(tx) && !hasWitness(wtx.tx);
    if (witnessNow) txs.replaceBytes(wtx, decode(transaction(this.deps.chain.params.txFormat), Uint8Array.from(tx.raw)));
    if (witnessNow || wtx.status !== before) txs.save(wtx);
    return wtx;
  }

  /** When a transaction was made, as far as its block and what came before tell. @see docs/protocol/wallet.md 2.3 */
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
      if (spent && destinationOf(spent.scriptPubKey)) this.wallet.markUsedAddress(spent.scriptPubKey);
    }
  }

  /** Transactions of the wallet that spend what a transaction in a block spends cannot confirm while that block stands. */
  #markConflicts(tx: Transaction, entry: BlockIndexEntry): void {
    const key = toHex(tx.txid);
    for (const { prevout } of tx.vin) {
      for (const spender of [...this.wallet.txs.spendersOf(prevout)]) if (spender.key !== key) this.#conflict(spender, entry);
    }
  }

  /** Marks it and what spends its outputs, unless a deeper block already rules it out. */
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
   * Gives up a transaction and what spends its outputs.
   * @param inMempool whether it waits there
   * @returns false if it cannot be given up: it is in a block, ruled out by one, or in the mempool
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

function statusAt(place: Place | undefined): TxStatus {
  if (!place) return UNCONFIRMED;
  const { entry, index } = place;
  return { kind: 'confirmed', block: { hash: entry.hash, entry }, index };
}
