import type { BlockBuilder } from '../../evm/block/block-builder.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { Accounts } from '../accounts/columns.js';
import type { BlockContext, HeightContext } from '../kernel/block-context.js';
import { BalanceChanges, type BlockHistory, type HistoryWriter } from './history.js';
import type { SplitCreation } from './split-creation.js';

/** Context of the events of a block. Beyond that of any rule it has the block's own transactions and histories, which no transaction sees. */
export interface BlockEventContext extends BlockContext {
  readonly blockHash: Hash256;
  readonly transactions: readonly Transaction[];
  readonly history: BlockHistory;
  /** Tokens that this block splits, with the creation transactions of their successors. */
  readonly splits: readonly SplitCreation[];
  /** EVM block under construction, until the events after which it ends; undefined where the EVM is off. */
  readonly evmBlock?: BlockBuilder | undefined;
}

/** Step that the protocol runs in a block without a transaction. Any exception it throws is a fault of this program. */
export interface BlockEvent {
  readonly name: string;
  /** Cheap test by height, called before {@link run}. */
  isDue(context: HeightContext): boolean;
  run(context: BlockEventContext): void;
}

/**
 * Changes balances on behalf of an event and records them in the account history under the next event number.
 * The number is used up even if the change fails.
 * @param category type byte in the history entries
 * @param txid txid in the history entries; the block's hash by default
 */
export function withHistory(
  context: Pick<BlockEventContext, 'view' | 'history' | 'blockHash'>,
  { category, txid = context.blockHash }: { readonly category: number; readonly txid?: Hash256 },
  change: (accounts: Accounts) => void,
): void {
  const writer: HistoryWriter = { txid, category, txn: context.history.takeEventTxn() };
  const changes = new BalanceChanges();
  change(new Accounts(context.view, changes));
  context.history.add(changes.entries(), writer);
}
