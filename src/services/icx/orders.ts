import type {
  IcxCloseOfferRequest,
  IcxCloseOfferResponse,
  IcxCloseOrderRequest,
  IcxCloseOrderResponse,
  IcxCreateOrderRequest,
  IcxCreateOrderResponse,
  IcxMakeOfferRequest,
  IcxMakeOfferResponse,
} from '../../../gen/ts/dfi/node/v1/icx.js';
import { isInternal, OrderType } from '../../dfi/icx/columns.js';
import { leastOfferExpiry, MIN_ORDER_EXPIRY } from '../../dfi/icx/limits.js';
import { closeOffer, closeOrder, createOrder, makeOffer } from '../../dfi/icx/order-transactions.js';
import { isActive } from '../../params/network.js';
import { formatHash, isNullHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { invalidParameter } from '../../util/errors.js';
import { trimBlanks } from '../../util/trim.js';
import { readInputs } from '../format/inputs.js';
import { parseLooseHash } from '../format/loose-hash.js';
import { requireMember } from '../format/options-object.js';
import { parsePublicKey } from '../format/public-key.js';
import { requireToken } from '../format/token.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import { type IcxModules, WARNING } from './modules.js';
import { readOwner, requireBalance, requireObject, requireOffer, requireOrder } from './read.js';

const BITCOIN = 'BTC';

/** Token and direction of a trade with Bitcoin. */
function readTrade(request: IcxCreateOrderRequest): { readonly type: number; readonly tokenName: string } {
  const { tokenfrom, chainfrom } = request;
  if (tokenfrom !== undefined) {
    if (trimBlanks(request.chainto ?? '') !== BITCOIN) {
      throw invalidParameter('Invalid parameters, argument "chainTo" must be "BTC" if "tokenFrom" specified');
    }
    const tokenName = trimBlanks(tokenfrom);
    return { type: tokenName === '' ? OrderType.external : OrderType.internal, tokenName };
  }
  if (chainfrom === undefined) {
    throw invalidParameter(
      'Invalid parameters, either "tokenFrom" or "chainFrom" must not be both null - [tokenFrom,chainTo] or [chainFrom,tokenTo].',
    );
  }
  if (trimBlanks(chainfrom) !== BITCOIN)
    throw invalidParameter('Invalid parameters, argument "chainFrom" must be "BTC" if "tokenTo" specified');
  const tokenName = trimBlanks(requireMember(request.tokento, 'tokenTo', 'must not be null if "chainFrom" specified'));
  return { type: OrderType.external, tokenName };
}

/** @see docs/protocol/defi.md 4.5 */
export const icxCreateOrder: Handler<IcxModules, IcxCreateOrderRequest, IcxCreateOrderResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'create order');
  const owner = readOwner(modules, wallet, request.owneraddress);
  const { type, tokenName } = readTrade(request);
  const amount = requireMember(request.amountfrom, 'amountFrom', 'must not be null');
  const orderPrice = requireMember(request.orderprice, 'orderPrice', 'must not be null');
  const expiry = (request.expiry ?? MIN_ORDER_EXPIRY) >>> 0;
  const token = requireToken(modules.chain.state, tokenName);
  let receivePubkey: Uint8Array = EMPTY_BYTES;
  if (isInternal({ type })) {
    receivePubkey = parsePublicKey(trimBlanks(requireMember(request.receivepubkey, 'receivePubkey', 'must not be null')));
    requireBalance(modules, owner, token.id, amount);
  }
  const body = { type, tokenId: token.id, owner, receivePubkey, amountFrom: amount, amountToFill: amount, orderPrice, expiry };
  const sent = sendFor(wallet, call, { definition: createOrder, body, auths: [owner], inputs: readInputs(request) });
  return { warning: WARNING, ...sent };
};

/** @see docs/protocol/defi.md 4.5 */
export const icxMakeOffer: Handler<IcxModules, IcxMakeOfferRequest, IcxMakeOfferResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'make offer');
  requireObject(request, call, '"orderTx","amount", "receivePubkey|receiveAddress"');
  const orderTx = parseLooseHash(requireMember(request.ordertx, 'orderTx'));
  const amount = requireMember(request.amount, 'amount');
  const owner = readOwner(modules, wallet, request.owneraddress);
  const { expiry: wanted } = request;
  const order = requireOrder(modules, orderTx);
  let receivePubkey: Uint8Array = EMPTY_BYTES;
  if (!isInternal(order)) {
    receivePubkey = parsePublicKey(trimBlanks(requireMember(request.receivepubkey, 'receivePubkey')));
    requireBalance(modules, owner, order.tokenId, amount);
  }
  const { params, tip } = modules.chain;
  const next = { params, height: tip.height + 1 };
  // `defid` 3.2.8 reads it, but ignores it.
  const given = isActive(params, 'metachain', next.height) ? wanted : undefined;
  const expiry = (given ?? leastOfferExpiry(next)) >>> 0;
  const body = { orderTx, amount, owner, receivePubkey, expiry, takerFee: 0n };
  return { warning: WARNING, ...sendFor(wallet, call, { definition: makeOffer, body, auths: [owner], inputs: readInputs(request) }) };
};

/** @see docs/protocol/defi.md 4.5 */
export const icxCloseOrder: Handler<IcxModules, IcxCloseOrderRequest, IcxCloseOrderResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'close order');
  const orderTx = parseLooseHash(request.ordertx);
  const { owner, closeTx } = requireOrder(modules, orderTx);
  if (!isNullHash(closeTx)) throw invalidParameter(`orderTx (${formatHash(orderTx)} is already closed!`);
  const sent = sendFor(wallet, call, { definition: closeOrder, body: { orderTx }, auths: [owner], inputs: readInputs(request) });
  return { warning: WARNING, ...sent };
};

/** @see docs/protocol/defi.md 4.5 */
export const icxCloseOffer: Handler<IcxModules, IcxCloseOfferRequest, IcxCloseOfferResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'close offer');
  const offerTx = parseLooseHash(request.offertx);
  const { owner } = requireOffer(modules, offerTx, 'OfferTx');
  const sent = sendFor(wallet, call, { definition: closeOffer, body: { offerTx }, auths: [owner], inputs: readInputs(request) });
  return { warning: WARNING, ...sent };
};
