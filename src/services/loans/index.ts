import type { LoansServiceServer } from '../../../gen/ts/dfi/node/v1/loans.js';
import type { Handlers } from '../../rpc/handler.js';
import { getLoanInfo } from './info.js';
import { getInterest, getLoanTokens, getStoredInterest } from './interest.js';
import type { LoansModules } from './modules.js';
import { getLoanScheme, listLoanSchemes } from './schemes.js';
import { getCollateralToken, getLoanToken, listCollateralTokens, listLoanTokens } from './tokens.js';

export type { LoansModules } from './modules.js';

type NotBuilt =
  | 'setCollateralToken'
  | 'setLoanToken'
  | 'updateLoanToken'
  | 'createLoanScheme'
  | 'updateLoanScheme'
  | 'setDefaultLoanScheme'
  | 'destroyLoanScheme'
  | 'takeLoan'
  | 'paybackLoan';

export const loansHandlers = {
  listLoanSchemes,
  getLoanScheme,
  listLoanTokens,
  getLoanToken,
  listCollateralTokens,
  getCollateralToken,
  getLoanInfo,
  getInterest,
  getStoredInterest,
  getLoanTokens,
} satisfies Handlers<LoansServiceServer, LoansModules, NotBuilt>;
