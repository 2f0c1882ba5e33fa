import { isPublicKey } from '../../crypto/ecdsa.js';
import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { struct } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256, isNullHash, NULL_HASH } from '../../primitives/hash.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { multiplyDivide } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken } from '../tokens/columns.js';
import { closeEntry, isOpen, openEntry } from './book-columns.js';
import {
  escrowOf,
  type IcxOffer,
  type IcxOrder,
  isCommitted,
  isInternal,
  OfferStatus,
  type OfferTerms,
  OrderStatus,
  type OrderTerms,
  OrderType,
  offerFields,
  offers,
  orderFields,
  orders,
} from './columns.js';
import { leastOfferExpiry, MIN_ORDER_EXPIRY } from './limits.js';
import { requireOffer, requireOrder, requireOrderBook, takerFee, transfer } from './rules.js';

function requirePublicKey(key: Uint8Array): void {
  if (!isPublicKey(key)) throw new TxRejected('receivePubkey must be valid pubkey');
}

/** Offers a token for BTC, or BTC for a token. The offered token is moved to escrow. @see docs/protocol/defi.md 4.5 */
export const createOrder = customTx<OrderTerms>({
  type: '1',
  name: 'ICXCreateOrder',
  since: 'eunos',
  codec: struct<OrderTerms>(orderFields),
  apply(context, terms) {
    const { view, tx, height } = context;
    requireOrderBook(context);
    requireAuth(context, terms.owner, 'order');
    if (!getToken(view, terms.tokenId)) throw new TxRejected(`token ${terms.tokenId} does not exist!`);
    const order: IcxOrder = { ...terms, creationTx: tx.txid, creationHeight: height, closeTx: NULL_HASH, closeHeight: -1 };
    if (isInternal(order)) {
      requirePublicKey(order.receivePubkey);
      materialiseRewards(view, order.owner, context);
      transfer(context, order.tokenId, order.amountFrom, order.owner, escrowOf(order));
    }
    requireOrderTerms(terms);
    openEntry(view, orders, order);
  },
});

function requireOrderTerms({ type, amountFrom, amountToFill, orderPrice, expiry }: OrderTerms): void {
  if (!Object.values<number>(OrderType).includes(type)) throw new TxRejected('invalid order type!');
  if (amountFrom === 0n) throw new TxRejected('order amountFrom must be greater than 0!');
  if (amountToFill !== amountFrom) throw new TxRejected('order amountToFill does not equal to amountFrom!');
  if (orderPrice === 0n) throw new TxRejected('order price must be greater than 0!');
  if (expiry < MIN_ORDER_EXPIRY) throw new TxRejected(`order expiry must be greater than ${MIN_ORDER_EXPIRY - 1}!`);
}

/** Accepts an order or a part of it. The taker's fee is moved to escrow. @see docs/protocol/defi.md 4.5 */
export const makeOffer = customTx<OfferTerms>({
  type: '2',
  name: 'ICXMakeOffer',
  since: 'eunos',
  codec: struct<OfferTerms>(offerFields),
  apply(context, terms) {
    const { view, tx, height } = context;
    requireOrderBook(context);
    requireAuth(context, terms.owner, 'order');
    const order = requireOrder(context, terms.orderTx);
    const least = leastOfferExpiry(context);
    if (terms.expiry < least) throw new TxRejected(`offer expiry must be greater than ${least - 1}!`);
    if (!isInternal(order)) requirePublicKey(terms.receivePubkey);
    const fee = takerFee(context, isInternal(order) ? terms.amount : multiplyDivide(terms.amount, COIN, order.orderPrice));
    const offer: IcxOffer = { ...terms, takerFee: fee, creationTx: tx.txid, creationHeight: height };
    materialiseRewards(view, offer.owner, context);
    transfer(context, 0, fee, offer.owner, escrowOf(offer));
    if (offer.amount === 0n) throw new TxRejected('offer amount must be greater than 0!');
    openEntry(view, offers, offer);
  },
});

export interface CloseOrder {
  readonly orderTx: Hash256;
}

/** Closes an order and refunds its remaining token; its offers stay open. @see docs/protocol/defi.md 4.5 */
export const closeOrder = customTx<CloseOrder>({
  type: '6',
  name: 'ICXCloseOrder',
  since: 'eunos',
  codec: struct<CloseOrder>({ orderTx: hash256 }),
  apply(context, { orderTx }) {
    const { view, tx, height } = context;
    requireShape(context);
    const order = requireOrder(context, orderTx);
    if (!isNullHash(order.closeTx) || !isOpen(view, orders, order)) {
      throw new TxRejected(`order with creation tx ${formatHash(orderTx)} is already closed!`);
    }
    requireAuth(context, order.owner, 'order');
    if (isInternal(order) && order.amountToFill > 0n) {
      materialiseRewards(view, order.owner, context);
      transfer(context, order.tokenId, order.amountToFill, escrowOf(order), order.owner);
    }
    closeEntry(view, orders, { ...order, closeTx: tx.txid, closeHeight: height }, OrderStatus.closed);
  },
});

export interface CloseOffer {
  readonly offerTx: Hash256;
}

/** Closes an offer and refunds the taker's fee if no HTLC was submitted. @see docs/protocol/defi.md 4.5 */
export const closeOffer = customTx<CloseOffer>({
  type: '7',
  name: 'ICXCloseOffer',
  since: 'eunos',
  codec: struct<CloseOffer>({ offerTx: hash256 }),
  apply(context, { offerTx }) {
    const { view } = context;
    requireShape(context);
    const offer = requireOffer(context, offerTx);
    // `defid` does not look for closed offers here, so a closed one gets the text for a missing one.
    if (!isOpen(view, offers, offer)) throw new TxRejected(`offer with creation tx ${formatHash(offerTx)} does not exists!`);
    const order = requireOrder(context, offer.orderTx);
    requireAuth(context, offer.owner, 'offer');
    refundFee(context, order, offer);
    closeEntry(view, offers, offer, OfferStatus.closed);
  },
});

function refundFee(context: TxContext, order: IcxOrder, offer: IcxOffer): void {
  const { view, height, params } = context;
  const isSpent = isCommitted(view, order, offer, context);
  if (!isInternal(order) || !isSpent) materialiseRewards(view, offer.owner, context);
  // The escrow of an offer contains only the fee, so until Eunos Paya offers to external orders cannot be closed.
  if (!isInternal(order) && !isActive(params, 'eunosPaya', height)) {
    transfer(context, order.tokenId, offer.amount, escrowOf(offer), offer.owner);
  }
  if (!isSpent) transfer(context, 0, offer.takerFee, escrowOf(offer), offer.owner);
}

/** Custom transactions that make and close orders and offers. */
export const icxOrderTypes: readonly AnyCustomTx[] = [createOrder, makeOffer, closeOrder, closeOffer];
