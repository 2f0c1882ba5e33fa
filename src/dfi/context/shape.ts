import { isActive } from '../../params/network.js';
import { TxRejected } from '../kernel/rejected.js';
import type { TxContext } from './custom-tx.js';

/**
 * Checks the outputs of a transaction with a loan, vault or order message: before Eunos Paya exactly two, from then on a first output of
 * value 0.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 1.3
 */
export function requireShape({ tx, height, params }: Pick<TxContext, 'tx' | 'height' | 'params'>): void {
  if (isActive(params, 'eunosPaya', height)) {
    if (tx.vout[0]?.value !== 0n) throw new TxRejected('malformed tx vouts, first vout must be OP_RETURN vout with value 0');
  } else if (tx.vout.length !== 2) throw new TxRejected('malformed tx vouts ((wrong number of vouts)');
}
