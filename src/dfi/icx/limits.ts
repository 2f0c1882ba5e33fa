import { isActive } from '../../params/network.js';
import type { HeightContext } from '../kernel/block-context.js';

/** Minimum expiry of an order, in blocks. @see docs/protocol/defi.md 4.2 */
export const MIN_ORDER_EXPIRY = 2880;

/** Minimum expiry of an offer, in blocks. */
export function leastOfferExpiry({ params, height }: HeightContext): number {
  return isActive(params, 'eunosPaya', height) ? 20 : 10;
}

/** Minimum timeout of an HTLC in blocks of its chain, by whether it is the first or second one of an exchange. */
interface Timeouts {
  readonly before: number;
  readonly eunosPaya: number;
}

export const DFC_FIRST: Timeouts = { before: 500, eunosPaya: 1440 };
export const DFC_SECOND: Timeouts = { before: 250, eunosPaya: 480 };
// In blocks of Bitcoin.
export const EXT_FIRST: Timeouts = { before: 30, eunosPaya: 72 };
export const EXT_SECOND: Timeouts = { before: 15, eunosPaya: 24 };

/** Minimum timeout at a height, in blocks of the HTLC's chain. */
export function leastTimeout(timeouts: Timeouts, { params, height }: HeightContext): number {
  return isActive(params, 'eunosPaya', height) ? timeouts.eunosPaya : timeouts.before;
}

/** Blocks of this chain per block of Bitcoin. */
export const PER_BITCOIN_BLOCK = 16;

/** Blocks of this chain per block of Bitcoin, for the second HTLC of an offer if it is on Bitcoin. */
export function perBitcoinBlockOfSecond({ params, height }: HeightContext): number {
  return isActive(params, 'eunosPaya', height) ? 20 : PER_BITCOIN_BLOCK;
}
