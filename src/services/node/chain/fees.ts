import type { EstimateSmartFeeRequest, EstimateSmartFeeResponse } from '../../../../gen/ts/dfi/node/v1/util.js';
import type { Handler } from '../../../rpc/handler.js';
import { invalidParameter } from '../../../util/errors.js';
import type { FeeModules } from '../modules.js';

/** Estimate modes; true: the estimate also uses the longer history. */
const MODES: Readonly<Record<string, boolean>> = { UNSET: true, ECONOMICAL: false, CONSERVATIVE: true };

/** @see docs/protocol/rpc-chain.md 4 */
export const estimateSmartFee: Handler<FeeModules, EstimateSmartFeeRequest, EstimateSmartFeeResponse> = (
  { mempool, ordersByFee },
  request,
) => {
  const { feeEstimator, policy } = mempool;
  const target = request.confTarget;
  if (target < 1 || target > feeEstimator.maxTarget) {
    throw invalidParameter(`Invalid conf_target, must be between 1 - ${feeEstimator.maxTarget}`);
  }
  const mode = request.estimateMode ?? 'CONSERVATIVE';
  if (!Object.hasOwn(MODES, mode)) throw invalidParameter('Invalid estimate_mode parameter');
  const { rate, blocks } = feeEstimator.estimate(target, MODES[mode] as boolean);
  const feerate = rate ?? (ordersByFee ? undefined : policy.minRelayFeeRate);
  if (feerate !== undefined) return { feerate, errors: undefined, blocks };
  return { feerate, errors: { errors: ['Insufficient data or no feerate found'] }, blocks };
};
