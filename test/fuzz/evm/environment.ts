import { COINBASE } from './addresses.js';

/** Block of all scenarios. */
export const ENVIRONMENT = {
  number: 1000n,
  timestamp: 1_700_000_000n,
  coinbase: COINBASE,
  gasLimit: 30_000_000n,
  baseFee: 7n,
  difficulty: 0x207fffffn,
  chainId: 1133n,
  gasPrice: 11n,
} as const;

const HASH_FACTOR = 0x9e3779b97f4a7c15f39cc0605cedc835n;

/** Hash of an earlier block, 0 for the others. */
export function blockHash(number: bigint): bigint {
  return number < ENVIRONMENT.number ? (number + 1n) * HASH_FACTOR : 0n;
}
