import { TxInvalid } from '../consensus/errors.js';
import { checkInputs } from '../consensus/transaction.js';
import { firstMintedOutput } from '../dfi/accounts/transactions.js';
import { failureConsequenceOf } from '../dfi/execution/input-trial.js';
import type { ReadContext } from '../dfi/kernel/block-context.js';
import { collateralRule } from '../dfi/masternodes/collateral.js';
import type { Transaction } from '../primitives/transaction.js';
import type { Coin } from './coins.js';

/** State and height by which inputs are checked, and the effect of the message. */
export interface InputChecks extends ReadContext {
  /** Executes the message of a transaction. Returns the reason for which it makes the block invalid, if it does. */
  readonly execute: (spent: readonly Coin[]) => string | undefined;
}

/**
 * Checks the inputs of a transaction in a block.
 * @param found the spent coins in the order of the inputs; undefined for one that is missing
 * @returns the fee in satoshis of DFI
 * @throws {TxInvalid} in the order of docs/protocol/chain.md 4.7
 */
export function checkBlockInputs(tx: Transaction, found: readonly (Coin | undefined)[], at: InputChecks): bigint {
  const { height, params, view, execute } = at;
  try {
    const canSpendCollateral = collateralRule(view, tx, height, params);
    return checkInputs(tx, found, { height, firstMintedOutput: firstMintedOutput(tx), canSpendCollateral });
  } catch (error) {
    if (!(error instanceof TxInvalid) || found.includes(undefined)) throw error;
    // `defid` tries these messages before the other checks of the inputs, so a failure of the message is the reason that callers see. The
    // block is invalid in either case.
    const failure = failureConsequenceOf(tx, height, params) === 'fatal' ? execute(found as readonly Coin[]) : undefined;
    throw failure === undefined ? error : new TxInvalid('bad-txns-customtx', failure);
  }
}
