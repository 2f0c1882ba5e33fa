import { MAX_MONEY } from '../../primitives/amount.js';

/** The EVM counts in wei (18 decimals), the DVM in satoshis (8 decimals). */
const WEI_PER_SATOSHI = 10_000_000_000n;

/** Exact: 1 satoshi = 10^10 wei. */
export function toWei(satoshis: bigint): bigint {
  return satoshis * WEI_PER_SATOSHI;
}

/** Rounds down. */
export function toSatoshis(wei: bigint): bigint {
  return wei / WEI_PER_SATOSHI;
}

/** True if the amount does not exceed the money range: 1.2 * 10^27 wei. */
export function isWeiRange(wei: bigint): boolean {
  return wei <= toWei(MAX_MONEY);
}
