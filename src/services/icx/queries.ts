import type {
  IcxBookEntry,
  IcxGetOrderRequest,
  IcxGetOrderResponse,
  IcxHtlc,
  IcxListHtlcsRequest,
  IcxListHtlcsResponse,
  IcxListOrdersRequest,
  IcxListOrdersResponse,
} from '../../../gen/ts/dfi/node/v1/icx.js';
import { readState } from '../../chain/read-state.js';
import { getEntry, listEntries, statusOf } from '../../dfi/icx/book-columns.js';
import { dfcHtlcs, extHtlcs, type IcxOffer, type IcxOrder, icxClaims, offers, orders } from '../../dfi/icx/columns.js';
import { encode } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { LongMap } from '../../rpc/long-map.js';
import type { StateView } from '../../storage/view.js';
import { invalidParameter } from '../../util/errors.js';
import type { Steps } from '../../util/slicer.js';
import { trimBlanks } from '../../util/trim.js';
import { parseLooseHash } from '../format/loose-hash.js';
import { requireMember } from '../format/options-object.js';
import { requireToken } from '../format/token.js';
import { describeClaim, describeDfcHtlc, describeExtHtlc, describeOffer, describeOrder } from './describe.js';
import { type IcxModules, WARNING } from './modules.js';
import { requireObject } from './read.js';

type Chain = Pick<IcxModules['chain'], 'params' | 'tip' | 'state'>;
type Shown<T> = readonly [id: string, entry: T];

function shownOrder(order: IcxOrder, status: number, chain: Chain): Shown<IcxBookEntry> {
  return [formatHash(order.creationTx), { form: { $case: 'order', value: describeOrder(order, status, chain) } }];
}

function shownOffer(offer: IcxOffer, status: number, chain: Chain): Shown<IcxBookEntry>[] {
  const order = getEntry(chain.state, orders, offer.orderTx);
  if (!order) return [];
  return [[formatHash(offer.creationTx), { form: { $case: 'offer', value: describeOffer(offer, order, status, chain) } }]];
}

export const icxGetOrder: Handler<IcxModules, IcxGetOrderRequest, IcxGetOrderResponse> = ({ chain }, request) => {
  const id = parseLooseHash(request.ordertx);
  const order = getEntry(chain.state, orders, id);
  const offer = getEntry(chain.state, offers, id);
  if (!order && !offer) throw invalidParameter(`orderTx (${formatHash(id)}) does not exist`);
  const shown = order
    ? [shownOrder(order, statusOf(chain.state, orders, order), chain)]
    : shownOffer(offer as IcxOffer, statusOf(chain.state, offers, offer as IcxOffer), chain);
  return { warning: WARNING, entries: Object.fromEntries(shown) };
};

export const icxListOrders: Handler<IcxModules, IcxListOrdersRequest, IcxListOrdersResponse> = ({ chain }, request, call) => {
  const name = trimBlanks(request.token ?? '');
  const bitcoin = trimBlanks(request.chain ?? '');
  const orderTx = request.ordertx === undefined ? undefined : parseLooseHash(request.ordertx);
  const limit = sizeOf(request.limit ?? 50n);
  const which = request.closed ? 'closed' : 'open';
  // The presence of the chain matters, its name does not.
  const token = name !== '' && bitcoin !== '' ? requireToken(chain.state, name) : undefined;
  const { params, tip } = chain;
  return readState(chain, call, function* answer(state) {
    const at = { params, tip, state };
    const found = token || !orderTx ? ordersOf(at, which, token?.id) : offersTo(at, which, orderTx);
    return { warning: WARNING, entries: yield* firstEntries(found, limit) };
  });
};

/** Number of entries; negative numbers wrap to large ones. */
function sizeOf(limit: bigint): number {
  return Number(BigInt.asUintN(64, limit));
}

/** First entries of a list by their ids. @param limit 0 for none */
function* firstEntries<T>(shown: Iterable<Shown<T>>, limit: number): Steps<Record<string, T>> {
  const entries = new LongMap<T>();
  let left = limit;
  for (const [id, entry] of shown) {
    if (left === 0) break;
    left -= 1;
    entries.set(id, entry);
    yield;
  }
  return entries.inMessage();
}

function* ordersOf(chain: Chain, which: 'open' | 'closed', tokenId: number | undefined): Generator<Shown<IcxBookEntry>> {
  for (const [order, status] of listEntries(chain.state, orders, which, tokenId)) yield shownOrder(order, status, chain);
}

function* offersTo(chain: Chain, which: 'open' | 'closed', orderTx: Hash256): Generator<Shown<IcxBookEntry>> {
  for (const [offer, status] of listEntries(chain.state, offers, which, orderTx)) yield* shownOffer(offer, status, chain);
}

export const icxListHtlcs: Handler<IcxModules, IcxListHtlcsRequest, IcxListHtlcsResponse> = ({ chain }, request, call) => {
  requireObject(request, call, '"offerTx"');
  const offerTx = parseLooseHash(requireMember(request.offertx, 'offerTx'));
  const closed = request.closed ?? false;
  const limit = sizeOf(request.limit ?? 20n);
  return readState(chain, call, function* answer(state) {
    return { warning: WARNING, entries: yield* firstEntries(htlcsOf(state, offerTx, closed), limit) };
  });
};

function* htlcsOf(state: StateView, offerTx: Hash256, closed: boolean): Generator<Shown<IcxHtlc>> {
  for (const [{ txid }, claim] of state.entries(icxClaims, { prefix: encode(hash256, offerTx) })) {
    yield [formatHash(txid), { form: { $case: 'claim', value: describeClaim(claim) } }];
  }
  const offer = getEntry(state, offers, offerTx);
  const order = offer && getEntry(state, orders, offer.orderTx);
  if (!order) return;
  for (const which of closed ? (['closed', 'open'] as const) : (['open'] as const)) {
    for (const [htlc, status] of listEntries(state, dfcHtlcs, which, offerTx)) {
      yield [formatHash(htlc.creationTx), { form: { $case: 'dfc', value: describeDfcHtlc(htlc, order, status) } }];
    }
  }
  for (const which of closed ? (['closed', 'open'] as const) : (['open'] as const)) {
    for (const [htlc, status] of listEntries(state, extHtlcs, which, offerTx)) {
      yield [formatHash(htlc.creationTx), { form: { $case: 'ext', value: describeExtHtlc(htlc, order, status) } }];
    }
  }
}
