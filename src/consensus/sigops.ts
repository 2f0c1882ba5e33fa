import { type Transaction, WITNESS_SCALE_FACTOR } from '../primitives/transaction.js';
import { countP2shSigOps, countSigOps, countWitnessSigOps } from '../script/sigops.js';
import type { SpentOutput } from './transaction.js';

/**
 * Signature operations cost of a transaction: those outside witnesses count four times.
 * @param spent the spent outputs; empty for coinbase-like transactions
 * @see BIP141
 */
export function sigOpsCost(tx: Transaction, spent: readonly SpentOutput[], segwit: boolean): number {
  let legacy = 0;
  let witness = 0;
  for (const out of tx.vout) legacy += countSigOps(out.scriptPubKey, false);
  tx.vin.forEach((input, i) => {
    legacy += countSigOps(input.scriptSig, false);
    const script = spent[i]?.out.scriptPubKey;
    if (!script) return;
    legacy += countP2shSigOps(script, input.scriptSig);
    if (segwit) witness += countWitnessSigOps(script, input.scriptSig, input.witness);
  });
  return legacy * WITNESS_SCALE_FACTOR + witness;
}
