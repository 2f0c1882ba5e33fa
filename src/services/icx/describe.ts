import type {
  IcxClaim as ShownClaim,
  IcxDfcHtlc as ShownDfcHtlc,
  IcxExtHtlc as ShownExtHtlc,
  IcxOffer as ShownOffer,
  IcxOrder as ShownOrder,
} from '../../../gen/ts/dfi/node/v1/icx.js';
import {
  after,
  type DfcHtlc,
  DfcStatus,
  type ExtHtlc,
  ExtStatus,
  type IcxClaim,
  type IcxOffer,
  type IcxOrder,
  isInternal,
  OfferStatus,
  OrderStatus,
} from '../../dfi/icx/columns.js';
import { multiplyAmounts, multiplyDivide } from '../../dfi/kernel/math.js';
import { readableText } from '../../dfi/kernel/text.js';
import { COIN } from '../../primitives/amount.js';
import { formatHash, isNullHash } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import { tokenSymbol } from '../format/amounts.js';
import { formatSigned32 } from '../format/numbers.js';
import { formatOwner } from '../format/owner.js';
import type { IcxModules } from './modules.js';

type Chain = Pick<IcxModules['chain'], 'params' | 'tip' | 'state'>;

const CHAIN = 'BTC';

/** Name of a status in results: its name in the table, in upper case. */
function nameOf(statuses: Readonly<Record<string, number>>, status: number): string {
  const found = Object.entries(statuses).find(([, each]) => each === status);
  return (found?.[0] ?? '').toUpperCase();
}

/** Order as operations show it; heights are those of blocks, amounts satoshis. */
export function describeOrder(order: IcxOrder, status: number, chain: Chain): ShownOrder {
  const token = tokenSymbol(chain.state, order.tokenId);
  const internal = isInternal(order);
  const hasClosed = order.closeHeight > -1;
  return {
    status: nameOf(OrderStatus, status),
    type: internal ? 'INTERNAL' : 'EXTERNAL',
    tokenfrom: internal ? token : undefined,
    chainto: internal ? CHAIN : undefined,
    receivepubkey: internal ? toHex(order.receivePubkey) : undefined,
    chainfrom: internal ? undefined : CHAIN,
    tokento: internal ? undefined : token,
    owneraddress: formatOwner(order.owner, chain.params),
    amountfrom: order.amountFrom,
    amounttofill: order.amountToFill,
    orderprice: order.orderPrice,
    amounttofillintoasset: multiplyAmounts(order.amountToFill, order.orderPrice),
    height: order.creationHeight,
    expireheight: formatSigned32(after(order, order.expiry)),
    closeheight: hasClosed ? order.closeHeight : undefined,
    closetx: hasClosed && !isNullHash(order.closeTx) ? formatHash(order.closeTx) : undefined,
    expired: !hasClosed && after(order, order.expiry) <= chain.tip.height ? true : undefined,
  };
}

/** Offer as operations show it. */
export function describeOffer(offer: IcxOffer, order: IcxOrder, status: number, { params }: Chain): ShownOffer {
  return {
    ordertx: formatHash(offer.orderTx),
    status: nameOf(OfferStatus, status),
    amount: offer.amount,
    amountinfromasset: multiplyDivide(offer.amount, COIN, order.orderPrice),
    owneraddress: formatOwner(offer.owner, params),
    receivepubkey: isInternal(order) ? undefined : toHex(offer.receivePubkey),
    takerfee: offer.takerFee,
    expireheight: formatSigned32(after(offer, offer.expiry)),
  };
}

/** Claim of an HTLC as operations show it. */
export function describeClaim({ dfcHtlcTx, seed, height }: IcxClaim): ShownClaim {
  return { type: 'CLAIM DFC', dfchtlctx: formatHash(dfcHtlcTx), seed: toHex(seed), height };
}

/** HTLC on DeFiChain as operations show it. */
export function describeDfcHtlc(htlc: DfcHtlc, order: IcxOrder, status: number): ShownDfcHtlc {
  const { amount, timeout } = htlc;
  return {
    type: 'DFC',
    status: nameOf(DfcStatus, status),
    offertx: formatHash(htlc.offerTx),
    amount,
    amountinextasset: isInternal(order) ? multiplyAmounts(amount, order.orderPrice) : multiplyDivide(amount, COIN, order.orderPrice),
    hash: formatHash(htlc.hash),
    timeout: formatSigned32(timeout),
    height: htlc.creationHeight,
    refundheight: formatSigned32(after(htlc, timeout)),
  };
}

/** HTLC on the other chain as operations show it. */
export function describeExtHtlc(htlc: ExtHtlc, order: IcxOrder, status: number): ShownExtHtlc {
  const { amount } = htlc;
  return {
    type: 'EXTERNAL',
    status: nameOf(ExtStatus, status),
    offertx: formatHash(htlc.offerTx),
    amount,
    amountindfcasset: isInternal(order) ? multiplyDivide(amount, COIN, order.orderPrice) : multiplyAmounts(amount, order.orderPrice),
    hash: formatHash(htlc.hash),
    htlcscriptaddress: readableText(htlc.scriptAddress),
    ownerpubkey: toHex(htlc.ownerPubkey),
    timeout: formatSigned32(htlc.timeout),
    height: htlc.creationHeight,
  };
}
