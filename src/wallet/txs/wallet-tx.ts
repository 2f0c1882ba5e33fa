import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Hash256 } from '../../primitives/hash.js';
import { isCoinbase, type Transaction } from '../../primitives/transaction.js';
import { toHex } from '../../util/bytes.js';
import type { Ownership } from '../keys/ownership.js';
import type { TxRecord } from '../store/records.js';

/** Status of a transaction of the wallet. */
export type TxStatus =
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'confirmed'; readonly block: BlockReference; readonly index: number }
  /** The block contains a transaction that spends the same output. */
  | { readonly kind: 'conflicted'; readonly block: BlockReference };

/** A block by its hash; the entry is undefined if the block index does not have it. */
export interface BlockReference {
  readonly hash: Hash256;
  readonly entry: BlockIndexEntry | undefined;
}

export const UNCONFIRMED: TxStatus = { kind: 'unconfirmed' };
export const ABANDONED: TxStatus = { kind: 'abandoned' };

/** The part of the chain that depths are computed from. */
export interface Depths {
  /** Blocks from this one to the tip, both included; -1 off the active chain. */
  confirmations(entry: BlockIndexEntry): number;
}

export interface WalletTxFacts {
  readonly tx: Transaction;
  readonly status: TxStatus;
  /** Seconds since 1970. */
  readonly receivedAt: number;
  /** Estimated time of creation, seconds since 1970. */
  readonly smartTime: number;
  /** The wallet built it as a payment. */
  readonly isFromMe: boolean;
  /** Position in the order of receipt. */
  readonly order: number;
  /** Comments and replacements by name, such as `comment` and `replaced_by_txid`. */
  readonly notes: ReadonlyMap<string, string>;
}

/** A transaction of the wallet, linked to those of the wallet that spend its outputs. */
export class WalletTx {
  tx: Transaction;
  status: TxStatus;
  readonly receivedAt: number;
  smartTime: number;
  isFromMe: boolean;
  readonly order: number;
  #notes: ReadonlyMap<string, string>;
  /** Txid in hex, wire order; sorts as raw txids do. */
  readonly key: string;
  readonly isCoinbase: boolean;
  /** Transactions of the wallet that spend each output; several if they conflict. */
  readonly spenders: (readonly WalletTx[] | undefined)[] = [];
  #ownership: readonly Ownership[] | undefined;

  constructor(facts: WalletTxFacts) {
    this.tx = facts.tx;
    this.status = facts.status;
    this.receivedAt = facts.receivedAt;
    this.smartTime = facts.smartTime;
    this.isFromMe = facts.isFromMe;
    this.order = facts.order;
    this.#notes = facts.notes;
    this.key = toHex(facts.tx.txid);
    this.isCoinbase = isCoinbase(facts.tx);
  }

  /** See {@link WalletTxFacts.notes}. */
  get notes(): ReadonlyMap<string, string> {
    return this.#notes;
  }

  /** Sets a note; the caller saves the transaction. */
  note(name: string, text: string): void {
    this.#notes = new Map([...this.#notes, [name, text]]);
  }

  /** Removes a note; the caller saves the transaction. */
  dropNote(name: string): void {
    this.#notes = new Map([...this.#notes].filter(([each]) => each !== name));
  }

  /** Ownership of each output, cached. */
  ownership(judge: (script: Uint8Array) => Ownership): readonly Ownership[] {
    this.#ownership ??= this.tx.vout.map(({ scriptPubKey }) => judge(scriptPubKey));
    return this.#ownership;
  }

  /** Clears the cache of {@link ownership}. */
  forgetOwnership(): void {
    this.#ownership = undefined;
  }

  /**
   * Confirmations; 0 if it is in no block of the active chain, negative if it conflicts with one.
   * @see docs/protocol/wallet.md 2.2
   */
  depth(chain: Depths): number {
    const { status } = this;
    if (status.kind !== 'confirmed' && status.kind !== 'conflicted') return 0;
    const { entry } = status.block;
    const confirmations = entry ? chain.confirmations(entry) : -1;
    if (confirmations < 1) return 0;
    return status.kind === 'confirmed' ? confirmations : -confirmations;
  }

  /** True if a transaction of the wallet spends the output that is not abandoned and does not conflict with the active chain. */
  isSpent(vout: number, chain: Depths): boolean {
    for (const spender of this.spenders[vout] ?? []) {
      const depth = spender.depth(chain);
      if (depth > 0 || (depth === 0 && spender.status.kind !== 'abandoned')) return true;
    }
    return false;
  }

  get isAbandoned(): boolean {
    return this.status.kind === 'abandoned';
  }

  record(): TxRecord {
    const { status } = this;
    const block = status.kind === 'confirmed' || status.kind === 'conflicted' ? status.block : undefined;
    return {
      raw: this.tx.raw,
      blockHash: block?.hash,
      blockIndex: status.kind === 'confirmed' ? status.index : -1,
      isAbandoned: this.isAbandoned,
      receivedAt: this.receivedAt,
      smartTime: this.smartTime,
      isFromMe: this.isFromMe,
      order: this.order,
      notes: [...this.notes].sort(([a], [b]) => (a < b ? -1 : 1)),
    };
  }
}
