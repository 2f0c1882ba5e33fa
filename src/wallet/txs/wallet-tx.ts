import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Hash256 } from '../../primitives/hash.js';
import { isCoinbase, type Transaction } from '../../primitives/transaction.js';
import { toHex } from '../../util/bytes.js';
import type { Ownership } from '../keys/ownership.js';
import type { TxRecord } from '../store/records.js';

/** Where a transaction of the wallet stands. */
export type TxStatus =
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'confirmed'; readonly block: BlockPlace; readonly index: number }
  /** The block holds a transaction that spends the same output. */
  | { readonly kind: 'conflicted'; readonly block: BlockPlace };

/** A block that is known by its hash; its entry is missing where the chain does not know it (any more). */
export interface BlockPlace {
  readonly hash: Hash256;
  readonly entry: BlockIndexEntry | undefined;
}

export const UNCONFIRMED: TxStatus = { kind: 'unconfirmed' };
export const ABANDONED: TxStatus = { kind: 'abandoned' };

/** What a wallet's transaction is asked of the chain. */
export interface Depths {
  /** Blocks from this one to the tip, both included; -1 off the active chain. */
  confirmations(entry: BlockIndexEntry): number;
}

export interface WalletTxFacts {
  readonly tx: Transaction;
  readonly status: TxStatus;
  readonly receivedAt: number;
  readonly smartTime: number;
  readonly isFromMe: boolean;
  readonly order: number;
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
  /** The txid in hex, wire order: sorts as raw txids do. */
  readonly key: string;
  readonly isCoinbase: boolean;
  /** Transactions of the wallet that spend each output, where there are any; several where they conflict. */
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

  /** What callers wrote down about it, by the names of the store. */
  get notes(): ReadonlyMap<string, string> {
    return this.#notes;
  }

  note(name: string, text: string): void {
    this.#notes = new Map([...this.#notes, [name, text]]);
  }

  /** Whose each output is; judged once. */
  ownership(judge: (script: Uint8Array) => Ownership): readonly Ownership[] {
    this.#ownership ??= this.tx.vout.map(({ scriptPubKey }) => judge(scriptPubKey));
    return this.#ownership;
  }

  /** The wallet's keys changed in a way that concerns its outputs. */
  forgetOwnership(): void {
    this.#ownership = undefined;
  }

  /**
   * Confirmations; 0 where no block of the active chain holds it, negative where one conflicts with it.
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

  /** Some transaction of the wallet that still counts spends the output. */
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
