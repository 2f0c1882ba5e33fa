import type { BlockIndexEntry } from '../chain/block-index.js';
import { decode } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import type { OutPoint } from '../primitives/outpoint.js';
import { type Transaction, type TxFormat, transaction } from '../primitives/transaction.js';
import { Table } from '../storage/table.js';
import { toHex } from '../util/bytes.js';
import * as records from './records.js';
import type { WalletStore } from './store.js';
import { ABANDONED, type Standing, UNCONFIRMED, WalletTx, type WalletTxFacts } from './wallet-tx.js';

export interface TransactionsParts {
  readonly store: WalletStore;
  readonly format: TxFormat;
  readonly entry: (hash: Hash256) => BlockIndexEntry | undefined;
}

/** The transactions of a wallet, and which of them spend what. */
export class Transactions {
  readonly #store: WalletStore;
  readonly #byId = new Table<WalletTx>();
  /** By the point that they spend. */
  readonly #spenders = new Map<string, WalletTx[]>();
  #ordered: WalletTx[] = [];

  constructor({ store, format, entry }: TransactionsParts) {
    this.#store = store;
    const codec = transaction(format);
    const found: WalletTx[] = [];
    for (const [, record] of store.rows(records.transactions)) {
      const { raw, blockHash, blockIndex, isAbandoned, notes, ...rest } = record;
      const tx = decode(codec, raw);
      found.push(new WalletTx({ ...rest, tx, notes: new Map(notes), standing: standingOf(record, entry) }));
    }
    for (const wtx of found) this.#enter(wtx);
    this.#ordered = found.sort((a, b) => a.order - b.order);
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
    return this.#spenders.get(pointKey(point)) ?? [];
  }

  /** Other transactions of the wallet that spend an output that this one spends too. */
  conflictsOf({ tx, key }: Pick<WalletTx, 'tx' | 'key'>): WalletTx[] {
    const found = new Map<string, WalletTx>();
    for (const { prevout } of tx.vin) for (const other of this.spendersOf(prevout)) if (other.key !== key) found.set(other.key, other);
    return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Transactions of the wallet that spend its outputs. */
  childrenOf({ spenders }: WalletTx): Set<WalletTx> {
    return new Set(spenders.flat());
  }

  add(facts: WalletTxFacts): WalletTx {
    const wtx = new WalletTx(facts);
    this.#enter(wtx);
    this.#ordered.push(wtx);
    this.save(wtx);
    return wtx;
  }

  save(wtx: WalletTx): void {
    this.#store.put(records.transactions, wtx.tx.txid, wtx.record());
  }

  remove(wtx: WalletTx): void {
    this.#byId.delete(wtx.key);
    this.#ordered = this.#ordered.filter((each) => each !== wtx);
    for (const { prevout } of wtx.tx.vin) {
      const key = pointKey(prevout);
      const rest = (this.#spenders.get(key) ?? []).filter((each) => each !== wtx);
      if (rest.length > 0) this.#spenders.set(key, rest);
      else this.#spenders.delete(key);
      const parent = this.get(prevout.txid);
      if (parent?.spenders[prevout.vout]) parent.spenders[prevout.vout] = rest;
    }
    this.#store.delete(records.transactions, wtx.tx.txid);
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
    if (!wtx.isCoinbase) for (const { prevout } of wtx.tx.vin) this.#link(prevout, wtx);
    wtx.tx.vout.forEach((_, vout) => {
      const known = this.#spenders.get(`${wtx.key}${vout}`);
      if (known) wtx.spenders[vout] = known;
    });
  }

  #link(point: OutPoint, spender: WalletTx): void {
    const key = pointKey(point);
    const parent = this.get(point.txid);
    const known = this.#spenders.get(key) ?? parent?.spenders[point.vout] ?? [];
    if (!known.includes(spender)) known.push(spender);
    this.#spenders.set(key, known);
    if (parent?.spenders[point.vout]) parent.spenders[point.vout] = known;
  }
}

export function pointKey({ txid, vout }: OutPoint): string {
  return `${toHex(txid)}${vout}`;
}

function standingOf(
  { blockHash, blockIndex, isAbandoned }: records.TxRecord,
  entry: (hash: Hash256) => BlockIndexEntry | undefined,
): Standing {
  if (isAbandoned) return ABANDONED;
  if (!blockHash) return UNCONFIRMED;
  const block = { hash: blockHash, entry: entry(blockHash) };
  return blockIndex < 0 ? { kind: 'conflicted', block } : { kind: 'confirmed', block, index: blockIndex };
}
