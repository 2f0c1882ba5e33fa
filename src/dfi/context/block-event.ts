import type { NetworkParams } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import type { WritableView } from '../../storage/view.js';
import { Accounts } from '../accounts/columns.js';
import { TxRejected } from '../kernel/rejected.js';
import { BalanceChanges, type BlockHistory, type HistoryWriter } from './history.js';
import type { SplitCreation } from './split-creation.js';

/** What an event may know of the block at whose end it runs. */
export interface BlockEventContext {
  readonly view: WritableView;
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly blockHash: Hash256;
  readonly transactions: readonly Transaction[];
  readonly params: NetworkParams;
  readonly history: BlockHistory;
  /** Tokens that this block splits, and what it has for that. */
  readonly splits: readonly SplitCreation[];
  coin(point: OutPoint): TxOut | undefined;
}

/** Something that happens at the end of blocks, whoever asks for it or not. What it throws is a fault of ours. */
export interface BlockEvent {
  readonly name: string;
  /** Asked first; an event that has a height for itself says so here. */
  isDue(context: Pick<BlockEventContext, 'height' | 'params'>): boolean;
  run(context: BlockEventContext): void;
}

/** What is not possible is left out, and stops nothing. @returns whether it was done */
export function attempt(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (error instanceof TxRejected) return false;
    throw error;
  }
}

/**
 * Lets an event change balances so that the account history shows it, under a number of its own.
 * The number is used up also where the change fails.
 * @param category type byte that the history shows
 * @param txid by default that of the block
 */
export function withHistory(
  context: Pick<BlockEventContext, 'view' | 'history' | 'blockHash'>,
  { category, txid = context.blockHash }: { readonly category: number; readonly txid?: Hash256 },
  change: (accounts: Accounts) => void,
): void {
  const writer: HistoryWriter = { txid, category, txn: context.history.takeEventTxn() };
  const changes = new BalanceChanges();
  change(new Accounts(context.view, changes));
  context.history.add(changes, writer);
}
