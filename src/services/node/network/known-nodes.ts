import type {
  AddedNode,
  AddNodeRequest,
  AddNodeResponse,
  GetAddedNodeInfoRequest,
  GetAddedNodeInfoResponse,
  GetNodeAddressesRequest,
  GetNodeAddressesResponse,
} from '../../../../gen/ts/dfi/node/v1/network.js';
import { formatEndpoint, formatIp } from '../../../p2p/addresses/ip.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import type { P2pModules } from '../modules.js';
import { requirePeers } from './require-peers.js';
import { type UsageModules, wrongUsage } from './usage.js';

type Modules = P2pModules & UsageModules;

/** `onetry` returns after the handshake, or its failure, because callers list the peers next. */
export const addNode: Handler<Modules, AddNodeRequest, AddNodeResponse> = async (modules, request) => {
  if (rawJson(request, 'command') === null || !['add', 'remove', 'onetry'].includes(request.command)) throw wrongUsage(modules, 'addnode');
  const peers = requirePeers(modules);
  const { node, command } = request;
  if (command === 'onetry') await peers.connect(node);
  else if (command === 'add' && !peers.added.add(node)) throw new NodeError('node-already-added', 'Error: Node already added');
  else if (command === 'remove' && !peers.added.remove(node)) throw notAdded();
  return {};
};

export const getAddedNodeInfo: Handler<P2pModules, GetAddedNodeInfoRequest, GetAddedNodeInfoResponse> = (modules, request) => {
  const all = requirePeers(modules).added.list();
  const asksOne = (rawJson(request, 'node') ?? request.node) !== undefined;
  // As in `defid`, the argument is read when it is compared with added nodes. Without added nodes it may be of any type.
  const asked = asksOne ? all.filter((each) => each.node === request.node).slice(0, 1) : all;
  if (asksOne && asked.length === 0) throw notAdded();
  return {
    nodes: asked.map(
      ({ node: addednode, peer }): AddedNode => ({
        addednode,
        connected: peer !== undefined,
        addresses: peer ? [{ address: formatEndpoint(peer.endpoint), connected: peer.inbound ? 'inbound' : 'outbound' }] : [],
      }),
    ),
  };
};

function notAdded(): NodeError {
  return new NodeError('node-not-added', 'Error: Node has not been added.');
}

export const getNodeAddresses: Handler<P2pModules, GetNodeAddressesRequest, GetNodeAddressesResponse> = (modules, { count = 1 }) => {
  const peers = requirePeers(modules);
  if (count <= 0) throw invalidParameter('Address count out of range');
  const chosen = peers.book.sample().slice(0, count);
  return {
    addresses: chosen.map(({ time, services, ip, port }) => ({ time: BigInt(time), services, address: formatIp(ip), port })),
  };
};
