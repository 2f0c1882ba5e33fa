import type { Block } from '../primitives/block.js';
import type { Transaction } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';

/** Maximum total size of the kept transactions, bytes. */
const MAX_BYTES = 20_000_000;

/** Transactions of disconnected blocks that the new chain does not contain (yet). @see docs/protocol/chain.md 4.11 */
export class DisconnectedTransactions {
  /** By txid, in reverse order of the chain: highest block first, last transaction of a block first. */
  readonly #transactions = new Map<string, Transaction>();
  #bytes = 0;
  #hasBlocks = false;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** True if blocks were disconnected since the last {@link take}. */
  get pending(): boolean {
    return this.#hasBlocks;
  }

  /** Adds the transactions of a block. @returns transactions dropped for lack of room: those of the highest blocks first */
  disconnected({ transactions }: Block): Transaction[] {
    for (const tx of [...transactions].reverse()) {
      this.#transactions.set(toHex(tx.txid), tx);
      this.#bytes += tx.raw.length;
    }
    this.#hasBlocks = true;
    const dropped: Transaction[] = [];
    for (const tx of this.#transactions.values()) {
      if (this.#bytes <= this.maxBytes) break;
      this.#delete(tx);
      dropped.push(tx);
    }
    return dropped;
  }

  /** Removes the transactions that a connected block contains. */
  connected({ transactions }: Block): void {
    if (this.pending) for (const tx of transactions) this.#delete(tx);
  }

  #delete(tx: Transaction): void {
    if (this.#transactions.delete(toHex(tx.txid))) this.#bytes -= tx.raw.length;
  }

  /** Returns and clears the remaining transactions, in the order of the chain. */
  take(): Transaction[] {
    const all = [...this.#transactions.values()].reverse();
    this.#transactions.clear();
    this.#bytes = 0;
    this.#hasBlocks = false;
    return all;
  }
}
