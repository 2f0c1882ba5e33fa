import { isActive, type NetworkParams } from '../../params/network.js';

/** Where a rule is asked. */
interface At {
  readonly height: number;
  readonly params: NetworkParams;
}

/** Least blocks until an order expires. @see docs/protocol/defi.md 4.2 */
export const MIN_ORDER_EXPIRY = 2880;

/** Least blocks until an offer expires. */
export function leastOfferExpiry({ params, height }: At): number {
  return isActive(params, 'eunosPaya', height) ? 20 : 10;
}

/** Least blocks that a contract holds, by the chain and by whether it is the first of an exchange. */
interface Timeouts {
  readonly before: number;
  readonly eunosPaya: number;
}

export const DFC_FIRST: Timeouts = { before: 500, eunosPaya: 1440 };
export const DFC_SECOND: Timeouts = { before: 250, eunosPaya: 480 };
// Blocks of Bitcoin.
export const EXT_FIRST: Timeouts = { before: 30, eunosPaya: 72 };
export const EXT_SECOND: Timeouts = { before: 15, eunosPaya: 24 };

export function leastTimeout(timeouts: Timeouts, { params, height }: At): number {
  return isActive(params, 'eunosPaya', height) ? timeouts.eunosPaya : timeouts.before;
}

/** Blocks of this chain while Bitcoin makes one. */
export const PER_BITCOIN_BLOCK = 16;

/** The same for a contract in Bitcoin's chain that comes second. */
export function perBitcoinBlockOfSecond({ params, height }: At): number {
  return isActive(params, 'eunosPaya', height) ? 20 : PER_BITCOIN_BLOCK;
}
