import type { IcxServiceServer } from '../../../gen/ts/dfi/node/v1/icx.js';
import type { Handlers } from '../../rpc/handler.js';
import type { IcxModules } from './modules.js';

export type { IcxModules } from './modules.js';

export const icxHandlers = {} satisfies Handlers<IcxServiceServer, IcxModules>;
