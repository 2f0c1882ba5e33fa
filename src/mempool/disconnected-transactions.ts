import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Block } from '../primitives/block.js';
import { isCoinbase, type Transaction } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';

/** Maximum total size of the kept transactions, bytes. */
const MAX_BYTES = 20_000_000;
/** Depth of `invalidateblock` up to which transactions return to the pool; those of deeper blocks are dropped. */
const MAX_INVALIDATED_BLOCKS = 10;

interface Returned {
  readonly tx: Transaction;
  readonly block: BlockIndexEntry;
  /** Number of blocks that were disconnected before this one. */
  readonly depth: number;
}

export interface ReturningTransaction {
  readonly tx: Transaction;
  /** False if it must not re-enter the pool; its pooled descendants are then removed. */
  readonly mayReturn: boolean;
}

/** Transactions of disconnected blocks that the new chain does not contain (yet). @see docs/protocol/chain.md 4.11 */
export class DisconnectedTransactions {
  /** By txid, in reverse order of the chain: highest block first, last transaction of a block first. */
  readonly #transactions = new Map<string, Returned>();
  #bytes = 0;
  #blocks = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** True if blocks were disconnected since the last {@link take}. */
  get pending(): boolean {
    return this.#blocks > 0;
  }

  /** Adds the transactions of a block. @returns transactions dropped for lack of room: those of the highest blocks first */
  disconnected({ transactions }: Block, block: BlockIndexEntry): Transaction[] {
    for (const tx of [...transactions].reverse()) {
      this.#transactions.set(toHex(tx.txid), { tx, block, depth: this.#blocks });
      this.#bytes += tx.raw.length;
    }
    this.#blocks += 1;
    const dropped: Transaction[] = [];
    for (const { tx } of this.#transactions.values()) {
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
  take(): ReturningTransaction[] {
    const all = [...this.#transactions.values()].reverse().map(({ tx, block, depth }) => {
      // A disconnected block was valid, so it is marked as failed only by `invalidateblock`.
      const isDropped = block.failed && depth >= MAX_INVALIDATED_BLOCKS;
      return { tx, mayReturn: !isCoinbase(tx) && !isDropped };
    });
    this.#transactions.clear();
    this.#bytes = 0;
    this.#blocks = 0;
    return all;
  }
}
