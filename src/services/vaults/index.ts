import type { VaultsServiceServer } from '../../../gen/ts/dfi/node/v1/vaults.js';
import type { Handlers } from '../../rpc/handler.js';
import type { VaultsModules } from './modules.js';

export type { VaultsModules } from './modules.js';

export const vaultsHandlers = {} satisfies Handlers<VaultsServiceServer, VaultsModules>;
