import type { PingRequest, PingResponse } from '../../../gen/ts/dfi/node/v1/network.js';
import type { Handler } from '../../rpc/handler.js';

/** There are no peers to ping yet, and a node without peers has nothing to do. */
export const ping: Handler<object, PingRequest, PingResponse> = () => ({});
