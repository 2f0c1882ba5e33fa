import type { ChainQueries } from '../chain/reader.js';
import { isActive } from '../params/network.js';
import { COIN } from '../primitives/amount.js';
import type { Transaction } from '../primitives/transaction.js';
import { NodeError } from '../util/errors.js';
import type { Mempool, Rejection } from './mempool.js';

/** Default maximum of the fee of a submitted transaction, whatever its size: 0.1 DFI, in satoshis. Protects the caller against mistakes. */
export const ABSURD_FEE = COIN / 10n;

/** Pool with the chain that it follows. */
export interface Submission {
  readonly mempool: Pick<Mempool, 'accept'>;
  readonly chain: Pick<ChainQueries, 'params' | 'tip'>;
}

/** True if texts about rejections name their codes: `defid` 3.2.8 names them, 4.2.5 does not. */
export function showsRejectCodes({ params, tip }: Submission['chain']): boolean {
  return !isActive(params, 'metachain', tip.height);
}

/**
 * Submits a transaction to the pool on behalf of a client, and reports a rejection as an error.
 * @param absurdFee maximum fee in satoshis; 0 for no limit
 * @throws {NodeError} `verify-error` if inputs are missing, `verify-rejected` for other rejections
 * @see docs/protocol/rpc-chain.md 3.3.5
 */
export function submit({ mempool, chain }: Submission, tx: Transaction, absurdFee: bigint): void {
  const verdict = mempool.accept(tx, { absurdFee });
  if (verdict.status === 'missing-inputs') throw new NodeError('verify-error', 'Missing inputs');
  if (verdict.status === 'rejected') throw new NodeError('verify-rejected', describeRejection(verdict, showsRejectCodes(chain)));
}

/** Text about a rejected transaction or block, as `defid` logs it and reports it to clients. */
export function describeRejection({ reason, debug, code }: Pick<Rejection, 'reason' | 'debug' | 'code'>, showsCode: boolean): string {
  return `${reason}${debug && `, ${debug}`}${showsCode ? ` (code ${code})` : ''}`;
}
