import type {
  IcxClaimDfcHtlcRequest,
  IcxClaimDfcHtlcResponse,
  IcxSubmitDfcHtlcRequest,
  IcxSubmitDfcHtlcResponse,
  IcxSubmitExtHtlcRequest,
  IcxSubmitExtHtlcResponse,
} from '../../../gen/ts/dfi/node/v1/icx.js';
import { claimDfcHtlc } from '../../dfi/icx/claim-transactions.js';
import { isInternal } from '../../dfi/icx/columns.js';
import { submitDfcHtlc, submitExtHtlc } from '../../dfi/icx/htlc-transactions.js';
import { DFC_FIRST, DFC_SECOND, leastTimeout } from '../../dfi/icx/limits.js';
import { byteText } from '../../dfi/kernel/text.js';
import type { Handler } from '../../rpc/handler.js';
import { trimBlanks } from '../../util/trim.js';
import { readInputs } from '../format/inputs.js';
import { parseLooseHash } from '../format/loose-hash.js';
import { requireMember } from '../format/options-object.js';
import { parsePublicKey } from '../format/public-key.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import { type IcxModules, WARNING } from './modules.js';
import { requireBalance, requireObject, requireOffer, requireOrder } from './read.js';

/** @see docs/protocol/defi.md 4.5 */
export const icxSubmitDfcHtlc: Handler<IcxModules, IcxSubmitDfcHtlcRequest, IcxSubmitDfcHtlcResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'submit dfc htlc');
  requireObject(request, call, '"offerTx","amount","receiverAddress","hash"');
  const offerTx = parseLooseHash(requireMember(request.offertx, 'offerTx'));
  const amount = requireMember(request.amount, 'amount');
  const hash = parseLooseHash(requireMember(request.hash, 'hash'));
  const given = request.timeout ?? 0;
  const offer = requireOffer(modules, offerTx);
  const order = requireOrder(modules, offer.orderTx);
  const internal = isInternal(order);
  const { params, tip } = modules.chain;
  const least = leastTimeout(internal ? DFC_FIRST : DFC_SECOND, { params, height: tip.height + 1 });
  const timeout = (given === 0 ? least : given) >>> 0;
  if (!internal) requireBalance(modules, offer.owner, order.tokenId, offer.amount);
  const body = { offerTx, amount, hash, timeout };
  const auths = [internal ? order.owner : offer.owner];
  return { warning: WARNING, ...sendFor(wallet, call, { definition: submitDfcHtlc, body, auths, inputs: readInputs(request) }) };
};

/** @see docs/protocol/defi.md 4.5 */
export const icxSubmitExtHtlc: Handler<IcxModules, IcxSubmitExtHtlcRequest, IcxSubmitExtHtlcResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'submit ext htlc');
  requireObject(request, call, '"offerTx","amount","htlcScriptAddress","hash","refundPubkey","timeout"');
  const offerTx = parseLooseHash(requireMember(request.offertx, 'offerTx'));
  const amount = requireMember(request.amount, 'amount');
  const hash = parseLooseHash(requireMember(request.hash, 'hash'));
  const scriptAddress = byteText(trimBlanks(requireMember(request.htlcscriptaddress, 'htlcScriptAddress')));
  const ownerPubkey = parsePublicKey(requireMember(request.ownerpubkey, 'ownerPubkey'));
  const timeout = requireMember(request.timeout, 'timeout') >>> 0;
  const offer = requireOffer(modules, offerTx);
  const order = requireOrder(modules, offer.orderTx);
  const body = { offerTx, amount, hash, scriptAddress, ownerPubkey, timeout };
  const auths = [isInternal(order) ? offer.owner : order.owner];
  return { warning: WARNING, ...sendFor(wallet, call, { definition: submitExtHtlc, body, auths, inputs: readInputs(request) }) };
};

/** Claims an HTLC. The seed is the only authorisation, so no signer is required. @see docs/protocol/defi.md 4.5 */
export const icxClaimDfcHtlc: Handler<IcxModules, IcxClaimDfcHtlcRequest, IcxClaimDfcHtlcResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'claim dfc htlc');
  requireObject(request, call, '"dfchtlcTx","receiverAddress","seed"');
  const dfcHtlcTx = parseLooseHash(requireMember(request.dfchtlctx, 'dfchtlcTx'));
  const seed = readSeed(requireMember(request.seed, 'seed'));
  return {
    warning: WARNING,
    ...sendFor(wallet, call, { definition: claimDfcHtlc, body: { dfcHtlcTx, seed }, inputs: readInputs(request) }),
  };
};

/** Bytes in hex up to the first other character. As in `defid`, there may be blanks in front of each byte. */
function readSeed(text: string): Uint8Array {
  const pairs = text.match(/[ \f\n\r\t\v]*[\da-f]{2}/giy) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair.slice(-2), 16));
}
