import { isActive, type NetworkParams } from '../params/network.js';
import type { Transaction } from '../primitives/transaction.js';
import { customTxPayload } from '../script/custom-tx.js';

/** Consequence of a message that fails when it is tried before the inputs are checked. */
export type Trial =
  /** The transaction is rejected. */
  | 'fatal'
  /** The transaction stays valid, but the collateral that its message would have released remains locked. */
  | 'harmless';

/**
 * Consequence of a failing message for the types that `defid` applies before checking inputs, below the Metachain height: MintToken (`M`)
 * and AccountToUtxos (`b`) before Dakota, UpdateMasternode (`m`) from Grand Central on. Undefined for all others.
 * @see docs/protocol/chain.md 4.7
 */
export function failureConsequenceOf(tx: Transaction, height: number, params: NetworkParams): Trial | undefined {
  if (isActive(params, 'metachain', height)) return undefined;
  const type = customTxPayload(tx)?.type;
  const dakota = isActive(params, 'dakota', height);
  if (type === 'M' || type === 'b') return dakota ? undefined : 'fatal';
  if (type !== 'm' || !isActive(params, 'grandCentral', height)) return undefined;
  return dakota ? 'fatal' : 'harmless';
}
