import type { EstimateSmartFeeRequest, EstimateSmartFeeResponse } from '../../../../gen/ts/dfi/node/v1/util.js';
import type { Handler } from '../../../rpc/handler.js';
import { requireConfirmTarget, requireEstimateMode } from '../../format/fee-options.js';
import type { FeeModules } from '../modules.js';

/** @see docs/protocol/rpc-chain.md 4 */
export const estimateSmartFee: Handler<FeeModules, EstimateSmartFeeRequest, EstimateSmartFeeResponse> = (
  { mempool, ordersByFee },
  request,
) => {
  const { feeEstimator, policy } = mempool;
  const target = requireConfirmTarget(request.confTarget);
  const mode = requireEstimateMode(request.estimateMode ?? 'CONSERVATIVE');
  // UNSET means conservative here; in the wallet it depends on whether the transaction is replaceable.
  const { rate, blocks } = feeEstimator.estimate(target, mode !== 'ECONOMICAL');
  const feerate = rate ?? (ordersByFee ? undefined : policy.minRelayFeeRate);
  if (feerate !== undefined) return { feerate, errors: undefined, blocks };
  return { feerate, errors: { errors: ['Insufficient data or no feerate found'] }, blocks };
};
