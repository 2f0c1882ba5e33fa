import { BlockInvalid } from '../../consensus/errors.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { Block } from '../../primitives/block.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import type { WritableView } from '../../storage/view.js';
import { storedAttributes } from '../attributes/attributes.js';
import { isFeatureOn } from '../attributes/features.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { BlockHistory } from '../context/history.js';
import type { SplitCreation, SplitOrder } from '../context/split-creation.js';
import { type EvmCommitment, requireCommitment } from '../evm/commitment.js';
import { endEvmBlock } from '../evm/end-block.js';
import type { BlockTimeAt } from '../kernel/block-time.js';
import { countUnexecuted, hasSkippedEvmTransactions } from '../kernel/unexecuted-columns.js';
import { requireSplitCreations, splitOrders } from '../splits/creation.js';
import { applyCustomTx, type CustomTxInput } from './apply.js';
import { blockEvents, openingEvents, splitEvents } from './events.js';

/** Block whose DeFi transactions and events are executed, and its context. */
export interface DefiBlock {
  readonly block: Block;
  readonly height: number;
  readonly params: NetworkParams;
  readonly view: WritableView;
  /** Unspent output as of the transaction being executed. */
  coin(point: OutPoint): TxOut | undefined;
  /** True if the account history is kept; the burn history always is. */
  readonly keepsHistory: boolean;
  /** True if the history of vaults is kept. */
  readonly keepsVaultHistory?: boolean;
  /** Header times of the chain that the block extends. */
  readonly blockTime: BlockTimeAt;
}

/** Executes the DeFi side of a block: events before its transactions, each transaction as it is connected, and the events at the end. */
export class DefiExecution {
  readonly #history: BlockHistory;
  /** Splits scheduled for this height by the state before the block. */
  readonly #splitOrders: readonly SplitOrder[];
  #splits: readonly SplitCreation[] = [];
  /** True if the block contains an EVM block, as the state before it decides. */
  readonly #evmEnabled: boolean;
  #commitment: EvmCommitment | undefined;

  constructor(private readonly at: DefiBlock) {
    this.#history = new BlockHistory(at.height, at.params, at.keepsHistory, at.keepsVaultHistory);
    this.#splitOrders = splitOrders(storedAttributes(at.view), at.height);
    this.#evmEnabled = isFeatureOn(at.view, 'evm');
  }

  /**
   * Executes a transaction. Must be called before its inputs are spent in the coin view, because rules look up those coins.
   * @returns reason for which the block is invalid; undefined if the block may continue
   */
  transaction(input: CustomTxInput): string | undefined {
    const { height, params, view, block, blockTime } = this.at;
    const coin = (point: OutPoint) => this.at.coin(point);
    const context = { height, params, blockTime, time: block.header.time, coin, evmEnabled: this.#evmEnabled };
    const outcome = applyCustomTx(input, context, view);
    if (outcome.status === 'unbuilt') countUnexecuted(view);
    if (outcome.status === 'failed') return outcome.fatal && !hasSkippedEvmTransactions(view) ? outcome.message : undefined;
    if (outcome.status === 'applied') {
      outcome.effects.overlay.commit();
      outcome.effects.record(this.#history);
    }
    return undefined;
  }

  /**
   * Runs the events before the block's transactions.
   * @throws {BlockInvalid} if the EVM is on and the coinbase has no well-formed EVM commitment
   */
  begin(): void {
    const [coinbase] = this.at.block.transactions;
    if (this.#evmEnabled) this.#commitment = requireCommitment(coinbase as Transaction);
    this.#run(openingEvents);
  }

  /**
   * Finds the creation transactions of the block's token splits. Called after all transactions.
   * @throws {BlockInvalid} if one is missing
   */
  prepareSplits(): void {
    const { view, height, params, block } = this.at;
    if (!isActive(params, 'fortCanningCrunch', height)) return;
    // Before Metachain the block's own transactions could still cancel a split.
    const orders = isActive(params, 'metachain', height) ? this.#splitOrders : splitOrders(storedAttributes(view), height);
    try {
      this.#splits = requireSplitCreations(view, block.transactions, orders);
    } catch (error) {
      if (!(error instanceof BlockInvalid) || !hasSkippedEvmTransactions(view)) throw error;
    }
  }

  /**
   * Runs the events at the end of the block and writes its histories.
   * @throws {BlockInvalid} if the EVM block does not match the commitment in the coinbase
   */
  finish(): void {
    const { view, height, block } = this.at;
    this.#run(splitEvents);
    if (this.#commitment) endEvmBlock(view, { height, hash: block.hash }, this.#commitment);
    this.#run(blockEvents);
    this.#history.addBurntOutputs(block.transactions);
    this.#history.write(view);
  }

  #run(events: readonly BlockEvent[]): void {
    const { block, height, params, view } = this.at;
    const context: BlockEventContext = {
      view,
      height,
      params,
      time: block.header.time,
      blockHash: block.hash,
      transactions: block.transactions,
      history: this.#history,
      splits: this.#splits,
      coin: (point) => this.at.coin(point),
    };
    for (const event of events) if (event.isDue(context)) event.run(context);
  }
}
