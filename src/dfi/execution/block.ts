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
import { countUnexecuted, lacksEffects } from '../kernel/unexecuted-columns.js';
import { requireSplitCreations, splitOrders } from '../splits/creation.js';
import { applyCustomTx, type CustomTxInput } from './apply.js';
import { blockEvents, openingEvents, splitEvents } from './events.js';

/** Where the DeFi side of a block is executed. */
export interface DefiBlock {
  readonly block: Block;
  readonly height: number;
  readonly params: NetworkParams;
  readonly view: WritableView;
  /** Unspent outputs at this moment. */
  coin(point: OutPoint): TxOut | undefined;
  /** Whether the account history is kept; that of burns always is. */
  readonly keepsHistory: boolean;
  /** Whether the history of vaults is kept. */
  readonly keepsVaultHistory?: boolean;
  /** Times of the chain that the block extends. */
  readonly blockTime: BlockTimeAt;
}

/** Executes what a block does to the DeFi state: its transactions one by one as they are connected, events before and after them. */
export class DefiExecution {
  readonly #history: BlockHistory;
  /** Splits that were ordered before the block. */
  readonly #splitOrders: readonly SplitOrder[];
  #splits: readonly SplitCreation[] = [];
  /** Whether the block holds one of the EVM: so it was decided before it. */
  readonly #evmEnabled: boolean;
  #commitment: EvmCommitment | undefined;

  constructor(private readonly at: DefiBlock) {
    this.#history = new BlockHistory(at.height, at.params, at.keepsHistory, at.keepsVaultHistory);
    this.#splitOrders = splitOrders(storedAttributes(at.view), at.height);
    this.#evmEnabled = isFeatureOn(at.view, 'evm');
  }

  /**
   * Executes a transaction before the outputs that it spends are gone.
   * @returns why its block is invalid; undefined if it is not
   */
  transaction(input: CustomTxInput): string | undefined {
    const { height, params, view, block, blockTime } = this.at;
    const coin = (point: OutPoint) => this.at.coin(point);
    const context = { height, params, blockTime, time: block.header.time, coin, evmEnabled: this.#evmEnabled };
    const outcome = applyCustomTx(input, context, view);
    if (outcome.status === 'unbuilt') countUnexecuted(view);
    if (outcome.status === 'failed') return outcome.fatal && !lacksEffects(view) ? outcome.message : undefined;
    if (outcome.status === 'applied') {
      outcome.effects.overlay.commit();
      outcome.effects.record(this.#history);
    }
    return undefined;
  }

  /**
   * Runs what happens before the block's transactions.
   * @throws {BlockInvalid} if the coinbase lacks what it has to say of the EVM
   */
  begin(): void {
    const [coinbase] = this.at.block.transactions;
    if (this.#evmEnabled) this.#commitment = requireCommitment(coinbase as Transaction);
    this.#run(openingEvents);
  }

  /**
   * Looks for what the block's splits need, behind its transactions.
   * @throws {BlockInvalid} if it is not there
   */
  prepareSplits(): void {
    const { view, height, params, block } = this.at;
    if (!isActive(params, 'fortCanningCrunch', height)) return;
    // Before Metachain also the block's own transactions could call a split off.
    const orders = isActive(params, 'metachain', height) ? this.#splitOrders : splitOrders(storedAttributes(view), height);
    try {
      this.#splits = requireSplitCreations(view, block.transactions, orders);
    } catch (error) {
      if (!(error instanceof BlockInvalid) || !lacksEffects(view)) throw error;
    }
  }

  /**
   * Runs what happens at the end of the block, and writes its histories.
   * @throws {BlockInvalid} if the block of the EVM is not what the coinbase says
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
