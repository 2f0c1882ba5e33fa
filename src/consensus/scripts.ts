import type { Transaction, TxFormat } from '../primitives/transaction.js';
import { TransactionChecker } from '../script/checker.js';
import type { VerifyFlags } from '../script/flags.js';
import { ScriptError } from '../script/script-error.js';
import { WitnessHashes } from '../script/sighash.js';
import { verifyScript } from '../script/verify.js';
import { TxInvalid } from './errors.js';
import type { SpentOutput } from './transaction.js';

/**
 * Runs the scripts of every input.
 * @param spent the outputs that are spent, in the order of the inputs
 * @throws {TxInvalid} mandatory-script-verify-flag-failed, with what the script failed at
 */
export function checkScripts(tx: Transaction, spent: readonly SpentOutput[], flags: VerifyFlags, format: TxFormat): void {
  const hashes = new WitnessHashes(tx, format);
  tx.vin.forEach(({ scriptSig, witness }, input) => {
    const { scriptPubKey, value } = (spent[input] as SpentOutput).out;
    try {
      verifyScript({ scriptSig, witness, scriptPubKey }, flags, new TransactionChecker(tx, format, input, value, { hashes }));
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw new TxInvalid(`mandatory-script-verify-flag-failed (${error.message})`);
    }
  });
}
