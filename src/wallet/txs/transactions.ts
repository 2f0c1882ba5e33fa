import type { BlockIndexEntry } from '../../chain/block-index.js';
import { decode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type OutPoint, pointKey } from '../../primitives/outpoint.js';
import { type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import { Table } from '../../storage/table.js';
import { toHex } from '../../util/bytes.js';
import { MaybeSet } from '../../util/maybe-set.js';
import * as records from '../store/records.js';
import type { WalletStore } from '../store/store.js';
import { ABANDONED, type TxStatus, UNCONFIRMED, WalletTx, type WalletTxFacts } from './wallet-tx.js';

export interface TransactionsParts {
  readonly store: WalletStore;
  readonly format: TxFormat;
  readonly entry: (hash: Hash256) => BlockIndexEntry | undefined;
}

const NO_NOTES: ReadonlyMap<string, string> = new Map();

/** Notified of every transaction that is new, has another status, or was removed. */
export interface TransactionsObserver {
  changed(wtx: WalletTx): void;
  removed(wtx: WalletTx): void;
}

/** The transactions of a wallet, and which of them spend what. */
export class Transactions {
  readonly #store: WalletStore;
  readonly #byId = new Table<WalletTx>();
  /** Spenders of outputs of transactions that the wallet does not have, by `pointKey`. */
  readonly #foreignSpenders = new Map<string, readonly WalletTx[]>();
  /** Txids of both. */
  readonly #involved = new MaybeSet();
  #ordered: WalletTx[] = [];
  #observer: TransactionsObserver | undefined;

  constructor({ store, format, entry }: TransactionsParts) {
    this.#store = store;
    const found: WalletTx[] = [];
    for (const [txid, record] of store.rows(records.transactions)) {
      const { receivedAt, smartTime, isFromMe, order } = record;
      // The batch's checksum covers the row, so its key is the txid.
      const tx = decode(transaction(format, { txid }), record.raw);
      const notes = record.notes.length > 0 ? new Map(record.notes) : NO_NOTES;
      found.push(new WalletTx({ tx, receivedAt, smartTime, isFromMe, order, notes, status: statusOf(record, entry) }));
    }
    for (const wtx of found) this.#setById(wtx);
    for (const wtx of found) this.#linkInputs(wtx);
    this.#ordered = found.sort((a, b) => a.order - b.order);
  }

  /** Sets the observer of changes. */
  follow(observer: TransactionsObserver): void {
    this.#observer = observer;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(txid: Hash256): WalletTx | undefined {
    return this.#byId.get(toHex(txid));
  }

  /** All transactions by raw txid. */
  *all(): Generator<WalletTx> {
    for (const [, wtx] of this.#byId.scan({ gte: '', lt: undefined, reverse: false })) yield wtx;
  }

  /** All transactions in the order in which the wallet received them. */
  inOrder(): readonly WalletTx[] {
    return this.#ordered;
  }

  get nextOrder(): number {
    return (this.#ordered.at(-1)?.order ?? -1) + 1;
  }

  /** Transaction of the wallet that has the output; undefined if the wallet does not have it. */
  parentOf({ txid }: OutPoint): WalletTx | undefined {
    return this.get(txid);
  }

  /**
   * @param at position of the txid in the bytes
   * @returns false if the wallet neither has the transaction nor a spender of its outputs
   */
  mayInvolve(bytes: Uint8Array, at = 0): boolean {
    return this.#involved.mayHave(bytes, at);
  }

  /** Transactions of the wallet that spend the output; several if they conflict. */
  spendersOf(point: OutPoint): readonly WalletTx[] {
    const parent = this.parentOf(point);
    return (parent ? parent.spenders[point.vout] : this.#foreignSpenders.get(pointKey(point))) ?? [];
  }

  /** Other transactions of the wallet that spend an output which this one spends; by raw txid. */
  conflictsOf({ tx, key }: Pick<WalletTx, 'tx' | 'key'>): WalletTx[] {
    const found = new Map<string, WalletTx>();
    for (const { prevout } of tx.vin) for (const other of this.spendersOf(prevout)) if (other.key !== key) found.set(other.key, other);
    return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Transactions of the wallet that spend its outputs. */
  childrenOf({ spenders }: WalletTx): Set<WalletTx> {
    return new Set(spenders.flatMap((each) => each ?? []));
  }

  add(facts: WalletTxFacts): WalletTx {
    const wtx = new WalletTx(facts);
    this.#enter(wtx);
    this.#ordered.push(wtx);
    this.save(wtx);
    return wtx;
  }

  /** Stores the transaction with its present status, and notifies the observer. */
  save(wtx: WalletTx): void {
    this.#store.put(records.transactions, wtx.tx.txid, wtx.record());
    this.#observer?.changed(wtx);
  }

  /** Removes a transaction; its children stay. */
  remove(wtx: WalletTx): void {
    this.#byId.delete(wtx.key);
    this.#ordered = this.#ordered.filter((each) => each !== wtx);
    for (const { prevout } of wtx.tx.vin)
      this.#setSpenders(
        prevout,
        this.spendersOf(prevout).filter((each) => each !== wtx),
      );
    // Children keep spending its outputs, which are no longer the wallet's.
    wtx.tx.vout.forEach((_, vout) => {
      this.#setSpenders({ txid: wtx.tx.txid, vout }, wtx.spenders[vout] ?? []);
    });
    this.#store.delete(records.transactions, wtx.tx.txid);
    this.#observer?.removed(wtx);
  }

  /** Removes all transactions. @returns the removed ones, in the order in which the wallet received them */
  clear(): WalletTx[] {
    const all = this.#ordered;
    this.#ordered = [];
    for (const wtx of all) this.remove(wtx);
    return all;
  }

  /** Replaces a transaction by the same one with witness data. */
  replaceBytes(wtx: WalletTx, tx: Transaction): void {
    wtx.tx = tx;
  }

  #enter(wtx: WalletTx): void {
    this.#setById(wtx);
    wtx.tx.vout.forEach((_, vout) => {
      const key = `${wtx.key}${vout}`;
      const known = this.#foreignSpenders.get(key);
      if (known) wtx.spenders[vout] = known;
      this.#foreignSpenders.delete(key);
    });
    this.#linkInputs(wtx);
  }

  #setById(wtx: WalletTx): void {
    this.#byId.set(wtx.key, wtx);
    this.#involved.add(wtx.key);
  }

  #linkInputs(wtx: WalletTx): void {
    if (wtx.isCoinbase) return;
    for (const { prevout } of wtx.tx.vin) {
      const known = this.spendersOf(prevout);
      if (!known.includes(wtx)) this.#setSpenders(prevout, [...known, wtx]);
    }
  }

  #setSpenders(point: OutPoint, spenders: readonly WalletTx[]): void {
    const parent = this.parentOf(point);
    if (parent) parent.spenders[point.vout] = spenders;
    else if (spenders.length > 0) {
      this.#foreignSpenders.set(pointKey(point), spenders);
      this.#involved.add(toHex(point.txid));
    } else this.#foreignSpenders.delete(pointKey(point));
  }
}

function statusOf(
  { blockHash, blockIndex, isAbandoned }: records.TxRecord,
  entry: (hash: Hash256) => BlockIndexEntry | undefined,
): TxStatus {
  if (isAbandoned) return ABANDONED;
  if (!blockHash) return UNCONFIRMED;
  const block = { hash: blockHash, entry: entry(blockHash) };
  return blockIndex < 0 ? { kind: 'conflicted', block } : { kind: 'confirmed', block, index: blockIndex };
}
