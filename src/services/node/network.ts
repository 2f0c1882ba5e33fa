import type { GetNetworkInfoRequest, GetNetworkInfoResponse, NetworkState } from '../../../gen/ts/dfi/node/v1/network.js';
import type { Warnings } from '../../chain/warnings.js';
import type { Mempool } from '../../mempool/mempool.js';
import { formatIp } from '../../p2p/ip.js';
import { formatServices } from '../../p2p/services.js';
import { PROTOCOL_VERSION, RELEASE_NUMBER, userAgent } from '../../params/protocol.js';
import type { Handler } from '../../rpc/handler.js';
import type { P2pModules } from './p2p-modules.js';

type Modules = P2pModules & { readonly mempool: Pick<Mempool, 'policy'>; readonly warnings: Pick<Warnings, 'text'> };

/** A node without peers says so by what it leaves out. */
export const getNetworkInfo: Handler<Modules, GetNetworkInfoRequest, GetNetworkInfoResponse> = ({ peers, mempool, warnings }) => {
  const onlyNets = peers?.options.onlyNets ?? [];
  return {
    version: RELEASE_NUMBER,
    subversion: peers?.userAgent ?? userAgent([]),
    protocolversion: PROTOCOL_VERSION,
    ...(peers ? { localservices: formatServices(peers.options.services) } : {}),
    localrelay: peers ? !peers.options.blocksOnly : false,
    timeoffset: BigInt(peers?.timeOffset() ?? 0),
    ...(peers ? { networkactive: peers.active, connections: peers.count } : {}),
    // Onion services are not reached from here.
    networks: [...['ipv4', 'ipv6'].map((name) => network(name, onlyNets.length === 0 || onlyNets.includes(name))), network('onion', false)],
    relayfee: mempool.policy.minRelayFeeRate,
    incrementalfee: mempool.policy.incrementalRelayFeeRate,
    localaddresses: (peers?.local.list() ?? []).map(({ ip, port, score }) => ({ address: formatIp(ip), port, score })),
    warnings: warnings.text,
  };
};

function network(name: string, reachable: boolean): NetworkState {
  return { name, limited: !reachable, reachable, proxy: '', proxyRandomizeCredentials: false };
}
