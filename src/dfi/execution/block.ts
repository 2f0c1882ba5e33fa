import { BlockInvalid } from '../../consensus/errors.js';
import { isActive } from '../../params/network.js';
import type { Block } from '../../primitives/block.js';
import type { Transaction } from '../../primitives/transaction.js';
import { storedAttributes } from '../attributes/attributes.js';
import { isFeatureOn } from '../attributes/features.js';
import { updateAlarms } from '../auctions/alarms.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import type { TxContext } from '../context/custom-tx.js';
import { BlockHistory } from '../context/history.js';
import type { SplitCreation, SplitOrder } from '../context/split-creation.js';
import { type EvmCommitment, requireCommitment } from '../evm/commitment.js';
import { endEvmBlock } from '../evm/end-block.js';
import type { BlockContext } from '../kernel/block-context.js';
import { countUnexecuted, hasSkippedEvmTransactions } from '../kernel/unexecuted-columns.js';
import { requireSplitCreations, splitOrders } from '../splits/creation.js';
import { applyCustomTx, type CustomTxInput } from './apply.js';
import { blockEvents, openingEvents, splitEvents } from './events.js';

/** Histories that are kept. The burn history always is. */
export interface KeptHistories {
  /** True if the account history is kept. */
  readonly keepsHistory: boolean;
  /** True if the history of vaults is kept. */
  readonly keepsVaultHistory?: boolean;
}

/** Executes the DeFi side of a block: events before its transactions, each transaction as it is connected, and the events at the end. */
export class DefiExecution {
  readonly #history: BlockHistory;
  /** Splits scheduled for this height by the state before the block. */
  readonly #splitOrders: readonly SplitOrder[];
  #splits: readonly SplitCreation[] = [];
  /** Context of the block's transactions. The state before the block decides whether it contains an EVM block. */
  readonly #block: BlockContext & Pick<TxContext, 'evmEnabled'>;
  #commitment: EvmCommitment | undefined;

  constructor(
    private readonly block: Block,
    private readonly context: BlockContext,
    { keepsHistory, keepsVaultHistory }: KeptHistories,
  ) {
    const { view, height, params } = context;
    this.#history = new BlockHistory(height, params, keepsHistory, keepsVaultHistory);
    this.#splitOrders = splitOrders(storedAttributes(view), height);
    this.#block = { ...context, evmEnabled: isFeatureOn(view, 'evm') };
  }

  /**
   * Executes a transaction. Must be called before its inputs are spent in the coin view, because rules look up those coins.
   * @returns reason for which the block is invalid; undefined if the block may continue
   */
  transaction(input: CustomTxInput): string | undefined {
    const { view } = this.context;
    const outcome = applyCustomTx(input, this.#block, view);
    if (outcome.status === 'not-implemented') countUnexecuted(view);
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
    const [coinbase] = this.block.transactions;
    if (this.#block.evmEnabled) this.#commitment = requireCommitment(coinbase as Transaction);
    this.#run(openingEvents);
  }

  /**
   * Finds the creation transactions of the block's token splits. Called after all transactions.
   * @throws {BlockInvalid} if one is missing
   */
  prepareSplits(): void {
    const { view, height, params } = this.context;
    const { transactions } = this.block;
    if (!isActive(params, 'fortCanningCrunch', height)) return;
    // Before Metachain the block's own transactions could still cancel a split.
    const orders = isActive(params, 'metachain', height) ? this.#splitOrders : splitOrders(storedAttributes(view), height);
    try {
      this.#splits = requireSplitCreations(view, transactions, orders);
    } catch (error) {
      if (!(error instanceof BlockInvalid) || !hasSkippedEvmTransactions(view)) throw error;
    }
  }

  /**
   * Runs the events at the end of the block and writes its histories.
   * @throws {BlockInvalid} if the EVM block does not match the commitment in the coinbase
   */
  finish(): void {
    const { view, height, params } = this.context;
    const { hash, transactions } = this.block;
    this.#run(splitEvents);
    if (this.#commitment) endEvmBlock(view, { height, hash }, this.#commitment);
    this.#run(blockEvents);
    this.#history.addBurntOutputs(transactions);
    this.#history.write(view);
    if (isActive(params, 'fortCanning', height)) updateAlarms(this.context);
  }

  #run(events: readonly BlockEvent[]): void {
    const { hash: blockHash, transactions } = this.block;
    const context: BlockEventContext = { ...this.context, blockHash, transactions, history: this.#history, splits: this.#splits };
    for (const event of events) if (event.isDue(context)) event.run(context);
  }
}
