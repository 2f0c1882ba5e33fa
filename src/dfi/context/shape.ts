import { isActive, knowsEvm, type NetworkParams } from '../../params/network.js';
import { TxRejected } from '../kernel/rejected.js';
import type { TxContext } from './custom-tx.js';

/**
 * Checks the outputs of a transaction with a loan, vault or order message: before Eunos Paya exactly two, from then on a first output of
 * value 0. `defid` 4.2.5 does not count outputs on regtest.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 1.3
 */
export function requireShape({ tx, height, params }: Pick<TxContext, 'tx' | 'height' | 'params'>): void {
  if (isActive(params, 'eunosPaya', height)) {
    if (tx.vout[0]?.value !== 0n) throw new TxRejected('malformed tx vouts, first vout must be OP_RETURN vout with value 0');
  } else if (!allowsAnyOutputs(params, height) && tx.vout.length !== 2) throw new TxRejected('malformed tx vouts ((wrong number of vouts)');
}

/** True if such a transaction may have another number of outputs than two. A regtest chain with a height for Metachain is one of 4.2.5. */
export function allowsAnyOutputs(params: NetworkParams, height: number): boolean {
  return isActive(params, 'eunosPaya', height) || (params.isRegtest && knowsEvm(params));
}
