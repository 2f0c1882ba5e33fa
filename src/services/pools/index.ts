import type { PoolsServiceServer } from '../../../gen/ts/dfi/node/v1/pools.js';
import type { Handlers } from '../../rpc/handler.js';
import type { PoolsModules } from './modules.js';

export type { PoolsModules } from './modules.js';

export const poolsHandlers = {} satisfies Handlers<PoolsServiceServer, PoolsModules>;
