import type {
  CreateLoanSchemeRequest,
  CreateLoanSchemeResponse,
  DestroyLoanSchemeRequest,
  DestroyLoanSchemeResponse,
  SetDefaultLoanSchemeRequest,
  SetDefaultLoanSchemeResponse,
  UpdateLoanSchemeRequest,
  UpdateLoanSchemeResponse,
} from '../../../gen/ts/dfi/node/v1/loans.js';
import { byteText } from '../../dfi/kernel/text.js';
import {
  CHANGES_IMMEDIATELY,
  setDefaultLoanScheme as defaultChange,
  destroyLoanScheme as destruction,
  setLoanScheme as schemeChange,
} from '../../dfi/loans/scheme-transactions.js';
import type { Handler } from '../../rpc/handler.js';
import { readInputs } from '../format/inputs.js';
import { BY_MEMBER, sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { LoansModules } from './modules.js';

type SchemeFields = Pick<CreateLoanSchemeRequest, 'mincolratio' | 'interestrate' | 'id'>;

function readScheme(request: SchemeFields) {
  return { ratio: request.mincolratio >>> 0, rate: request.interestrate, id: byteText(request.id) };
}

/** Block height; negative numbers wrap to large ones, as in the unsigned 64-bit heights of `defid`. */
function readHeight(height: number | undefined, byDefault: bigint): bigint {
  return height === undefined ? byDefault : BigInt.asUintN(64, BigInt(height));
}

export const createLoanScheme: Handler<LoansModules, CreateLoanSchemeRequest, CreateLoanSchemeResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'createloanscheme');
  const body = { ...readScheme(request), updateHeight: 0n };
  return sendFor(wallet, call, { definition: schemeChange, body, inputs: readInputs(request), ...BY_MEMBER });
};

export const updateLoanScheme: Handler<LoansModules, UpdateLoanSchemeRequest, UpdateLoanSchemeResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'updateloanscheme');
  const body = { ...readScheme(request), updateHeight: readHeight(request.activateafterblock, CHANGES_IMMEDIATELY) };
  return sendFor(wallet, call, { definition: schemeChange, body, inputs: readInputs(request), ...BY_MEMBER });
};

export const setDefaultLoanScheme: Handler<LoansModules, SetDefaultLoanSchemeRequest, SetDefaultLoanSchemeResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = spendingWallet(modules, call, 'setdefaultloanschem');
  const body = { id: byteText(request.id) };
  return sendFor(wallet, call, { definition: defaultChange, body, inputs: readInputs(request), ...BY_MEMBER });
};

export const destroyLoanScheme: Handler<LoansModules, DestroyLoanSchemeRequest, DestroyLoanSchemeResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'destroyloanscheme');
  const body = { id: byteText(request.id), destroyHeight: readHeight(request.activateafterblock, 0n) };
  return sendFor(wallet, call, { definition: destruction, body, inputs: readInputs(request), ...BY_MEMBER });
};
