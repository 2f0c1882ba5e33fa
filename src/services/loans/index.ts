import type { LoansServiceServer } from '../../../gen/ts/dfi/node/v1/loans.js';
import type { Handlers } from '../../rpc/handler.js';
import type { LoansModules } from './modules.js';

export type { LoansModules } from './modules.js';

export const loansHandlers = {} satisfies Handlers<LoansServiceServer, LoansModules>;
