import { isPublicKey } from '../../crypto/ecdsa.js';
import { isActive } from '../../params/network.js';
import { struct } from '../../primitives/codec.js';
import { formatHash, type Hash256, isNullHash } from '../../primitives/hash.js';
import { equalBytes } from '../../util/bytes.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { divideAmounts, multiplyAmounts, multiplyDivide } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { firstOpen, hasEntries, isOpen, openEntry } from './book-columns.js';
import {
  after,
  type DfcHtlc,
  type DfcHtlcTerms,
  dfcHtlcFields,
  dfcHtlcs,
  type ExtHtlc,
  type ExtHtlcTerms,
  escrowOf,
  extHtlcFields,
  extHtlcs,
  type IcxOffer,
  type IcxOrder,
  isInternal,
  offers,
} from './columns.js';
import { DFC_FIRST, DFC_SECOND, EXT_FIRST, EXT_SECOND, leastTimeout, PER_BITCOIN_BLOCK, perBitcoinBlockOfSecond } from './limits.js';
import { chargeFees, requireOffer, requireOrder, requireOrderBook, takerFee, transfer } from './rules.js';

/** Locks the token of an internal order's maker, or of an external one's taker, in an HTLC. @see docs/protocol/defi.md 4.5 */
export const submitDfcHtlc = customTx<DfcHtlcTerms>({
  type: '3',
  name: 'ICXSubmitDFCHTLC',
  since: 'eunos',
  codec: struct<DfcHtlcTerms>(dfcHtlcFields),
  apply(context, terms) {
    const { view, tx, height } = context;
    requireOrderBook(context);
    const offer = requireOffer(context, terms.offerTx);
    const order = requireOrder(context, offer.orderTx);
    if (after(order, order.expiry) < (height + terms.timeout) >>> 0) throw new TxRejected('order will expire before dfc htlc expires!');
    if (hasEntries(view, dfcHtlcs, 'open', terms.offerTx)) throw new TxRejected('dfc htlc already submitted!');
    const source = isInternal(order) ? firstDfcHtlc(context, order, offer, terms) : secondDfcHtlc(context, order, offer, terms);
    const htlc: DfcHtlc = { ...terms, creationTx: tx.txid, creationHeight: height };
    transfer(context, order.tokenId, terms.amount, source, escrowOf(htlc));
    requireAmount(terms);
    requireHash(terms);
    requireTimeout(terms);
    openEntry(view, dfcHtlcs, htlc);
  },
});

function isEunosPaya({ params, height }: TxContext): boolean {
  return isActive(params, 'eunosPaya', height);
}

function requireLeastTimeout(context: TxContext, timeout: number, least: Parameters<typeof leastTimeout>[0]): void {
  const blocks = leastTimeout(least, context);
  if (timeout < blocks) throw new TxRejected(`timeout must be greater than ${blocks - 1}`);
}

function requireOpenOffer({ view }: TxContext, offer: IcxOffer): void {
  if (!isOpen(view, offers, offer)) throw new TxRejected(`offerTx (${formatHash(offer.creationTx)}) has expired`);
}

function requireWithin(amount: bigint, offer: IcxOffer): void {
  if (amount > offer.amount) throw new TxRejected('amount must be lower or equal the offer one');
}

/** Checks for the HTLC of an internal order's maker. @returns account to debit */
function firstDfcHtlc(context: TxContext, order: IcxOrder, offer: IcxOffer, { amount, timeout }: DfcHtlcTerms): Uint8Array {
  requireAuth(context, order.owner, 'order');
  requireOpenOffer(context, offer);
  requireLeastTimeout(context, timeout, DFC_FIRST);
  const bitcoin = multiplyAmounts(amount, order.orderPrice);
  requireWithin(bitcoin, offer);
  if (!isEunosPaya(context)) chargeFees(context, order, offer, takerFee(context, bitcoin));
  else {
    const fee = bitcoin < offer.amount ? multiplyDivide(bitcoin, offer.takerFee, offer.amount) : offer.takerFee;
    chargeFees(context, order, offer, fee);
  }
  return escrowOf(order);
}

/** Checks for the HTLC of an external order's taker. @returns account to debit */
function secondDfcHtlc(context: TxContext, order: IcxOrder, offer: IcxOffer, terms: DfcHtlcTerms): Uint8Array {
  const { view, height } = context;
  requireAuth(context, offer.owner, 'offer');
  materialiseRewards(view, offer.owner, context);
  const first = firstOpen(view, extHtlcs, terms.offerTx);
  if (!first) {
    const id = formatHash(terms.offerTx);
    throw new TxRejected(`offer (${id}) needs to have ext htlc submitted first, but no external htlc found!`);
  }
  if (terms.amount !== multiplyAmounts(first.amount, order.orderPrice)) {
    throw new TxRejected('amount must be equal to calculated exthtlc amount');
  }
  if (!equalBytes(terms.hash, first.hash)) {
    const [own, other] = [formatHash(terms.hash), formatHash(first.hash)];
    throw new TxRejected(`Invalid hash, dfc htlc hash is different than extarnal htlc hash - ${own} != ${other}`);
  }
  requireLeastTimeout(context, terms.timeout, DFC_SECOND);
  const left = (after(first, Math.imul(first.timeout, PER_BITCOIN_BLOCK)) - height) >>> 0;
  if (terms.timeout >= left) throw new TxRejected('timeout must be less than expiration period of 1st htlc in DFI blocks');
  return offer.owner;
}

/** Announces the HTLC that the other side created on Bitcoin. @see docs/protocol/defi.md 4.5 */
export const submitExtHtlc = customTx<ExtHtlcTerms>({
  type: '4',
  name: 'ICXSubmitEXTHTLC',
  since: 'eunos',
  codec: struct<ExtHtlcTerms>(extHtlcFields),
  apply(context, terms) {
    const { view, tx, height } = context;
    requireOrderBook(context);
    const offer = requireOffer(context, terms.offerTx, 'order');
    const order = requireOrder(context, offer.orderTx);
    const end = (height + Math.imul(terms.timeout, PER_BITCOIN_BLOCK)) >>> 0;
    if (after(order, order.expiry) < end) throw new TxRejected('order will expire before ext htlc expires!');
    if (hasEntries(view, extHtlcs, 'open', terms.offerTx)) throw new TxRejected('ext htlc already submitted!');
    if (isInternal(order)) secondExtHtlc(context, order, offer, terms);
    else firstExtHtlc(context, order, offer, terms);
    requireAmount(terms);
    if (terms.scriptAddress === '') throw new TxRejected('Invalid htlcscriptAddress, htlcscriptAddress is empty and it must be set!');
    requireHash(terms);
    if (!isPublicKey(terms.ownerPubkey)) throw new TxRejected('Invalid refundPubkey is not a valid pubkey!');
    requireTimeout(terms);
    const htlc: ExtHtlc = { ...terms, creationTx: tx.txid, creationHeight: height };
    openEntry(view, extHtlcs, htlc);
  },
});

function firstExtHtlc(context: TxContext, order: IcxOrder, offer: IcxOffer, { amount, timeout }: ExtHtlcTerms): void {
  requireAuth(context, order.owner, 'order');
  requireOpenOffer(context, offer);
  requireLeastTimeout(context, timeout, EXT_FIRST);
  const bought = multiplyAmounts(amount, order.orderPrice);
  requireWithin(bought, offer);
  if (!isEunosPaya(context)) chargeFees(context, order, offer, takerFee(context, amount));
  else {
    const isPart = bought < offer.amount;
    const fee = isPart ? multiplyDivide(amount, offer.takerFee, divideAmounts(offer.amount, order.orderPrice)) : offer.takerFee;
    chargeFees(context, order, offer, fee);
  }
}

function secondExtHtlc(context: TxContext, order: IcxOrder, offer: IcxOffer, terms: ExtHtlcTerms): void {
  const { view, height } = context;
  requireAuth(context, offer.owner, 'offer');
  const first = firstOpen(view, dfcHtlcs, terms.offerTx);
  if (!first) {
    const id = formatHash(terms.offerTx);
    throw new TxRejected(`offer (${id}) needs to have dfc htlc submitted first, but no dfc htlc found!`);
  }
  if (terms.amount !== multiplyAmounts(first.amount, order.orderPrice)) {
    throw new TxRejected('amount must be equal to calculated dfchtlc amount');
  }
  if (!equalBytes(terms.hash, first.hash)) throw new TxRejected('Invalid hash, external htlc hash is different than dfc htlc hash');
  requireLeastTimeout(context, terms.timeout, EXT_SECOND);
  const left = (after(first, first.timeout) - height) >>> 0;
  if (Math.imul(terms.timeout, perBitcoinBlockOfSecond(context)) >>> 0 >= left) {
    throw new TxRejected('timeout must be less than expiration period of 1st htlc in DFC blocks');
  }
}

function requireAmount({ amount }: { readonly amount: bigint }): void {
  if (amount === 0n) throw new TxRejected('Invalid amount, must be greater than 0!');
}

function requireHash({ hash }: { readonly hash: Hash256 }): void {
  if (isNullHash(hash)) throw new TxRejected('Invalid hash, htlc hash is empty and it must be set!');
}

function requireTimeout({ timeout }: { readonly timeout: number }): void {
  if (timeout === 0) throw new TxRejected('Invalid timeout, must be greater than 0!');
}

/** Custom transactions that submit an HTLC. */
export const icxHtlcTypes: readonly AnyCustomTx[] = [submitDfcHtlc, submitExtHtlc];
