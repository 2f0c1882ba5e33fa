import { customTxPayload } from '../dfi/kernel/payload.js';
import { isActive, type NetworkParams } from '../params/network.js';
import type { Transaction } from '../primitives/transaction.js';

/** What becomes of a transaction whose message fails before its inputs are looked at. */
export type Trial =
  /** It is refused. */
  | 'fatal'
  /** It may not spend the collateral that it would have moved. */
  | 'harmless';

/**
 * Up to Metachain some messages are tried before the inputs of their transaction: those that must not fail before Dakota, and updates
 * of masternodes. Undefined for all others.
 * @see docs/protocol/chain.md 4.7
 */
export function trialOf(tx: Transaction, height: number, params: NetworkParams): Trial | undefined {
  if (isActive(params, 'metachain', height)) return undefined;
  const type = customTxPayload(tx)?.type;
  const dakota = isActive(params, 'dakota', height);
  if (type === 'M' || type === 'b') return dakota ? undefined : 'fatal';
  if (type !== 'm' || !isActive(params, 'grandCentral', height)) return undefined;
  return dakota ? 'fatal' : 'harmless';
}
