import type { LoansServiceServer } from '../../../gen/ts/dfi/node/v1/loans.js';
import type { Handlers } from '../../rpc/handler.js';
import { paybackLoan, takeLoan } from './borrowing.js';
import { getLoanInfo } from './info.js';
import { getInterest, getLoanTokens, getStoredInterest, logStoredInterests } from './interest.js';
import type { LoansModules } from './modules.js';
import { createLoanScheme, destroyLoanScheme, setDefaultLoanScheme, updateLoanScheme } from './scheme-changes.js';
import { getLoanScheme, listLoanSchemes } from './schemes.js';
import { setCollateralToken, setLoanToken, updateLoanToken } from './token-changes.js';
import { getCollateralToken, getLoanToken, listCollateralTokens, listLoanTokens } from './tokens.js';

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
  logStoredInterests,
  setCollateralToken,
  setLoanToken,
  updateLoanToken,
  createLoanScheme,
  updateLoanScheme,
  setDefaultLoanScheme,
  destroyLoanScheme,
  takeLoan,
  paybackLoan,
} satisfies Handlers<LoansServiceServer, LoansModules>;
