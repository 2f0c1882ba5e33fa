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

/** An unspent output of the wallet in a block, which can be spent as far as its transaction goes. */
export interface SettledOutput {
  readonly wtx: WalletTx;
  readonly vout: number;
  readonly out: TxOut;
  readonly ownership: Ownership;
  /** Height of its block. */
  readonly height: number;
  /** Its address was spent from. */
  isUsed: boolean;
  /** The index's own: where it is among all of them. */
  place: number;
}

/** A transaction with settled outputs, by index. */
interface Row {
  readonly wtx: WalletTx;
  readonly height: number;
  readonly outputs: (SettledOutput | undefined)[];
}

interface IndexedWallet {
  readonly txs: Transactions;
  readonly deps: { readonly chain: Pick<Chain, 'tip' | 'entryAt' | 'confirmations'> };
  /** For each output of the transaction. */
  outputsOf(wtx: WalletTx): readonly Ownership[];
  /** An output of this script was spent, so that its address is known to others. */
  isUsedScript(script: Uint8Array): boolean;
}

/**
 * The wallet's unspent outputs and what they add up to, so that no one has to walk its transactions. Outputs are settled where their
 * transaction is in a block and time has nothing to add. All other transactions that may have something to offer are open: those
 * that wait for a block, young coinbases, and those that hold a collateral. They are few, and whoever asks looks at each.
 */
export class UnspentIndex {
  readonly #settled = new Table<Row>();
  readonly #byHeight = new Map<number, Set<Row>>();
  readonly #byScript = new Map<string, SettledOutput[]>();
  /** All settled outputs, in no particular order. */
  readonly #all: SettledOutput[] = [];
  readonly #sums = new RunningSums();
  /** Outside of all blocks. */
  readonly #pending = new Set<WalletTx>();
  /** In a block, but open. */
  readonly #conditional = new Set<WalletTx>();
  /** Ruled out by a block, be it on the active chain or not. */
  readonly #conflicted = new Set<WalletTx>();
  readonly #coinbases = new Map<number, Set<WalletTx>>();
  readonly #heights = new Map<WalletTx, number>();
  /** Of the scripts of all outputs, the wallet's or not. */
  readonly #fingerprints = new Set<number>();

  constructor(private readonly wallet: IndexedWallet) {
    for (const wtx of wallet.txs.inOrder()) this.#enter(wtx);
  }

  /** By raw txid, then index. */
  *settled(): Generator<SettledOutput> {
    for (const [, { outputs }] of this.#settled.scan({ gte: '', lt: undefined, reverse: false })) {
      for (const output of outputs) if (output) yield output;
    }
  }

  /** As they are now, in no particular order. A copy, which costs next to nothing. */
  confirmedUnordered(): SettledOutput[] {
    return this.#all.slice();
  }

  /** Txids, in hex, of transactions that have settled outputs, and of some that have none any more; ascending. Never changed. */
  settledKeys(): readonly string[] {
    return this.#settled.keys();
  }

  /** One after the other at random, each once. To be read at once. */
  *settledAtRandom(random: Random): Generator<SettledOutput> {
    const all = this.#all;
    for (let i = 0; i < all.length; i++) {
      this.#swap(i, i + random(all.length - i));
      yield all[i] as SettledOutput;
    }
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#all[a] as SettledOutput, this.#all[b] as SettledOutput];
    this.#put(first, b);
    this.#put(second, a);
  }

  #put(output: SettledOutput, place: number): void {
    this.#all[place] = output;
    output.place = place;
  }

  get settledOutputCount(): number {
    return this.#all.length;
  }

  /** Transactions with settled outputs. */
  get settledCount(): number {
    return this.#settled.size;
  }

  get openCount(): number {
    return this.#pending.size + this.#conditional.size;
  }

  /** Those that pay this script, by raw txid, then index. To be read at once. */
  settledWith(script: Uint8Array): readonly SettledOutput[] {
    // Nearly in order already since it was asked for last.
    return this.#byScript.get(toHex(script))?.sort(byOutPoint) ?? [];
  }

  /** Transactions that have to be looked at one by one; by raw txid. */
  open(): WalletTx[] {
    return [...this.#pending, ...this.#conditional].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Transactions in no block of the active chain, nor ruled out by one; oldest first. No coinbases. */
  pending(): WalletTx[] {
    return [...this.#pending].sort((a, b) => a.order - b.order);
  }

  /** What settled outputs add up to. @param minDepth least confirmations that count */
  sumsOf(ownership: Ownership, { minDepth, skipUsed }: { readonly minDepth: number; readonly skipUsed: boolean }): TokenSums {
    const sums = this.#sums.of(ownership, skipUsed);
    for (const { outputs } of this.#rowsFrom(this.wallet.deps.chain.tip.height - minDepth + 2)) {
      for (const output of outputs) {
        if (output?.ownership === ownership && !(skipUsed && output.isUsed)) addTo(sums, output.out.tokenId, -output.out.value);
      }
    }
    return sums;
  }

  *#rowsFrom(first: number): Generator<Row> {
    const { height } = this.wallet.deps.chain.tip;
    if (height - first > this.#byHeight.size) {
      for (const [at, rows] of this.#byHeight) if (at >= first) yield* rows;
      return;
    }
    for (let at = first; at <= height; at++) yield* this.#byHeight.get(at) ?? [];
  }

  /** A transaction is new, or stands elsewhere: its outputs count anew, and those that it spends. */
  changed(wtx: WalletTx): void {
    this.#leave(wtx);
    this.#enter(wtx);
    this.#parentsChanged(wtx);
  }

  /** A transaction is the wallet's no more. */
  removed(wtx: WalletTx): void {
    this.#leave(wtx);
    this.#parentsChanged(wtx);
  }

  #parentsChanged({ tx }: WalletTx): void {
    for (const { prevout } of tx.vin) {
      const parent = this.wallet.txs.parentOf(prevout);
      const row = parent && this.#settled.get(parent.key);
      if (row) this.#settle(row, prevout.vout);
    }
  }

  /** The tip went up to this block, whose transactions were taken in. */
  blockConnected(entry: BlockIndexEntry): void {
    this.#tipMoved(entry);
  }

  /** The tip went down from this block. */
  blockDisconnected({ block, entry }: Pick<ChainEvent, 'block' | 'entry'>): void {
    for (const { txid } of block.transactions) {
      const wtx = this.wallet.txs.get(txid);
      if (wtx) this.changed(wtx);
    }
    this.#tipMoved(entry);
  }

  /** A coinbase ripens, or is young again; what the block rules out comes to nothing, or may come to something again. */
  #tipMoved(entry: BlockIndexEntry): void {
    for (const wtx of [...(this.#coinbases.get(entry.height - COINBASE_MATURITY) ?? [])]) this.changed(wtx);
    for (const wtx of [...this.#conflicted]) {
      if (wtx.standing.kind === 'conflicted' && wtx.standing.block.entry === entry) this.changed(wtx);
    }
  }

  /** Keys or scripts came or went: whose the outputs with these scripts are has to be asked again. */
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

  /** The address of these scripts was spent from: what else it holds is of a used address. */
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
    if (wtx.standing.kind === 'conflicted') this.#conflicted.add(wtx);
    const depth = wtx.depth(chain);
    if (depth === 0 && !wtx.isCoinbase) this.#pending.add(wtx);
    if (depth <= 0) return;
    const height = chain.tip.height - depth + 1;
    if (wtx.isCoinbase) {
      this.#heights.set(wtx, height);
      memberOf(this.#coinbases, height).add(wtx);
    }
    if ((wtx.isCoinbase && depth <= COINBASE_MATURITY) || isConditional(wtx, height)) this.#conditional.add(wtx);
    else this.#enterSettled(wtx, height);
  }

  #enterSettled(wtx: WalletTx, height: number): void {
    const ownership = this.wallet.outputsOf(wtx);
    if (ownership.every((each) => each === Ownership.None)) return;
    const row: Row = { wtx, height, outputs: [] };
    this.#settled.set(wtx.key, row);
    memberOf(this.#byHeight, height).add(row);
    for (let vout = 0; vout < ownership.length; vout++) this.#settle(row, vout);
  }

  #leave(wtx: WalletTx): void {
    this.#pending.delete(wtx);
    this.#conditional.delete(wtx);
    this.#conflicted.delete(wtx);
    const height = this.#heights.get(wtx);
    if (height !== undefined) {
      this.#heights.delete(wtx);
      leave(this.#coinbases, height, wtx);
    }
    const row = this.#settled.get(wtx.key);
    if (!row) return;
    for (const output of row.outputs) if (output) this.#drop(row, output);
    this.#settled.delete(wtx.key);
    leave(this.#byHeight, row.height, row);
  }

  /** Brings one output up to date with whose it is and what spends it. */
  #settle(row: Row, vout: number): void {
    const { wtx, height, outputs } = row;
    const ownership = this.wallet.outputsOf(wtx)[vout] ?? Ownership.None;
    const out = wtx.tx.vout[vout];
    const before = outputs[vout];
    if (!out || ownership === Ownership.None || wtx.isSpent(vout, this.wallet.deps.chain)) {
      if (before) this.#drop(row, before);
      return;
    }
    if (before) return;
    const output = { wtx, vout, out, ownership, height, isUsed: this.wallet.isUsedScript(out.scriptPubKey), place: 0 };
    outputs[vout] = output;
    this.#put(output, this.#all.length);
    this.#sums.add(output);
    const key = toHex(out.scriptPubKey);
    const there = this.#byScript.get(key);
    if (there) there.push(output);
    else this.#byScript.set(key, [output]);
  }

  #drop({ outputs }: Row, output: SettledOutput): void {
    outputs[output.vout] = undefined;
    const moved = this.#all.pop();
    if (moved && moved !== output) this.#put(moved, output.place);
    this.#sums.remove(output);
    const key = toHex(output.out.scriptPubKey);
    const there = this.#byScript.get(key) ?? [];
    const at = there.indexOf(output);
    // The last takes its place: order is made when it is asked for.
    const last = there.pop();
    if (last && last !== output) there[at] = last;
    if (there.length === 0) this.#byScript.delete(key);
  }
}

function byOutPoint(a: SettledOutput, b: SettledOutput): number {
  return a.wtx === b.wtx ? a.vout - b.vout : a.wtx.key < b.wtx.key ? -1 : 1;
}

/** Thirty bits out of the hash or key that most scripts hold. */
function fingerprint(script: Uint8Array): number {
  const at = script.length - 9;
  const byte = (n: number): number => script[at + n] ?? 0;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | ((byte(3) & 0x3f) << 24);
}

function memberOf<T>(sets: Map<number, Set<T>>, height: number): Set<T> {
  const there = sets.get(height) ?? new Set();
  sets.set(height, there);
  return there;
}

function leave<T>(sets: Map<number, Set<T>>, height: number, member: T): void {
  const there = sets.get(height);
  if (there?.delete(member) && there.size === 0) sets.delete(height);
}

/** More than depth decides whether a transaction in a block at this height can be spent: the chain's state, or the time. */
function isConditional({ tx, isCoinbase }: WalletTx, height: number): boolean {
  return tx.lockTime >= LOCKTIME_THRESHOLD || (isCoinbase ? height === 0 : mayHoldCollateral(tx));
}
