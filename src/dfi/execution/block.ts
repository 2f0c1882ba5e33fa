import type { BlockBuilder } from '../../evm/block/block-builder.js';
import { isActive } from '../../params/network.js';
import type { Block } from '../../primitives/block.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { Overlay } from '../../storage/overlay.js';
import { storedAttributes } from '../attributes/attributes.js';
import { isFeatureOn } from '../attributes/features.js';
import { updateAlarms } from '../auctions/alarms.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import type { TxContext } from '../context/custom-tx.js';
import { BlockHistory } from '../context/history.js';
import type { SplitCreation, SplitOrder } from '../context/split-creation.js';
import { applyChanges } from '../development/apply.js';
import { changesOf } from '../development/changes.js';
import { beneficiaryOf, type EvmCommitment, requireCommitment } from '../evm/commitment.js';
import { finishEvmBlock, startEvmBlock } from '../evm/evm-block.js';
import { TokenSplits } from '../evm/token-split.js';
import type { BlockContext } from '../kernel/block-context.js';
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

/** EVM block under construction in a DVM block. */
interface EvmExecution {
  readonly block: BlockBuilder;
  readonly commitment: EvmCommitment;
  readonly splits: TokenSplits;
  /** DVM transactions of entries so far, by index of the entry. */
  readonly txids: Map<number, Hash256>;
}

/** Executes the DeFi side of a block, in an overlay of the state before it: events before its transactions, each transaction as it is connected, and the events at the end. */
export class DefiExecution {
  readonly #history: BlockHistory;
  /** Splits scheduled for this height by the state before the block. */
  readonly #splitOrders: readonly SplitOrder[];
  #splits: readonly SplitCreation[] = [];
  /** Context of the block's transactions. The state before the block decides whether it contains an EVM block. */
  readonly #block: BlockContext & Pick<TxContext, 'evmEnabled'>;
  #evm: EvmExecution | undefined;

  constructor(
    private readonly block: Block,
    private readonly context: BlockContext & { readonly view: Overlay },
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
    const outcome = applyCustomTx(input, { ...this.#block, evmBlock: this.#evm?.block }, view);
    if (outcome.status === 'failed') return outcome.fatal ? outcome.message : undefined;
    if (outcome.status === 'applied') {
      this.#evm?.splits.noteWrites(outcome.effects.overlay);
      outcome.effects.overlay.commit();
      outcome.effects.record(this.#history);
      this.#linkEntries(input.tx.txid);
    }
    return undefined;
  }

  /**
   * Starts the EVM block, runs the events before the block's transactions and, on development networks, makes the changes of the coinbase.
   * @throws {BlockInvalid} if the EVM is on and the coinbase has no well-formed EVM commitment, or if a change is impossible
   */
  begin(): void {
    if (this.#block.evmEnabled) this.#evm = this.#startEvm();
    this.#run(openingEvents);
    const coinbase = this.block.transactions[0];
    const changes = coinbase ? changesOf(coinbase, this.context.params) : [];
    applyChanges({ ...this.context, evmBlock: this.#evm?.block }, changes);
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
    this.#splits = requireSplitCreations(view, transactions, orders);
  }

  /**
   * Runs the events at the end of the block and writes its histories.
   * @throws {BlockInvalid} if the EVM block does not match the commitment in the coinbase
   */
  finish(): void {
    const { view, height, params } = this.context;
    const { hash, transactions } = this.block;
    this.#run(splitEvents);
    if (this.#evm) {
      const { block, txids, commitment } = this.#evm;
      finishEvmBlock(view, block, { dvmHeight: height, dvmHash: hash, txids }, commitment);
    }
    this.#run(blockEvents);
    this.#history.addBurntOutputs(transactions);
    this.#history.write(view);
    if (isActive(params, 'fortCanning', height)) updateAlarms(this.context);
  }

  #startEvm(): EvmExecution {
    const { header, transactions } = this.block;
    const { view, height, params, time } = this.context;
    const commitment = requireCommitment(transactions[0] as Transaction);
    const beneficiary = beneficiaryOf(commitment);
    const splits = new TokenSplits(view.below, view);
    const { findPrecompile } = splits;
    const block = startEvmBlock(view, { height, params, time, bits: header.bits, beneficiary, findPrecompile });
    return { commitment, block, splits, txids: new Map() };
  }

  /** Notes the transaction as the carrier of the entries that it added, except for those of the node itself, such as deployments. */
  #linkEntries(txid: Hash256): void {
    if (!this.#evm) return;
    const { block, txids } = this.#evm;
    const last = block.entries.length - 1;
    if (block.entries[last]?.receipt.isSystem === false && !txids.has(last)) txids.set(last, txid);
  }

  #run(events: readonly BlockEvent[]): void {
    const { hash: blockHash, transactions } = this.block;
    const own = { blockHash, transactions, history: this.#history, splits: this.#splits, evmBlock: this.#evm?.block };
    const context: BlockEventContext = { ...this.context, ...own };
    for (const event of events) if (event.isDue(context)) event.run(context);
  }
}
