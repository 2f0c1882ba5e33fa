import type { EstimateSmartFeeRequest, EstimateSmartFeeResponse } from '../../../../gen/ts/dfi/node/v1/util.js';
import type { Handler } from '../../../rpc/handler.js';
import { requireConfirmTarget, requireEstimateMode } from '../../format/fee-options.js';
import type { FeeModules } from '../modules.js';

/** Rate where fees do not decide the order of transactions, in satoshis per 1,000 virtual bytes. */
const LEAST_RATE = 1_000n;

/** @see docs/protocol/rpc-chain.md 4 */
export const estimateSmartFee: Handler<FeeModules, EstimateSmartFeeRequest, EstimateSmartFeeResponse> = (
  { mempool, ordersByFee },
  request,
) => {
  const target = requireConfirmTarget(request.confTarget);
  const mode = requireEstimateMode(request.estimateMode ?? 'CONSERVATIVE');
  if (!ordersByFee) return { feerate: LEAST_RATE, errors: undefined, blocks: 0 };
  // UNSET means conservative here; in the wallet it depends on whether the transaction is replaceable.
  const { rate, blocks } = mempool.feeEstimator.estimate(target, mode !== 'ECONOMICAL');
  if (rate !== undefined) return { feerate: rate, errors: undefined, blocks };
  return { feerate: undefined, errors: { errors: ['Insufficient data or no feerate found'] }, blocks };
};
