import { TxInvalid } from '../../consensus/errors.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from '../../script/custom-tx.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { TxRejected } from '../kernel/rejected.js';
import { hasFlag, isDestroyed, movedCollaterals, tokenByCreation } from '../tokens/columns.js';
import { movesCollateral } from '../tokens/updates.js';
import { masternodeOfCollateral, masternodeState } from './columns.js';
import { releasedByUpdate } from './updates.js';

/** True unless output 1 of this transaction is a collateral output that is still locked at this height. @see docs/protocol/chain.md 4.7 */
export function isCollateralReleased(view: StateView, txid: Hash256, height: number, params: NetworkParams): boolean {
  const node = masternodeOfCollateral(view, txid);
  if (node) return masternodeState(view, node, height, params) === 'RESIGNED';
  if (view.has(movedCollaterals, txid)) return false;
  const created = tokenByCreation(view, txid)?.token;
  return !created || isDestroyed(created) || hasFlag(created, 'poolShare');
}

/**
 * Rule for this transaction: given a txid, returns true if output 1 of that transaction may be spent.
 * @returns the failure of a masternode update that cannot be decoded, which is due after the check that all inputs exist
 */
export function collateralRule(
  view: StateView,
  tx: Transaction,
  height: number,
  params: NetworkParams,
): ((txid: Hash256) => boolean) | TxInvalid {
  try {
    const released = releasedByUpdate(view, tx, { height, params });
    return (txid) => (released !== undefined && equalBytes(released, txid)) || isCollateralReleased(view, txid, height, params);
  } catch (error) {
    if (!(error instanceof TxRejected)) throw error;
    const reason = isActive(params, 'metachain', height) ? 'bad-updatemasternode-message' : 'bad-txns-customtx';
    return new TxInvalid(reason, `UpdateMasternodeTx: ${error.message}`);
  }
}

/** Types of transactions whose output 1 can become a collateral output: creations of masternodes and tokens, and their updates. */
const HOLDERS = new Set(['C', 'm', 'T', 'n', 'g']);

/** True if output 1 can be a collateral output, judged by the transaction's type alone. Genesis coinbases can hold collateral too. */
export function mayHoldCollateral(tx: Pick<Transaction, 'vout'>): boolean {
  const payload = customTxPayload(tx);
  return payload !== undefined && HOLDERS.has(payload.type);
}

/**
 * True if the mempool must not let others spend output 1 while the transaction is unconfirmed. Masternode updates and loan tokens create
 * collateral outputs too; their effect on the mempool's DeFi state locks those, and that rule provides the error text.
 * @see docs/protocol/chain.md 5.1
 */
export function makesCollateral(tx: Transaction): boolean {
  const payload = customTxPayload(tx);
  return payload?.type === 'C' || payload?.type === 'T' || (payload?.type === 'n' && movesCollateral(payload.body));
}
