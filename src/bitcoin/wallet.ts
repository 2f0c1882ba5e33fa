import type { Hash160, Hash256 } from '../primitives/hash.js';
import { type OutPoint, pointKey } from '../primitives/outpoint.js';
import { LOCKTIME_THRESHOLD, SEQUENCE_FINAL, SEQUENCE_NOT_FINAL, type Transaction, type TxOut } from '../primitives/transaction.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { hashInScript } from './addresses.js';
import { DUST } from './form.js';
import { type OwnHash, OwnHashes, type OwnHashSource } from './own-hashes.js';
import type { RegtestBitcoin } from './regtest-bitcoin.js';

/** Size of a transaction that is not relayed, virtual bytes. */
export const MAX_TX_SIZE = 100_000;

/** An unspent output of a key. */
export interface BitcoinCoin {
  readonly prevout: OutPoint;
  readonly output: TxOut;
}

/** An output that pays to a script of an HTLC. */
export interface HtlcOutput extends BitcoinCoin {
  readonly hash: Hash160;
}

export interface BitcoinWalletDeps {
  readonly chain: RegtestBitcoin;
  readonly own: OwnHashSource;
  readonly clock: Pick<Clock, 'seconds'>;
}

/**
 * The wallet for bitcoins: the transactions of the Bitcoin chain that concern our keys and scripts, and the coins that they leave. To it,
 * as to that of `defid` on regtest, all transactions are unconfirmed: of two that spend the same output, the second one does not count.
 */
export class BitcoinWallet {
  readonly chain: RegtestBitcoin;
  readonly #own: OwnHashes;
  readonly #clock: Pick<Clock, 'seconds'>;
  /** Parents first, otherwise by the last known of the hashes that an output pays. */
  readonly #history: Transaction[] = [];
  readonly #known = new Set<string>();
  /** The first transaction that spends an output, of all of the chain. */
  readonly #spenders = new Map<string, Transaction>();
  #coins: readonly BitcoinCoin[] = [];
  #balance = 0n;

  constructor({ chain, own, clock }: BitcoinWalletDeps) {
    this.chain = chain;
    this.#own = new OwnHashes(own);
    this.#clock = clock;
    chain.on('transaction', ({ tx }) => this.#receive(tx));
  }

  /** Satoshis of all coins. */
  get balance(): bigint {
    return this.#balance;
  }

  /** In the order in which payments spend them. */
  get coins(): readonly BitcoinCoin[] {
    return this.#coins;
  }

  /** Adds a key or script; transactions that are known already are not searched. */
  add(hash: OwnHash): void {
    this.#own.add(hash);
  }

  /** Kind of a hash of ours; undefined for others. */
  kindOf(hash: Hash160): OwnHash['kind'] | undefined {
    this.#own.refresh();
    if (this.#own.isKey(hash)) return 'key';
    return this.#own.isScript(hash) ? 'script' : undefined;
  }

  /** HASH160 of our keys. */
  keys(): Hash160[] {
    this.#own.refresh();
    return this.#own.keys();
  }

  /** Transactions that pay to, or spend from, our keys and scripts, in the order in which they were sent. @param only limits them to a hash */
  *transactions(only?: Hash160): Generator<Transaction> {
    this.#own.refresh();
    for (const { tx } of this.chain.transactions()) {
      if (!this.#known.has(toHex(tx.txid))) continue;
      if (this.#concerns(tx, (hash) => this.kindOf(hash) !== undefined && (!only || equalBytes(only, hash)))) yield tx;
    }
  }

  /** Outputs of known transactions that pay to scripts of HTLCs. @param only limits them to one */
  *htlcOutputs(only?: Hash160): Generator<HtlcOutput> {
    this.#own.refresh();
    for (const { txid, vout } of this.#history) {
      for (const [n, output] of vout.entries()) {
        const hash = hashInScript(output.scriptPubKey);
        if (!hash || !this.#own.isScript(hash) || (only && !equalBytes(only, hash))) continue;
        yield { prevout: { txid, vout: n }, output, hash };
      }
    }
  }

  /** Transaction that spends an output. */
  spender(point: OutPoint): Transaction | undefined {
    return this.#spenders.get(pointKey(point));
  }

  /** Number of confirmations of a known transaction; 0 for others. Negative if the height was lowered since. */
  confirmations(txid: Hash256): number {
    const placed = this.#known.has(toHex(txid)) ? this.chain.find(txid) : undefined;
    return placed ? this.chain.height - placed.height + 1 : 0;
  }

  /** `scriptSig` of each spend of outputs that pay a hash, in the order in which the transactions were sent. */
  *spendsOf(hash: Hash160): Generator<Uint8Array> {
    for (const { tx } of this.chain.transactions()) {
      for (const { prevout, scriptSig } of tx.vin) {
        const output = this.#output(prevout);
        const paid = output && hashInScript(output.scriptPubKey);
        if (paid && equalBytes(paid, hash)) yield scriptSig;
      }
    }
  }

  #output({ txid, vout }: OutPoint): TxOut | undefined {
    return this.chain.find(txid)?.tx.vout[vout];
  }

  #receive(tx: Transaction): void {
    for (const { prevout } of tx.vin) {
      const key = pointKey(prevout);
      if (!this.#spenders.has(key)) this.#spenders.set(key, tx);
    }
    const id = toHex(tx.txid);
    if (this.#known.has(id)) return;
    this.#own.refresh();
    if (!this.#concerns(tx, (hash) => this.#own.placeOf(hash) !== undefined)) return;
    this.#known.add(id);
    this.#insert(tx);
    this.#update();
  }

  /** True if an output of the transaction, or one that it spends, pays a hash that is accepted. */
  #concerns({ vin, vout }: Transaction, accepts: (hash: Hash160) => boolean): boolean {
    const pays = (output: TxOut | undefined): boolean => {
      const hash = output && hashInScript(output.scriptPubKey);
      return hash !== undefined && accepts(hash);
    };
    return vout.some(pays) || vin.some(({ prevout }) => pays(this.#output(prevout)));
  }

  /** Inserts behind the last transaction that does not have to follow, which decides the order of coins. */
  #insert(tx: Transaction): void {
    const ancestors = this.#related(tx, ({ vin }) => vin.map(({ prevout }) => this.chain.find(prevout.txid)?.tx));
    const descendants = this.#related(tx, ({ txid, vout }) => vout.map((_, n) => this.spender({ txid, vout: n })));
    const place = this.#placeOf(tx);
    const mustFollow = (other: Transaction): boolean => {
      const id = toHex(other.txid);
      if (descendants.has(id)) return true;
      return !ancestors.has(id) && this.#placeOf(other) > place && place >= 0;
    };
    let at = this.#history.length;
    while (at > 0 && mustFollow(this.#history[at - 1] as Transaction)) at -= 1;
    this.#history.splice(at, 0, tx);
  }

  /** Ids in hex of the transactions that are reached from one by repeated steps. */
  #related(from: Transaction, step: (tx: Transaction) => readonly (Transaction | undefined)[]): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [from];
    for (let tx = waiting.pop(); tx; tx = waiting.pop()) {
      for (const next of step(tx)) {
        if (!next || found.has(toHex(next.txid))) continue;
        found.add(toHex(next.txid));
        waiting.push(next);
      }
    }
    return found;
  }

  /** Place of the last known of our hashes that an output pays; -1 if none does. */
  #placeOf({ vout }: Transaction): number {
    const places = vout.map(({ scriptPubKey }) => {
      const hash = hashInScript(scriptPubKey);
      return (hash && this.#own.placeOf(hash)) ?? -1;
    });
    return Math.max(-1, ...places);
  }

  /**
   * Computes coins and balance from the history. Outputs that a pending transaction spends count until a transaction that counts follows
   * it, as in `defid`.
   */
  #update(): void {
    const spent = new Set<string>();
    const removed = new Set<string>();
    const invalid = new Set<string>();
    const pending = new Set<string>();
    const created: BitcoinCoin[] = [];
    let fresh: string[] = [];
    for (const tx of this.#history) {
      const points = tx.vin.map(({ prevout }) => pointKey(prevout));
      if (points.some((point) => spent.has(point)) || tx.vin.some(({ prevout }) => invalid.has(toHex(prevout.txid)))) {
        invalid.add(toHex(tx.txid));
        continue;
      }
      for (const point of points) spent.add(point);
      fresh.push(...points);
      if (this.#isPending(tx, pending)) {
        pending.add(toHex(tx.txid));
        continue;
      }
      if (!this.#concerns(tx, (hash) => this.#own.isKey(hash))) continue;
      created.push(...this.#coinsOf(tx));
      for (const point of fresh) removed.add(point);
      fresh = [];
    }
    this.#coins = created.filter(({ prevout }) => !removed.has(pointKey(prevout)));
    this.#balance = this.#coins.reduce((sum, { output }) => sum + output.value, 0n);
  }

  *#coinsOf({ txid, vout }: Transaction): Generator<BitcoinCoin> {
    for (const [n, output] of vout.entries()) {
      const hash = hashInScript(output.scriptPubKey);
      if (hash && this.#own.isKey(hash) && !this.#own.isScript(hash)) yield { prevout: { txid, vout: n }, output };
    }
  }

  /** True if the outputs of a transaction do not count yet, as those of a refund, whose sequence is below the final ones. */
  #isPending({ vin, vout, lockTime, raw, strippedSize }: Transaction, pending: ReadonlySet<string>): boolean {
    const size = Math.ceil((3 * strippedSize + raw.length) / 4);
    if (size > MAX_TX_SIZE || vout.some(({ value }) => value < DUST)) return true;
    const isLocked = lockTime > (lockTime < LOCKTIME_THRESHOLD ? 1 : this.#clock.seconds());
    return vin.some(
      ({ prevout, sequence }) =>
        sequence < SEQUENCE_NOT_FINAL || (sequence < SEQUENCE_FINAL && isLocked) || pending.has(toHex(prevout.txid)),
    );
  }
}
