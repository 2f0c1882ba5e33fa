import type {
  SetCollateralTokenRequest,
  SetCollateralTokenResponse,
  SetLoanTokenRequest,
  SetLoanTokenResponse,
  UpdateLoanTokenRequest,
  UpdateLoanTokenResponse,
} from '../../../gen/ts/dfi/node/v1/loans.js';
import { allowsAnyOutputs } from '../../dfi/context/shape.js';
import { byteText } from '../../dfi/kernel/text.js';
import { getLoanToken, loanTokenNames } from '../../dfi/loan-tokens/columns.js';
import {
  setCollateralToken as collateralToken,
  setLoanToken as newToken,
  type SetLoanToken,
  updateLoanToken as update,
} from '../../dfi/loan-tokens/transactions.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { hasFlag } from '../../dfi/tokens/columns.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { asObject } from '../../rpc/scalars.js';
import { parseDecimalArgument } from '../../rpc/shapes.js';
import { invalidParameter } from '../../util/errors.js';
import { trimBlanks } from '../../util/trim.js';
import { readInputs } from '../format/inputs.js';
import { isNullObject, lenientFlag, requireMember } from '../format/options-object.js';
import { requireToken } from '../format/token.js';
import { parsePairId } from '../oracles/arguments.js';
import { BY_MEMBER, sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { LoansModules } from './modules.js';

/** End of the error text for a missing member. */
const NOT_NULL = 'must not be null';

/** Price pair of `fixedIntervalPriceId`. @throws {NodeError} `invalid-parameter` */
function requirePair(text: string | undefined): PricePair {
  if (!text) throw invalidParameter('Invalid parameters, argument "fixedIntervalPriceId" must be non-null');
  return parsePairId(text);
}

/** Interest rate in percent times 1e8, signed; undefined if missing. @throws {NodeError} */
function readInterest(request: SetLoanTokenRequest | UpdateLoanTokenRequest): bigint | undefined {
  const given = rawJson(request, 'interest') ?? request.interest;
  return given === undefined ? undefined : parseDecimalArgument(given);
}

export const setCollateralToken: Handler<LoansModules, SetCollateralTokenRequest, SetCollateralTokenResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = spendingWallet(modules, call, 'setcollateraltoken');
  const text = trimBlanks(requireMember(request.token, 'token', NOT_NULL));
  const factor = requireMember(request.factor, 'factor', NOT_NULL);
  const pair = requirePair(request.fixedintervalpriceid);
  const activateAfterBlock = (request.activateafterblock ?? 0) >>> 0;
  const body = { tokenId: requireToken(modules.chain.state, text).id, factor, pair, activateAfterBlock };
  return sendFor(wallet, call, { definition: collateralToken, body, inputs: readInputs(request), ...BY_MEMBER });
};

export const setLoanToken: Handler<LoansModules, SetLoanTokenRequest, SetLoanTokenResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'setloantoken');
  const body: SetLoanToken = {
    symbol: byteText(trimBlanks(requireMember(request.symbol, 'symbol', NOT_NULL))),
    name: byteText(trimBlanks(request.name ?? '')),
    pair: requirePair(request.fixedintervalpriceid),
    mintable: lenientFlag(request, 'mintable', () => request.mintable) ?? true,
    interest: readInterest(request) ?? 0n,
  };
  const { params, tip } = modules.chain;
  // The second output of a transaction that creates a token is locked: the change, where only two outputs are allowed.
  const holdsCollateral = allowsAnyOutputs(params, tip.height + 1);
  return sendFor(wallet, call, { definition: newToken, body, inputs: readInputs(request), holdsCollateral, ...BY_MEMBER });
};

export const updateLoanToken: Handler<LoansModules, UpdateLoanTokenRequest, UpdateLoanTokenResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'updateloantoken');
  const { state } = modules.chain;
  const text = trimBlanks(request.token);
  if (isNullObject(request)) asObject(null);
  const { id, token } = requireToken(state, text);
  if (!hasFlag(token, 'loanToken')) {
    throw invalidParameter(`Token ${text} is not a loan token! Can't alter other tokens with this tx!`);
  }
  const before = getLoanToken(state, id);
  if (!before) throw invalidParameter(`Can't find ${text} loan token!`);
  const names = loanTokenNames(state, id, token);
  const body = {
    symbol: request.symbol === undefined ? names.symbol : byteText(trimBlanks(request.symbol)),
    name: request.name === undefined ? names.name : byteText(trimBlanks(request.name)),
    pair: request.fixedintervalpriceid === undefined ? before.pair : requirePair(request.fixedintervalpriceid),
    mintable: lenientFlag(request, 'mintable', () => request.mintable) ?? before.mintable,
    interest: readInterest(request) ?? before.interest,
    tokenTx: token.creationTx,
  };
  return sendFor(wallet, call, { definition: update, body, inputs: readInputs(request), ...BY_MEMBER });
};
