import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { isFeatureOn } from '../attributes/features.js';
import type { TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { governedNumber } from '../governance/governed-columns.js';
import type { HeightContext } from '../kernel/block-context.js';
import { divideAmounts, low64 } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { poolByTokens } from '../pools/columns.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { getEntry, saveEntry } from './book-columns.js';
import { escrowOf, type IcxOffer, type IcxOrder, offers, orders } from './columns.js';

/** From this height on test networks always have the order book. */
const TEST_NETWORK_HEIGHT = 1_250_000;

/** True for networks that kept the order book when Fort Canning Park disabled it elsewhere. */
export function keepsOrderBook({ params, height }: HeightContext): boolean {
  return params.isRegtest || (params.isTestnet && height >= TEST_NETWORK_HEIGHT);
}

/** Checks that come first for new orders, offers, HTLCs and claims. @throws {TxRejected} @see docs/protocol/defi.md 4.3 */
export function requireOrderBook(context: TxContext): void {
  const { view, params, height } = context;
  if (isActive(params, 'metachain', height)) {
    if (!isFeatureOn(view, 'icx')) throw new TxRejected('Cannot create tx, ICX is not enabled');
  } else if (isActive(params, 'fortCanningPark', height) && !keepsOrderBook(context)) {
    throw new TxRejected('Disabled custom transaction', { fatal: true });
  }
  requireShape(context);
}

/** @throws {TxRejected} */
export function requireOrder({ view }: TxContext, orderTx: Hash256): IcxOrder {
  const order = getEntry(view, orders, orderTx);
  if (!order) throw new TxRejected(`order with creation tx ${formatHash(orderTx)} does not exists!`);
  return order;
}

/** @param called name of the entry in the error text @throws {TxRejected} */
export function requireOffer({ view }: TxContext, offerTx: Hash256, called = 'offer'): IcxOffer {
  const offer = getEntry(view, offers, offerTx);
  if (!offer) throw new TxRejected(`${called} with creation tx ${formatHash(offerTx)} does not exists!`);
  return offer;
}

/** Moves an amount without materialising rewards. @throws {TxRejected} */
export function transfer({ accounts }: TxContext, tokenId: number, amount: bigint, from: Uint8Array, to: Uint8Array): void {
  accounts.move(from, to, { tokenId, amount });
}

/** Default taker fee in satoshis of DFI for each BTC. */
const FEE_PER_BTC = 300_000n;

/** Taker's fee in satoshis of DFI for BTC, at the current price of the pool. @throws {TxRejected} @see docs/protocol/defi.md 4.4 */
export function takerFee({ view }: TxContext, amount: bigint): bigint {
  const bitcoin = tokenBySymbol(view, 'BTC');
  const found = bitcoin && poolByTokens(view, bitcoin.id, 0);
  // `defid` fails an assertion here, which ends its process.
  if (!found) throw new TxRejected('no pool of BTC and DFI');
  const { tokenA, reserveA, reserveB } = found.pool;
  const dfiPerBtc = tokenA === 0 ? divideAmounts(reserveA, reserveB) : divideAmounts(reserveB, reserveA);
  const feePerBtc = governedNumber(view, 'takerFee') ?? FEE_PER_BTC;
  const [btc, fee, price] = [amount, feePerBtc, dfiPerBtc].map((value) => BigInt.asUintN(64, value)) as [bigint, bigint, bigint];
  return low64((((btc * fee) / COIN) * price) / COIN);
}

/**
 * Charges the fees when the first HTLC of an exchange is submitted: refunds the excess of the taker's fee, burns the rest, and burns the
 * same amount of the maker as a deposit.
 * @throws {TxRejected}
 */
export function chargeFees(context: TxContext, order: IcxOrder, offer: IcxOffer, fee: bigint): void {
  const { view, params } = context;
  const excess = offer.takerFee - fee;
  if (excess !== 0n) {
    materialiseRewards(view, offer.owner, context);
    transfer(context, 0, excess, escrowOf(offer), offer.owner);
    saveEntry(view, offers, { ...offer, takerFee: fee });
  }
  transfer(context, 0, fee, escrowOf(offer), params.scripts.burn);
  materialiseRewards(view, order.owner, context);
  transfer(context, 0, fee, order.owner, params.scripts.burn);
}
