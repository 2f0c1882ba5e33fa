import type { ChainLimits } from './limits.js';
import type { MempoolOptions } from './mempool.js';
import type { Policy } from './policy.js';

/** Settings from the command line. Fee rates in satoshis per 1,000 virtual bytes. */
export interface MempoolSettings extends Omit<Policy, 'requireStandard'> {
  readonly maxBytes: number;
  readonly expirySec: number;
  readonly evmExpirySec: number;
  readonly acceptNonStandard: boolean;
  readonly limits: ChainLimits;
}

export function mempoolOptions({
  maxBytes,
  expirySec,
  evmExpirySec,
  acceptNonStandard,
  limits,
  ...policy
}: MempoolSettings): MempoolOptions {
  return { maxBytes, expirySec, evmExpirySec, limits, policy: { ...policy, requireStandard: !acceptNonStandard } };
}
