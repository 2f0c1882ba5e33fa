import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain, ChainEvent } from '../../chain/chain.js';
import { COINBASE_MATURITY } from '../../consensus/transaction.js';
import { mayHoldCollateral } from '../../dfi/masternodes/collateral.js';
import type { TxOut } from '../../primitives/transaction.js';
import { LOCKTIME_THRESHOLD } from '../../primitives/transaction.js';
import { Table } from '../../storage/table.js';
import { toHex } from '../../util/bytes.js';
import type { Random } from '../../util/random.js';
import { Ownership } from '../keys/ownership.js';
import { addTo, RunningSums, type TokenSums } from './running-sums.js';
import type { Transactions } from './transactions.js';
import type { WalletTx } from './wallet-tx.js';

/** An unspent output of the wallet in a block, whose transaction is mature and imposes no further condition on spending it. */
export interface ConfirmedOutput {
  readonly wtx: WalletTx;
  readonly vout: number;
  readonly out: TxOut;
  readonly ownership: Ownership;
  /** Height of its block. */
  readonly height: number;
  /** The wallet spent from its address before. */
  isUsed: boolean;
  /** Internal to the index: position in the list of all confirmed outputs. */
  position: number;
}

/** A transaction with its confirmed outputs, by output index. */
interface Row {
  readonly wtx: WalletTx;
  readonly height: number;
  readonly outputs: (ConfirmedOutput | undefined)[];
}

interface IndexedWallet {
  readonly txs: Transactions;
  readonly deps: { readonly chain: Pick<Chain, 'tip' | 'entryAt' | 'confirmations'> };
  /** Ownership of each output of the transaction. */
  outputOwnership(wtx: WalletTx): readonly Ownership[];
  /** True if the wallet spent an output of this script before, so that its address is no longer private. */
  isUsedScript(script: Uint8Array): boolean;
}

/**
 * Unspent outputs of the wallet and their sums, so that queries need not iterate over all transactions. Two groups:
 *
 * - Confirmed outputs are indexed. Their transaction is in a block, and whether they can be spent depends on nothing else.
 * - Pending transactions are evaluated by each query, as their outputs depend on time or state: unconfirmed transactions, immature
 *   coinbases, transactions with a lock time, and those that may hold a collateral. They are few.
 */
export class UnspentIndex {
  readonly #confirmed = new Table<Row>();
  readonly #byHeight = new Map<number, Set<Row>>();
  readonly #byScript = new Map<string, ConfirmedOutput[]>();
  /** All confirmed outputs, in no particular order. */
  readonly #all: ConfirmedOutput[] = [];
  readonly #sums = new RunningSums();
  /** Transactions in no block of the active chain. */
  readonly #unconfirmed = new Set<WalletTx>();
  /** Transactions in a block, but pending. */
  readonly #conditional = new Set<WalletTx>();
  /** Transactions that conflict with a block, on the active chain or not. */
  readonly #conflicted = new Set<WalletTx>();
  /** Coinbases by height, and the height of each. */
  readonly #coinbases = new Map<number, Set<WalletTx>>();
  readonly #heights = new Map<WalletTx, number>();
  /** Fingerprints of the scripts of all outputs, including those that are not the wallet's. */
  readonly #fingerprints = new Set<number>();

  constructor(private readonly wallet: IndexedWallet) {
    for (const wtx of wallet.txs.inOrder()) this.#enter(wtx);
  }

  /** Confirmed outputs by raw txid, then index. */
  *confirmed(): Generator<ConfirmedOutput> {
    for (const [, { outputs }] of this.#confirmed.scan({ gte: '', lt: undefined, reverse: false })) {
      for (const output of outputs) if (output) yield output;
    }
  }

  /** Confirmed outputs in no particular order. A copy, cheap to make, that stays valid while the index changes. */
  confirmedUnordered(): ConfirmedOutput[] {
    return this.#all.slice();
  }

  /**
   * Txids, in hex and wire order, of transactions with confirmed outputs, and of some that have none any more; ascending. The list
   * stays valid while the index changes.
   */
  confirmedTxids(): readonly string[] {
    return this.#confirmed.keys();
  }

  /** Confirmed outputs in random order, each once. To be read before the index changes. */
  *confirmedAtRandom(random: Random): Generator<ConfirmedOutput> {
    const all = this.#all;
    for (let i = 0; i < all.length; i++) {
      this.#swap(i, i + random(all.length - i));
      yield all[i] as ConfirmedOutput;
    }
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#all[a] as ConfirmedOutput, this.#all[b] as ConfirmedOutput];
    this.#put(first, b);
    this.#put(second, a);
  }

  #put(output: ConfirmedOutput, position: number): void {
    this.#all[position] = output;
    output.position = position;
  }

  get confirmedOutputCount(): number {
    return this.#all.length;
  }

  /** Number of transactions with confirmed outputs. */
  get confirmedTxCount(): number {
    return this.#confirmed.size;
  }

  get pendingCount(): number {
    return this.#unconfirmed.size + this.#conditional.size;
  }

  /** Confirmed outputs with this script, by raw txid, then index. To be read before the index changes. */
  confirmedPaying(script: Uint8Array): readonly ConfirmedOutput[] {
    // Nearly sorted since the last query.
    return this.#byScript.get(toHex(script))?.sort(byOutPoint) ?? [];
  }

  /** Pending transactions, by raw txid. */
  pendingTransactions(): WalletTx[] {
    return [...this.#unconfirmed, ...this.#conditional].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Transactions in no block of the active chain that conflict with none either; oldest first. No coinbases. */
  unconfirmedTransactions(): WalletTx[] {
    return [...this.#unconfirmed].sort((a, b) => a.order - b.order);
  }

  /** Sums of confirmed outputs by token. @param minDepth minimum confirmations @param skipUsed leave out used addresses */
  sumsOf(ownership: Ownership, { minDepth, skipUsed }: { readonly minDepth: number; readonly skipUsed: boolean }): TokenSums {
    const sums = this.#sums.of(ownership, skipUsed);
    for (const { outputs } of this.#rowsFrom(this.wallet.deps.chain.tip.height - minDepth + 2)) {
      for (const output of outputs) {
        if (output?.ownership === ownership && !(skipUsed && output.isUsed)) addTo(sums, output.out.tokenId, -output.out.value);
      }
    }
    return sums;
  }

  /** Transactions in blocks from height `first` to the tip. */
  *#rowsFrom(first: number): Generator<Row> {
    const { height } = this.wallet.deps.chain.tip;
    if (height - first > this.#byHeight.size) {
      for (const [at, rows] of this.#byHeight) if (at >= first) yield* rows;
      return;
    }
    for (let at = first; at <= height; at++) yield* this.#byHeight.get(at) ?? [];
  }

  /** Updates the index for a transaction that is new or whose status changed, and for the outputs that it spends. */
  changed(wtx: WalletTx): void {
    this.#leave(wtx);
    this.#enter(wtx);
    this.#parentsChanged(wtx);
  }

  /** Updates the index for a transaction that was removed from the wallet. */
  removed(wtx: WalletTx): void {
    this.#leave(wtx);
    this.#parentsChanged(wtx);
  }

  #parentsChanged({ tx }: WalletTx): void {
    for (const { prevout } of tx.vin) {
      const parent = this.wallet.txs.parentOf(prevout);
      const row = parent && this.#confirmed.get(parent.key);
      if (row) this.#updateOutput(row, prevout.vout);
    }
  }

  /** Call after the transactions of the block were imported. */
  blockConnected(entry: BlockIndexEntry): void {
    this.#tipMoved(entry);
  }

  /** Call with the disconnected block, when the tip is its parent. */
  blockDisconnected({ block, entry }: Pick<ChainEvent, 'block' | 'entry'>): void {
    for (const { txid } of block.transactions) {
      const wtx = this.wallet.txs.get(txid);
      if (wtx) this.changed(wtx);
    }
    this.#tipMoved(entry);
  }

  /** Coinbases become mature, or immature again; conflicts with the block take effect, or end. */
  #tipMoved(entry: BlockIndexEntry): void {
    for (const wtx of [...(this.#coinbases.get(entry.height - COINBASE_MATURITY) ?? [])]) this.changed(wtx);
    for (const wtx of [...this.#conflicted]) {
      if (wtx.status.kind === 'conflicted' && wtx.status.block.entry === entry) this.changed(wtx);
    }
  }

  /** Call after keys or scripts were added or removed: evaluates the ownership of outputs with these scripts again. */
  scriptsChanged(scripts: readonly Uint8Array[]): void {
    const affected = new Set(scripts.map(fingerprint).filter((each) => this.#fingerprints.has(each)));
    if (affected.size === 0) return;
    for (const wtx of this.wallet.txs.inOrder()) {
      if (!wtx.tx.vout.some(({ scriptPubKey }) => affected.has(fingerprint(scriptPubKey)))) continue;
      wtx.forgetOwnership();
      this.#leave(wtx);
      this.#enter(wtx);
    }
  }

  /** Marks outputs with these scripts as outputs of a used address. */
  markUsed(scripts: readonly Uint8Array[]): void {
    for (const script of scripts) {
      for (const output of this.#byScript.get(toHex(script)) ?? []) {
        this.#sums.remove(output);
        output.isUsed = true;
        this.#sums.add(output);
      }
    }
  }

  #enter(wtx: WalletTx): void {
    const { chain } = this.wallet.deps;
    for (const { scriptPubKey } of wtx.tx.vout) this.#fingerprints.add(fingerprint(scriptPubKey));
    if (wtx.status.kind === 'conflicted') this.#conflicted.add(wtx);
    const depth = wtx.depth(chain);
    if (depth === 0 && !wtx.isCoinbase) this.#unconfirmed.add(wtx);
    if (depth <= 0) return;
    const height = chain.tip.height - depth + 1;
    if (wtx.isCoinbase) {
      this.#heights.set(wtx, height);
      memberOf(this.#coinbases, height).add(wtx);
    }
    if ((wtx.isCoinbase && depth <= COINBASE_MATURITY) || isConditional(wtx, height)) this.#conditional.add(wtx);
    else this.#enterConfirmed(wtx, height);
  }

  #enterConfirmed(wtx: WalletTx, height: number): void {
    const ownership = this.wallet.outputOwnership(wtx);
    if (ownership.every((each) => each === Ownership.None)) return;
    const row: Row = { wtx, height, outputs: [] };
    this.#confirmed.set(wtx.key, row);
    memberOf(this.#byHeight, height).add(row);
    for (let vout = 0; vout < ownership.length; vout++) this.#updateOutput(row, vout);
  }

  #leave(wtx: WalletTx): void {
    this.#unconfirmed.delete(wtx);
    this.#conditional.delete(wtx);
    this.#conflicted.delete(wtx);
    const height = this.#heights.get(wtx);
    if (height !== undefined) {
      this.#heights.delete(wtx);
      leave(this.#coinbases, height, wtx);
    }
    const row = this.#confirmed.get(wtx.key);
    if (!row) return;
    for (const output of row.outputs) if (output) this.#drop(row, output);
    this.#confirmed.delete(wtx.key);
    leave(this.#byHeight, row.height, row);
  }

  /** Adds an output to the index, or removes it, by its ownership and whether it is spent. */
  #updateOutput(row: Row, vout: number): void {
    const { wtx, height, outputs } = row;
    const ownership = this.wallet.outputOwnership(wtx)[vout] ?? Ownership.None;
    const out = wtx.tx.vout[vout];
    const before = outputs[vout];
    if (!out || ownership === Ownership.None || wtx.isSpent(vout, this.wallet.deps.chain)) {
      if (before) this.#drop(row, before);
      return;
    }
    if (before) return;
    const output = { wtx, vout, out, ownership, height, isUsed: this.wallet.isUsedScript(out.scriptPubKey), position: 0 };
    outputs[vout] = output;
    this.#put(output, this.#all.length);
    this.#sums.add(output);
    const key = toHex(out.scriptPubKey);
    const existing = this.#byScript.get(key);
    if (existing) existing.push(output);
    else this.#byScript.set(key, [output]);
  }

  #drop({ outputs }: Row, output: ConfirmedOutput): void {
    outputs[output.vout] = undefined;
    const moved = this.#all.pop();
    if (moved && moved !== output) this.#put(moved, output.position);
    this.#sums.remove(output);
    const key = toHex(output.out.scriptPubKey);
    const existing = this.#byScript.get(key) ?? [];
    const at = existing.indexOf(output);
    // The last element fills the gap; confirmedPaying sorts.
    const last = existing.pop();
    if (last && last !== output) existing[at] = last;
    if (existing.length === 0) this.#byScript.delete(key);
  }
}

function byOutPoint(a: ConfirmedOutput, b: ConfirmedOutput): number {
  return a.wtx === b.wtx ? a.vout - b.vout : a.wtx.key < b.wtx.key ? -1 : 1;
}

/** Thirty bits of the hash or key in most scripts. */
function fingerprint(script: Uint8Array): number {
  const at = script.length - 9;
  const byte = (n: number): number => script[at + n] ?? 0;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | ((byte(3) & 0x3f) << 24);
}

function memberOf<T>(sets: Map<number, Set<T>>, height: number): Set<T> {
  const existing = sets.get(height) ?? new Set();
  sets.set(height, existing);
  return existing;
}

function leave<T>(sets: Map<number, Set<T>>, height: number, member: T): void {
  const existing = sets.get(height);
  if (existing?.delete(member) && existing.size === 0) sets.delete(height);
}

/** True if spending from a transaction in a block at this height depends on the time or on the DeFi state. */
function isConditional({ tx, isCoinbase }: WalletTx, height: number): boolean {
  return tx.lockTime >= LOCKTIME_THRESHOLD || (isCoinbase ? height === 0 : mayHoldCollateral(tx));
}
