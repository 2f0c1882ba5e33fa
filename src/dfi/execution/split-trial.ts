import { NULL_HASH } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes } from '../attributes/attributes.js';
import type { BlockEventContext } from '../context/block-event.js';
import { BlockHistory } from '../context/history.js';
import type { BlockContext } from '../kernel/block-context.js';
import { requireSplitCreations, splitOrders } from '../splits/creation.js';
import { splitEvents } from './events.js';

/**
 * Runs the restart and the token splits of a block that is not complete yet: their entries are part of the EVM block, to which the coinbase
 * commits. Nothing of them depends on the block's hash. The state is changed.
 * @param before state before the block, which decides about splits
 * @throws {BlockInvalid} if a creation transaction is missing
 */
export function trySplits(
  context: BlockContext & Pick<BlockEventContext, 'evmBlock'>,
  transactions: readonly Transaction[],
  before: StateView,
): void {
  const { view, height, params } = context;
  const splits = requireSplitCreations(view, transactions, splitOrders(storedAttributes(before), height));
  const history = new BlockHistory(height, params, false);
  const event: BlockEventContext = { ...context, blockHash: NULL_HASH, transactions, history, splits };
  for (const each of splitEvents) if (each.isDue(event)) each.run(event);
}
