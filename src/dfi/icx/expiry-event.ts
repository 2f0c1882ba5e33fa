import { isActive } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import { Accounts } from '../accounts/columns.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { closeEntry, entriesDueAt, getEntry } from './book-columns.js';
import {
  type DfcHtlc,
  DfcStatus,
  dfcHtlcs,
  escrowOf,
  extHtlcs,
  type IcxOffer,
  type IcxOrder,
  isCommitted,
  isInternal,
  offers,
  orders,
  wasSubmitted,
} from './columns.js';

/** Expires entries and refunds their reserved amounts. The history does not include the refunds. @see docs/protocol/defi.md 4.6 */
export const icxExpiry: BlockEvent = {
  name: 'ICX expiry',
  isDue: ({ height, params }) => isActive(params, 'eunos', height),
  run(context) {
    expireOrders(context);
    expireOffers(context);
    expireDfcHtlcs(context);
    expireExtHtlcs(context);
  },
};

/** Refunds an amount if the escrow account still has it. */
function refund(context: BlockEventContext, from: Uint8Array, to: Uint8Array, amount: TokenAmount): void {
  const { view } = context;
  const accounts = new Accounts(view);
  if (ignoreRejection(() => accounts.sub(from, amount))) credit(context, to, amount);
}

function credit(context: BlockEventContext, to: Uint8Array, amount: TokenAmount): void {
  const { view } = context;
  materialiseRewards(view, to, context);
  ignoreRejection(() => new Accounts(view).add(to, amount));
}

function expireOrders(context: BlockEventContext): void {
  const { view, height } = context;
  for (const [order, status] of entriesDueAt(view, orders, height)) {
    const { owner, tokenId, amountToFill } = order;
    if (isInternal(order)) refund(context, escrowOf(order), owner, { tokenId, amount: amountToFill });
    closeEntry(view, orders, order, status);
  }
}

function expireOffers(context: BlockEventContext): void {
  const { view, height } = context;
  for (const [offer, status] of entriesDueAt(view, offers, height)) {
    const order = getEntry(view, orders, offer.orderTx);
    if (!order) continue;
    if (!isCommitted(view, order, offer, context)) refund(context, escrowOf(offer), offer.owner, { tokenId: 0, amount: offer.takerFee });
    closeEntry(view, offers, offer, status);
  }
}

interface Exchange {
  readonly offer: IcxOffer;
  readonly order: IcxOrder;
}

function exchangeOf({ view }: BlockEventContext, offerTx: Hash256): Exchange | undefined {
  const offer = getEntry(view, offers, offerTx);
  const order = offer && getEntry(view, orders, offer.orderTx);
  return offer && order && { offer, order };
}

function expireDfcHtlcs(context: BlockEventContext): void {
  const { view, height } = context;
  for (const [htlc, status] of entriesDueAt(view, dfcHtlcs, height)) {
    const exchange = exchangeOf(context, htlc.offerTx);
    if (!exchange) continue;
    if (status === DfcStatus.expired && !isAbandoned(context, exchange, htlc)) continue;
    if (status === DfcStatus.expired) returnDeposit(context, exchange);
    const { order, offer } = exchange;
    const owner = isInternal(order) ? escrowOf(order) : offer.owner;
    refund(context, escrowOf(htlc), owner, { tokenId: order.tokenId, amount: htlc.amount });
    closeEntry(view, dfcHtlcs, htlc, status);
  }
}

/** True if the taker of an internal order did not submit an HTLC. */
function isAbandoned(context: BlockEventContext, { order }: Exchange, { offerTx }: DfcHtlc): boolean {
  return isInternal(order) && !wasSubmitted(context.view, extHtlcs, offerTx, context);
}

/** Creates the deposit again, because it was burnt. */
function returnDeposit(context: BlockEventContext, { order, offer }: Exchange): void {
  credit(context, order.owner, { tokenId: 0, amount: offer.takerFee });
}

function expireExtHtlcs(context: BlockEventContext): void {
  const { view, height } = context;
  for (const [htlc, status] of entriesDueAt(view, extHtlcs, height)) {
    const exchange = exchangeOf(context, htlc.offerTx);
    if (!exchange || isInternal(exchange.order) || wasSubmitted(view, dfcHtlcs, htlc.offerTx, context)) continue;
    returnDeposit(context, exchange);
    closeEntry(view, extHtlcs, htlc, status);
  }
}
