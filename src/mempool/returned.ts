import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Block } from '../primitives/block.js';
import { isCoinbase, type Transaction } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';

/** Bytes of transactions that are kept while blocks are disconnected. */
const MAX_BYTES = 20_000_000;
/** Blocks that an operator takes back and whose transactions wait again; those of more are left to whoever sent them. */
const MAX_INVALIDATED_BLOCKS = 10;

interface Returned {
  readonly tx: Transaction;
  readonly block: BlockIndexEntry;
  /** Blocks that were disconnected before this one. */
  readonly depth: number;
}

export interface ReturningTransaction {
  readonly tx: Transaction;
  /** False if it only leaves the chain, and takes what depends on it along. */
  readonly mayReturn: boolean;
}

/** Transactions of disconnected blocks, until it is known which of them the new chain has. @see docs/protocol/chain.md 4.11 */
export class ReturnedTransactions {
  /** By txid; the latest block's first, in each block the last transaction first. */
  readonly #transactions = new Map<string, Returned>();
  #bytes = 0;
  #blocks = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** True if blocks were disconnected since the last {@link take}. */
  get pending(): boolean {
    return this.#blocks > 0;
  }

  /** @returns transactions for which there is no room: those of the latest blocks go first */
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

  /** Forgets what is in a block again. */
  connected({ transactions }: Block): void {
    if (this.pending) for (const tx of transactions) this.#delete(tx);
  }

  #delete(tx: Transaction): void {
    if (this.#transactions.delete(toHex(tx.txid))) this.#bytes -= tx.raw.length;
  }

  /** All that is left, in the order of the chain, and forgets it. */
  take(): ReturningTransaction[] {
    const all = [...this.#transactions.values()].reverse().map(({ tx, block, depth }) => {
      // Only blocks that someone declared invalid are failed: the others were connected and may be again.
      const givenUp = block.failed && depth >= MAX_INVALIDATED_BLOCKS;
      return { tx, mayReturn: !isCoinbase(tx) && !givenUp };
    });
    this.#transactions.clear();
    this.#bytes = 0;
    this.#blocks = 0;
    return all;
  }
}
