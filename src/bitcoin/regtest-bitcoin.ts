import type { Hash256 } from '../primitives/hash.js';
import type { Transaction, TxFormat } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { Emitter } from '../util/events.js';

/** Transactions of Bitcoin have no token ids. */
export const BITCOIN_FORMAT: TxFormat = { tokenIds: false };

/** Prefixes of addresses and keys of Bitcoin's own regtest. */
export const BITCOIN_REGTEST = { pubKeyHash: 111, scriptHash: 196, secretKey: 239, bech32Prefix: 'bcrt' } as const;

/** Hash of every block of this chain, as in `defid`. */
const BLOCK_HASH: Hash256 = Uint8Array.from({ length: 32 }, (_, i) => (i % 8 === 0 ? 1 : 0));
/** Seconds from the arrival of a transaction to the time of its block. */
const BLOCK_DELAY_SEC = 1000;

/** A transaction in a block of this chain. */
export interface BitcoinTransaction {
  readonly tx: Transaction;
  /** Height of its block. */
  readonly height: number;
  /** Time of its block, seconds since 1970. */
  readonly time: number;
}

export interface BitcoinEvents {
  /** A transaction was sent, or sent again. */
  transaction: BitcoinTransaction;
  /** The height was set. */
  height: number;
}

/**
 * The Bitcoin chain of regtest: it exists in this process alone, has no blocks, checks nothing, and has the height and the transactions that
 * operations give it. On other networks this node has no view of the Bitcoin chain.
 */
export class RegtestBitcoin {
  readonly #clock: Pick<Clock, 'seconds'>;
  readonly #events = new Emitter<BitcoinEvents>();
  readonly #transactions = new Map<string, BitcoinTransaction>();
  #height = 0;

  constructor(clock: Pick<Clock, 'seconds'>) {
    this.#clock = clock;
  }

  on<Name extends keyof BitcoinEvents>(name: Name, listener: (event: BitcoinEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  get height(): number {
    return this.#height;
  }

  setHeight(height: number): void {
    this.#height = height;
    this.#events.emit('height', height);
  }

  /** Places a transaction, also one that is known, into a block at the present height. */
  send(tx: Transaction): void {
    const placed = { tx, height: this.#height, time: this.#clock.seconds() + BLOCK_DELAY_SEC };
    this.#transactions.set(toHex(tx.txid), placed);
    this.#events.emit('transaction', placed);
  }

  find(txid: Hash256): BitcoinTransaction | undefined {
    return this.#transactions.get(toHex(txid));
  }

  /** In the order in which they were sent first. */
  transactions(): Iterable<BitcoinTransaction> {
    return this.#transactions.values();
  }

  /** Hash of the block at a height; undefined if no transaction was sent at it. */
  blockHash(height: number): Hash256 | undefined {
    for (const placed of this.#transactions.values()) if (placed.height === height) return BLOCK_HASH;
    return undefined;
  }
}
