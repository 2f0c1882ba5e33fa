import { blockScriptFlags } from '../consensus/script-flags.js';
import { BlockScripts } from '../consensus/scripts.js';
import { type SpentOutput, spendsOutputs } from '../consensus/transaction.js';
import type { Block } from '../primitives/block.js';
import type { OutPoint } from '../primitives/outpoint.js';
import { isCoinbase, type Transaction } from '../primitives/transaction.js';
import { Overlay } from '../storage/overlay.js';
import type { StateView } from '../storage/view.js';
import { byteText } from '../util/bytes.js';
import type { BlockIndexEntry } from './block-index.js';
import { coins } from './coins.js';
import type { ConnectContext } from './connect.js';

/** Transactions whose coins are read in one batch. */
const TRANSACTIONS_AT_ONCE = 128;

/**
 * Scripts of a block that other threads verify while the block is still being decoded. Scripts depend on nothing but the transaction and
 * the outputs that it spends, which the transaction names by hashes of their contents, so nothing else of the block need be checked before.
 */
export class EarlyScripts {
  /** Overlay on which the block is connected, since it has read the coins; undefined if the parent is not connected yet. */
  readonly overlay: Overlay | undefined;
  readonly scripts: BlockScripts;
  /** Transactions of the parent that is not connected yet, by id. */
  readonly #parents = new Map<string, Transaction>();
  #coinbase: Transaction | undefined;
  #waiting: Transaction[] = [];
  #isEnded = false;

  /**
   * @param below state of the tip
   * @param context of the block
   * @param parent of the block, if it waits to be connected on the tip
   */
  constructor(
    private readonly below: Overlay,
    private readonly context: ConnectContext,
    parent?: Block,
  ) {
    const { height, params, scripts } = context;
    this.scripts = new BlockScripts(blockScriptFlags(height, params), params.txFormat, scripts);
    if (!parent) this.overlay = new Overlay(below);
    else for (const tx of parent.transactions) this.#parents.set(byteText(tx.txid), tx);
  }

  /** Notes the next transaction of the block. */
  add(tx: Transaction): void {
    this.#coinbase ??= tx;
    if (this.#isEnded || !spendsOutputs(tx)) return;
    this.#waiting.push(tx);
    if (this.#waiting.length >= TRANSACTIONS_AT_ONCE) this.#queue();
  }

  /** True if the transactions are those of the block, and the state below is still that of its parent. */
  areOf({ transactions }: Block): boolean {
    return !this.#isEnded && this.#coinbase !== undefined && this.#coinbase === transactions[0] && this.overlay?.isCurrent !== false;
  }

  /** True if the block continues that one. */
  continues(entry: BlockIndexEntry): boolean {
    return this.context.parent === entry;
  }

  /** Ends the verification for a block that is not connected now. */
  abandon(): void {
    this.#isEnded = true;
    this.#waiting = [];
    this.#parents.clear();
    this.scripts.abandon();
  }

  #queue(): void {
    const transactions = this.#waiting;
    this.#waiting = [];
    if (this.overlay?.isCurrent === false) {
      this.abandon();
      return;
    }
    // A parent that is not connected may spend what is read here, so the block reads it again when it is connected.
    const view = this.overlay ?? new Overlay(this.below);
    const points: OutPoint[] = [];
    for (const { vin } of transactions) {
      for (const { prevout } of vin) if (!this.#parents.has(byteText(prevout.txid))) points.push(prevout);
    }
    view.getMany(coins, points);
    for (const tx of transactions) {
      this.scripts.queue(
        tx,
        tx.vin.map(({ prevout }) => this.#output(prevout, view)),
      );
    }
  }

  #output(point: OutPoint, view: StateView): SpentOutput | undefined {
    const tx = this.#parents.get(byteText(point.txid));
    if (!tx) return view.get(coins, point);
    const out = tx.vout[point.vout];
    return out && { out, height: this.context.height - 1, coinbase: isCoinbase(tx) };
  }
}
