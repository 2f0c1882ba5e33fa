import type { GetNetworkInfoRequest, GetNetworkInfoResponse, NetworkState } from '../../../../gen/ts/dfi/node/v1/network.js';
import type { Warnings } from '../../../chain/warnings.js';
import type { Mempool } from '../../../mempool/mempool.js';
import { formatEndpoint } from '../../../p2p/addresses/ip.js';
import type { Networks } from '../../../p2p/addresses/networks.js';
import { NETWORKS, type Network } from '../../../p2p/addresses/reachability.js';
import { formatServices } from '../../../p2p/addresses/services.js';
import { PROTOCOL_VERSION, RELEASE_NUMBER, userAgent } from '../../../params/protocol.js';
import type { Handler } from '../../../rpc/handler.js';
import type { P2pModules } from '../modules.js';

type Modules = P2pModules & { readonly mempool: Pick<Mempool, 'policy'>; readonly warnings: Pick<Warnings, 'text'> };

/** Without P2P the members about the network are left out. */
export const getNetworkInfo: Handler<Modules, GetNetworkInfoRequest, GetNetworkInfoResponse> = ({ peers, mempool, warnings }) => {
  return {
    version: RELEASE_NUMBER,
    subversion: peers?.userAgent ?? userAgent([]),
    protocolversion: PROTOCOL_VERSION,
    ...(peers ? { localservices: formatServices(peers.options.services) } : {}),
    localrelay: peers ? !peers.options.blocksOnly : false,
    timeoffset: BigInt(peers?.timeOffset() ?? 0),
    ...(peers ? { networkactive: peers.active, connections: peers.count } : {}),
    networks: NETWORKS.map((name) => formatNetwork(name, peers?.networks)),
    relayfee: mempool.policy.minRelayFeeRate,
    incrementalfee: mempool.policy.incrementalRelayFeeRate,
    localaddresses: [...(peers?.local.shown() ?? [])],
    warnings: warnings.text,
  };
};

/** State of a network; without P2P, the state without any options. */
function formatNetwork(name: Network, networks: Networks | undefined): NetworkState {
  const reachable = networks?.reaches(name) ?? name !== 'onion';
  const proxy = networks?.proxyOf(name);
  return {
    name,
    limited: !reachable,
    reachable,
    proxy: proxy ? formatEndpoint(proxy.endpoint) : '',
    proxyRandomizeCredentials: proxy?.randomizesCredentials ?? false,
  };
}
