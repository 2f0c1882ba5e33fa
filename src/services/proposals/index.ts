import type { ProposalsServiceServer } from '../../../gen/ts/dfi/node/v1/proposals.js';
import type { Handlers } from '../../rpc/handler.js';
import type { ProposalsModules } from './modules.js';

export type { ProposalsModules } from './modules.js';

export const proposalsHandlers = {} satisfies Handlers<ProposalsServiceServer, ProposalsModules>;
