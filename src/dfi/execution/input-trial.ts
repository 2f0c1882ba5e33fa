import { isActive, type NetworkParams } from '../../params/network.js';
import type { Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from '../../script/custom-tx.js';
import { updateMasternode } from '../masternodes/updates.js';
import { customTxOf } from './registry.js';

/** Consequence of a message that fails when it is tried before the inputs are checked. */
export type FailureConsequence =
  /** The transaction is rejected. */
  | 'fatal'
  /** The transaction stays valid, but the collateral that its message would have released remains locked. */
  | 'harmless';

/**
 * Consequence of a failing message for the types that `defid` applies before checking inputs, below the Metachain height: MintToken (`M`)
 * and AccountToUtxos (`b`) before Dakota, UpdateMasternode (`m`) from Grand Central on. Undefined for all others.
 * @see docs/protocol/chain.md 4.7
 */
export function failureConsequenceOf(tx: Transaction, height: number, params: NetworkParams): FailureConsequence | undefined {
  if (isActive(params, 'metachain', height)) return undefined;
  const type = customTxPayload(tx)?.type ?? '';
  const dakota = isActive(params, 'dakota', height);
  if (customTxOf(type)?.mustSucceed) return dakota ? undefined : 'fatal';
  if (type !== updateMasternode.type || !isActive(params, 'grandCentral', height)) return undefined;
  return dakota ? 'fatal' : 'harmless';
}

/** Reject reason of a block with a custom transaction that fails. `defid` applies some of them with the checks of the inputs too. */
export function reasonOfFailure(tx: Transaction, height: number, params: NetworkParams): string {
  return failureConsequenceOf(tx, height, params) === 'fatal' ? 'bad-txns-customtx' : 'bad-custom-tx';
}
