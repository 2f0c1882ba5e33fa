import { COIN } from '../primitives/amount.js';
import type { Transaction } from '../primitives/transaction.js';
import { NodeError } from '../util/errors.js';
import type { Mempool, Rejection } from './mempool.js';

/** Default maximum of the fee of a submitted transaction, whatever its size: 0.1 DFI, in satoshis. Protects the caller against mistakes. */
export const ABSURD_FEE = COIN / 10n;

/**
 * Submits a transaction to the pool on behalf of a client, and reports a rejection as an error.
 * @param absurdFee maximum fee in satoshis; 0 for no limit
 * @throws {NodeError} `verify-error` if inputs are missing, `verify-rejected` for other rejections
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
