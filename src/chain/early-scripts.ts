import { blockScriptFlags } from '../consensus/script-flags.js';
import { BlockScripts } from '../consensus/scripts.js';
import { spendsOutputs } from '../consensus/transaction.js';
import type { Block } from '../primitives/block.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction } from '../primitives/transaction.js';
import { Overlay } from '../storage/overlay.js';
import { coins } from './coins.js';
import { type ConnectContext, coinsOf } from './connect.js';

/** Transactions whose coins are read in one batch. */
const TRANSACTIONS_AT_ONCE = 128;

/**
 * Scripts of a block on the tip that other threads verify while the block is still being decoded. Scripts depend on nothing but the
 * transaction and the outputs that it spends, so nothing else of the block need be checked before. The block is connected in
 * `overlay`, which has read the coins.
 */
export class EarlyScripts {
  readonly overlay: Overlay;
  readonly scripts: BlockScripts;
  #coinbase: Transaction | undefined;
  #waiting: Transaction[] = [];
  #isEnded = false;

  /** @param below state of the tip @param context of a child of the tip */
  constructor(below: Overlay, { height, params, scripts }: ConnectContext) {
    this.overlay = new Overlay(below);
    this.scripts = new BlockScripts(blockScriptFlags(height, params), params.txFormat, scripts);
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
    return !this.#isEnded && this.#coinbase !== undefined && this.#coinbase === transactions[0] && this.overlay.isCurrent;
  }

  /** Ends the verification for a block that is not connected now. */
  abandon(): void {
    this.#isEnded = true;
    this.#waiting = [];
    this.scripts.abandon();
  }

  #queue(): void {
    const transactions = this.#waiting;
    this.#waiting = [];
    if (!this.overlay.isCurrent) {
      this.abandon();
      return;
    }
    const points: OutPoint[] = [];
    for (const { vin } of transactions) for (const { prevout } of vin) points.push(prevout);
    this.overlay.getMany(coins, points);
    for (const tx of transactions) this.scripts.queue(tx, coinsOf(tx, this.overlay));
  }
}
