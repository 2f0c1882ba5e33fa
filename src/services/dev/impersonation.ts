import type { ImpersonateRequest, ImpersonateResponse } from '../../../gen/ts/dfi/dev/v1/dev.js';
import { requireDevNetwork } from '../../devnet/dev-network.js';
import type { Handler } from '../../rpc/handler.js';
import { parseOwner } from '../format/owner.js';
import type { DevModules } from './modules.js';

export const impersonate: Handler<DevModules, ImpersonateRequest, ImpersonateResponse> = ({ chain, devNetwork }, request) => {
  const { address, enabled = true } = request;
  requireDevNetwork(devNetwork).impersonate(parseOwner(address, chain), enabled);
  return {};
};
