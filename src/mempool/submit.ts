import type { Transaction } from '../primitives/transaction.js';
import { NodeError } from '../util/errors.js';
import type { Mempool, Rejection } from './mempool.js';

/**
 * Takes a transaction into the pool for a caller, who hears why it may not enter.
 * @param absurdFee largest fee in satoshis that is no mistake; 0 for any
 * @throws {NodeError}
 * @see docs/protocol/rpc-chain.md 3.3.5
 */
export function submit(mempool: Pick<Mempool, 'accept'>, tx: Transaction, absurdFee: bigint): void {
  const verdict = mempool.accept(tx, { absurdFee });
  if (verdict.status === 'missing-inputs') throw new NodeError('verify-error', 'Missing inputs');
  if (verdict.status === 'rejected') throw new NodeError('verify-rejected', describeRejection(verdict));
}

function describeRejection({ reason, debug, code }: Rejection): string {
  return `${reason}${debug && `, ${debug}`} (code ${code})`;
}
