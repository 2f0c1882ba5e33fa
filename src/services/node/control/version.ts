import type { GetVersionInfoRequest, GetVersionInfoResponse } from '../../../../gen/ts/dfi/node/v1/control.js';
import {
  MIN_PEER_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  RELEASE,
  RELEASE_NUMBER,
  RELEASE_VERSION,
  userAgent,
} from '../../../params/protocol.js';
import type { Handler } from '../../../rpc/handler.js';
import type { P2pModules } from '../modules.js';

export const getVersionInfo: Handler<P2pModules, GetVersionInfoRequest, GetVersionInfoResponse> = ({ peers }) => ({
  name: RELEASE.name,
  version: RELEASE_VERSION,
  numericversion: RELEASE_NUMBER,
  fullversion: `${RELEASE.name}:${RELEASE_VERSION}`,
  useragent: peers?.userAgent ?? userAgent([]),
  protoversion: PROTOCOL_VERSION,
  protoversionmin: MIN_PEER_PROTOCOL_VERSION,
  rpcversion: '1',
  rpcversionmin: '1',
  // The node does not follow the Bitcoin chain.
  spv: undefined,
});
