import type { BlockIndexEntry } from '../../chain/block-index.js';
import { decode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type OutPoint, pointKey } from '../../primitives/outpoint.js';
import { type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import { Table } from '../../storage/table.js';
import { toHex } from '../../util/bytes.js';
import * as records from '../store/records.js';
import type { WalletStore } from '../store/store.js';
import { ABANDONED, type TxStatus, UNCONFIRMED, WalletTx, type WalletTxFacts } from './wallet-tx.js';

export interface TransactionsParts {
  readonly store: WalletStore;
  readonly format: TxFormat;
  readonly entry: (hash: Hash256) => BlockIndexEntry | undefined;
}

const NO_NOTES: ReadonlyMap<string, string> = new Map();

/** Hears of every transaction that is new, stands elsewhere, or is gone. */
export interface TransactionsObserver {
  changed(wtx: WalletTx): void;
  removed(wtx: WalletTx): void;
}

/** The transactions of a wallet, and which of them spend what. */
export class Transactions {
  readonly #store: WalletStore;
  readonly #byId = new Table<WalletTx>();
  /** By the point that they spend, where that is no output of a transaction of the wallet. */
  readonly #foreignSpenders = new Map<string, readonly WalletTx[]>();
  #ordered: WalletTx[] = [];
  #observer: TransactionsObserver | undefined;

  constructor({ store, format, entry }: TransactionsParts) {
    this.#store = store;
    const found: WalletTx[] = [];
    for (const [txid, record] of store.rows(records.transactions)) {
      const { receivedAt, smartTime, isFromMe, order } = record;
      // The row was checked with its batch, so its key is the id.
      const tx = decode(transaction(format, { txid }), record.raw);
      const notes = record.notes.length > 0 ? new Map(record.notes) : NO_NOTES;
      found.push(new WalletTx({ tx, receivedAt, smartTime, isFromMe, order, notes, status: statusOf(record, entry) }));
    }
    for (const wtx of found) this.#byId.set(wtx.key, wtx);
    for (const wtx of found) this.#linkInputs(wtx);
    this.#ordered = found.sort((a, b) => a.order - b.order);
  }

  /** Tells of changes from now on. */
  follow(observer: TransactionsObserver): void {
    this.#observer = observer;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(txid: Hash256): WalletTx | undefined {
    return this.#byId.get(toHex(txid));
  }

  /** In the order of raw txids. */
  *all(): Generator<WalletTx> {
    for (const [, wtx] of this.#byId.scan({ gte: '', lt: undefined, reverse: false })) yield wtx;
  }

  /** Oldest first, as the wallet came to know them. */
  inOrder(): readonly WalletTx[] {
    return this.#ordered;
  }

  get nextOrder(): number {
    return (this.#ordered.at(-1)?.order ?? -1) + 1;
  }

  /** The transaction of the wallet whose output an input spends. */
  parentOf({ txid }: OutPoint): WalletTx | undefined {
    return this.get(txid);
  }

  spendersOf(point: OutPoint): readonly WalletTx[] {
    const parent = this.parentOf(point);
    return (parent ? parent.spenders[point.vout] : this.#foreignSpenders.get(pointKey(point))) ?? [];
  }

  /** Other transactions of the wallet that spend an output that this one spends too. */
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

  /** Writes what became of it. */
  save(wtx: WalletTx): void {
    this.#store.put(records.transactions, wtx.tx.txid, wtx.record());
    this.#observer?.changed(wtx);
  }

  remove(wtx: WalletTx): void {
    this.#byId.delete(wtx.key);
    this.#ordered = this.#ordered.filter((each) => each !== wtx);
    for (const { prevout } of wtx.tx.vin)
      this.#setSpenders(
        prevout,
        this.spendersOf(prevout).filter((each) => each !== wtx),
      );
    // Those that spend it go on without it.
    wtx.tx.vout.forEach((_, vout) => {
      this.#setSpenders({ txid: wtx.tx.txid, vout }, wtx.spenders[vout] ?? []);
    });
    this.#store.delete(records.transactions, wtx.tx.txid);
    this.#observer?.removed(wtx);
  }

  /** Forgets all. @returns what there was */
  clear(): WalletTx[] {
    const all = this.#ordered;
    this.#ordered = [];
    for (const wtx of all) this.remove(wtx);
    return all;
  }

  /** Replaces the bytes: the same transaction with its witness. */
  replaceBytes(wtx: WalletTx, tx: Transaction): void {
    wtx.tx = tx;
  }

  #enter(wtx: WalletTx): void {
    this.#byId.set(wtx.key, wtx);
    wtx.tx.vout.forEach((_, vout) => {
      const key = `${wtx.key}${vout}`;
      const known = this.#foreignSpenders.get(key);
      if (known) wtx.spenders[vout] = known;
      this.#foreignSpenders.delete(key);
    });
    this.#linkInputs(wtx);
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
    else if (spenders.length > 0) this.#foreignSpenders.set(pointKey(point), spenders);
    else this.#foreignSpenders.delete(pointKey(point));
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
