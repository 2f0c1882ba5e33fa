import { hasPublicKeySize } from '../../crypto/ecdsa.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { type Codec, i32, i64, mapped, struct, u8, u32, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { byteString } from '../kernel/text.js';
import { type Book, type BookEntry, columnsOf, defineBook, hasEntries } from './book-columns.js';

// Order book of atomic swaps with Bitcoin (ICX). HTLC: hash time-locked contract. @see docs/protocol/defi.md 4

/** Internal orders sell a token for BTC, external ones BTC for a token. */
export const OrderType = { internal: 1, external: 2 } as const;
/** Stored statuses of orders. */
export const OrderStatus = { open: 0, closed: 1, filled: 2, expired: 3 } as const;
/** Stored statuses of offers. */
export const OfferStatus = { open: 0, closed: 1, expired: 2 } as const;
/** Statuses of HTLCs on this chain. */
export const DfcStatus = { open: 0, claimed: 1, refunded: 2, expired: 3 } as const;
/** Statuses of HTLCs on Bitcoin. */
export const ExtStatus = { open: 0, closed: 1, expired: 3 } as const;

/** Public key of the length that its first byte implies; trailing bytes, up to 65 in all, are dropped. An invalid key reads as empty. */
const publicKey: Codec<Uint8Array> = mapped(varBytes, keyIn, (bytes) => bytes);

function keyIn(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 65) return EMPTY_BYTES;
  const short = bytes.subarray(0, 33);
  if (hasPublicKeySize(short)) return short;
  return hasPublicKeySize(bytes) ? bytes : EMPTY_BYTES;
}

/** Contents of an order's message. */
export interface OrderTerms {
  readonly type: number;
  readonly tokenId: number;
  /** Script of the maker. */
  readonly owner: Uint8Array;
  /** Key that may claim the HTLC on Bitcoin; set in internal orders. */
  readonly receivePubkey: Uint8Array;
  /** Amount to sell, in satoshis. */
  readonly amountFrom: bigint;
  /** Remaining amount to sell, in satoshis. */
  readonly amountToFill: bigint;
  /** Price of one unit, in satoshis of the other side's unit. */
  readonly orderPrice: bigint;
  /** Blocks until expiry. */
  readonly expiry: number;
}

export interface IcxOrder extends OrderTerms, BookEntry {
  /** Transaction that closed it; null hash if none did. */
  readonly closeTx: Hash256;
  /** Height of that transaction; -1 if none closed it. */
  readonly closeHeight: number;
}

/** Contents of an offer's message. */
export interface OfferTerms {
  readonly orderTx: Hash256;
  /** Satoshis of the asset that the order buys. */
  readonly amount: bigint;
  /** Script of the taker. */
  readonly owner: Uint8Array;
  /** Key that may claim the HTLC on Bitcoin; set in offers to external orders. */
  readonly receivePubkey: Uint8Array;
  /** Blocks until expiry. */
  readonly expiry: number;
  /** Satoshis of DFI, computed; the value in messages is ignored. */
  readonly takerFee: bigint;
}

export interface IcxOffer extends OfferTerms, BookEntry {}

/** HTLC on this chain: the amount can be claimed with the preimage of the hash until the timeout. */
export interface DfcHtlcTerms {
  readonly offerTx: Hash256;
  readonly amount: bigint;
  readonly hash: Hash256;
  /** Blocks until the refund. */
  readonly timeout: number;
}

export interface DfcHtlc extends DfcHtlcTerms, BookEntry {}

/** HTLC on Bitcoin, as announced by the side that created it. */
export interface ExtHtlcTerms {
  readonly offerTx: Hash256;
  readonly amount: bigint;
  readonly hash: Hash256;
  /** Address as text of one char per byte. */
  readonly scriptAddress: string;
  /** Key that may refund the HTLC after the timeout. */
  readonly ownerPubkey: Uint8Array;
  /** Blocks of Bitcoin. */
  readonly timeout: number;
}

export interface ExtHtlc extends ExtHtlcTerms, BookEntry {}

/** Contents of a claim's message. */
export interface ClaimTerms {
  readonly dfcHtlcTx: Hash256;
  /** Preimage of the hash. */
  readonly seed: Uint8Array;
}

/** A claim with its height. */
export interface IcxClaim extends ClaimTerms {
  readonly height: number;
}

// Fields of messages, which are also the first fields of stored records.
export const orderFields = {
  type: u8,
  tokenId: varInt32,
  owner: varBytes,
  receivePubkey: publicKey,
  amountFrom: i64,
  amountToFill: i64,
  orderPrice: i64,
  expiry: u32,
} as const;
export const offerFields = {
  orderTx: hash256,
  amount: i64,
  owner: varBytes,
  receivePubkey: publicKey,
  expiry: u32,
  takerFee: i64,
} as const;
export const dfcHtlcFields = { offerTx: hash256, amount: i64, hash: hash256, timeout: u32 } as const;
export const extHtlcFields = {
  offerTx: hash256,
  amount: i64,
  hash: hash256,
  scriptAddress: byteString,
  ownerPubkey: publicKey,
  timeout: u32,
} as const;
export const claimFields = { dfcHtlcTx: hash256, seed: varBytes } as const;
const entryFields = { creationTx: hash256, creationHeight: u32 } as const;

/** Blocks after which an HTLC that the other side did not answer expires, which refunds the maker's deposit. */
const DEPOSIT_TIMEOUT = 100;

/** Orders by token. */
export const orders = defineBook<number, IcxOrder>({
  name: 'order',
  parent: varInt32,
  entry: struct<IcxOrder>({ ...orderFields, ...entryFields, closeTx: hash256, closeHeight: i32 }),
  parentOf: ({ tokenId }) => tokenId,
  deadlines: (order) => [[after(order, order.expiry), OrderStatus.expired]],
});

/** Offers by order. */
export const offers = defineBook<Hash256, IcxOffer>({
  name: 'offer',
  parent: hash256,
  entry: struct<IcxOffer>({ ...offerFields, ...entryFields }),
  parentOf: ({ orderTx }) => orderTx,
  deadlines: (offer) => [[after(offer, offer.expiry), OfferStatus.expired]],
});

/** HTLCs on this chain, by offer. */
export const dfcHtlcs = defineBook<Hash256, DfcHtlc>({
  name: 'dfc-htlc',
  parent: hash256,
  entry: struct<DfcHtlc>({ ...dfcHtlcFields, ...entryFields }),
  parentOf: ({ offerTx }) => offerTx,
  deadlines: (htlc) => [
    [after(htlc, DEPOSIT_TIMEOUT), DfcStatus.expired],
    [after(htlc, htlc.timeout), DfcStatus.refunded],
  ],
});

/** HTLCs on Bitcoin, by offer. */
export const extHtlcs = defineBook<Hash256, ExtHtlc>({
  name: 'ext-htlc',
  parent: hash256,
  entry: struct<ExtHtlc>({ ...extHtlcFields, ...entryFields }),
  parentOf: ({ offerTx }) => offerTx,
  deadlines: (htlc) => [[after(htlc, DEPOSIT_TIMEOUT), ExtStatus.expired]],
});

export interface ClaimKey {
  readonly offerTx: Hash256;
  readonly txid: Hash256;
}

/** Claims of HTLCs on this chain, by offer. */
export const icxClaims: Column<ClaimKey, IcxClaim> = {
  name: 'dfi/icx-claim',
  key: struct<ClaimKey>({ offerTx: hash256, txid: hash256 }),
  value: struct<IcxClaim>({ ...claimFields, height: u32 }),
};

/** Columns of orders, offers, HTLCs and claims. */
export const icxColumns: readonly AnyColumn[] = [
  ...columnsOf(orders),
  ...columnsOf(offers),
  ...columnsOf(dfcHtlcs),
  ...columnsOf(extHtlcs),
  icxClaims,
];

/** Height `blocks` blocks after the creation of an entry, wrapped to 32 bits. */
export function after({ creationHeight }: BookEntry, blocks: number): number {
  return (creationHeight + blocks) >>> 0;
}

/** Account that holds the reserved amount of an order, offer or HTLC: its id as a script. */
export function escrowOf({ creationTx }: BookEntry): Uint8Array {
  return creationTx;
}

export function isInternal({ type }: Pick<OrderTerms, 'type'>): boolean {
  return type === OrderType.internal;
}

/** True if the first HTLC of the exchange was submitted, so that the fees of the offer are spent. */
export function isCommitted(view: StateView, order: IcxOrder, offer: IcxOffer, at: Parameters<typeof wasSubmitted>[3]): boolean {
  return isInternal(order) ? wasSubmitted(view, dfcHtlcs, offer.creationTx, at) : wasSubmitted(view, extHtlcs, offer.creationTx, at);
}

/** True if an offer has an open HTLC in the book, or from Eunos Paya on also a closed one. */
export function wasSubmitted<Htlc extends BookEntry>(
  view: StateView,
  book: Book<Hash256, Htlc>,
  offerTx: Hash256,
  { height, params }: { readonly height: number; readonly params: NetworkParams },
): boolean {
  if (hasEntries(view, book, 'open', offerTx)) return true;
  return isActive(params, 'eunosPaya', height) && hasEntries(view, book, 'closed', offerTx);
}
