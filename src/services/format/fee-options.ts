import { MAX_CONFIRM_TARGET } from '../../mempool/fee-estimator.js';
import { invalidParameter } from '../../util/errors.js';
import type { EstimateMode } from '../../wallet/spend/fees.js';

const MODES: readonly string[] = ['UNSET', 'ECONOMICAL', 'CONSERVATIVE'] satisfies EstimateMode[];

/** Confirmation target in blocks. @throws {NodeError} `invalid-parameter` */
export function requireConfirmTarget(target: number): number {
  if (target < 1 || target > MAX_CONFIRM_TARGET) {
    throw invalidParameter(`Invalid conf_target, must be between 1 - ${MAX_CONFIRM_TARGET}`);
  }
  return target;
}

/** Fee estimate mode. @throws {NodeError} `invalid-parameter` */
export function requireEstimateMode(text: string): EstimateMode {
  if (!MODES.includes(text)) throw invalidParameter('Invalid estimate_mode parameter');
  return text as EstimateMode;
}
