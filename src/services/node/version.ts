import type { GetVersionInfoRequest, GetVersionInfoResponse } from '../../../gen/ts/dfi/node/v1/control.js';
import type { Handler } from '../../rpc/handler.js';

/** Release of the reference whose behaviour this node follows: what its clients compare. @see spec: rpc-chain 0, chain 7.1 */
const RELEASE = { major: 4, minor: 2, revision: 5 };
const NAME = 'DeFiChain';
const PROTOCOL_VERSION = 70039;
const MIN_PEER_PROTOCOL_VERSION = 70023;

export const getVersionInfo: Handler<object, GetVersionInfoRequest, GetVersionInfoResponse> = () => {
  const { major, minor, revision } = RELEASE;
  const version = `${major}.${minor}.${revision}`;
  return {
    name: NAME,
    version,
    numericversion: major * 1_000_000 + minor * 10_000 + revision * 100,
    fullversion: `${NAME}:${version}`,
    useragent: `/${NAME}:${version}/`,
    protoversion: PROTOCOL_VERSION,
    protoversionmin: MIN_PEER_PROTOCOL_VERSION,
    rpcversion: '1',
    rpcversionmin: '1',
    spv: undefined,
  };
};
