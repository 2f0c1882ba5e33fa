import type { NetworkParams } from '../../params/network.js';
import { DecodeError } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { customTxPayload } from '../kernel/payload.js';
import { lacksEffects } from '../kernel/unexecuted-columns.js';
import { hasFlag, isDestroyed, movedCollaterals, tokenByCreation } from '../tokens/columns.js';
import { movesCollateral } from '../tokens/updates.js';
import { masternodeOfCollateral, masternodeState } from './columns.js';
import { releasedByUpdate } from './updates.js';

/** True unless output 1 of this transaction is a collateral that is still locked at this height. @see docs/protocol/chain.md 4.7 */
export function isCollateralReleased(view: StateView, txid: Hash256, height: number, params: NetworkParams): boolean {
  const node = masternodeOfCollateral(view, txid);
  if (node) return masternodeState(view, node, height, params) === 'RESIGNED';
  if (view.has(movedCollaterals, txid)) return false;
  const created = tokenByCreation(view, txid)?.token;
  if (!created || isDestroyed(created) || hasFlag(created, 'poolShare')) return true;
  // A split that was not executed would have ended the token.
  return lacksEffects(view);
}

/**
 * Whether a transaction may spend output 1 of another.
 * @returns undefined if the transaction is an update of a masternode that cannot be read
 */
export function collateralRule(
  view: StateView,
  tx: Transaction,
  height: number,
  params: NetworkParams,
): ((txid: Hash256) => boolean) | undefined {
  try {
    const released = releasedByUpdate(view, tx, { height, params });
    return (txid) => (released !== undefined && equalBytes(released, txid)) || isCollateralReleased(view, txid, height, params);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Types of transactions whose output 1 can come to be a collateral: of masternodes, of tokens, and those that move one. */
const HOLDERS = new Set(['C', 'm', 'T', 'n', 'g']);

/** Whether output 1 can be a collateral at all, as far as the transaction's type tells. Coinbases of genesis hold some too. */
export function mayHoldCollateral(tx: Pick<Transaction, 'vout'>): boolean {
  const payload = customTxPayload(tx);
  return payload !== undefined && HOLDERS.has(payload.type);
}

/**
 * Whether output 1 is refused to others while the transaction waits for its block. Updates of masternodes and tokens to borrow make
 * collaterals too: theirs are locked by what the transaction does to the state of those that wait, and in that rule's words.
 * @see docs/protocol/chain.md 5.1
 */
export function makesCollateral(tx: Transaction): boolean {
  const payload = customTxPayload(tx);
  return payload?.type === 'C' || payload?.type === 'T' || (payload?.type === 'n' && movesCollateral(payload.body));
}
