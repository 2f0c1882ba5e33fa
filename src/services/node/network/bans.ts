import type {
  ClearBannedRequest,
  ClearBannedResponse,
  ListBannedRequest,
  ListBannedResponse,
  SetBanRequest,
  SetBanResponse,
} from '../../../../gen/ts/dfi/node/v1/network.js';
import { lookupSubnet } from '../../../p2p/addresses/reachability.js';
import { formatSubnet } from '../../../p2p/addresses/subnet.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import type { P2pModules } from '../modules.js';
import { requirePeers } from './require-peers.js';
import { type UsageModules, wrongUsage } from './usage.js';

type Modules = P2pModules & UsageModules;

/** Adds or removes a ban. Host names are not resolved: only addresses and subnets can be banned. */
export const setBan: Handler<Modules, SetBanRequest, SetBanResponse> = (modules, request) => {
  if (rawJson(request, 'command') === null) throw wrongUsage(modules, 'setban');
  const { command } = request;
  if (command !== 'add' && command !== 'remove') throw wrongUsage(modules, 'setban');
  const peers = requirePeers(modules);
  const text = request.subnet;
  const subnet = lookupSubnet(text);
  if (!subnet) throw new NodeError('invalid-ip', 'Error: Invalid IP/Subnet');
  const { bans } = peers;
  if (command === 'remove') {
    if (!bans.unban(subnet)) throw new NodeError('invalid-ip', 'Error: Unban failed. Requested address/subnet was not previously banned.');
    peers.saveBans();
    return {};
  }
  const banned = text.includes('/') ? bans.hasSubnet(subnet) : bans.isBanned(subnet.network);
  if (banned) throw new NodeError('node-already-added', 'Error: IP/Subnet already banned');
  const { bantime = 0n, absolute = false } = request;
  if (absolute && bantime > 0n) bans.banUntil(subnet, 'manually added', bantime);
  else bans.ban(subnet, 'manually added', bantime);
  peers.saveBans();
  peers.disconnectSubnet(subnet);
  return {};
};

export const listBanned: Handler<P2pModules, ListBannedRequest, ListBannedResponse> = (modules) => ({
  bans: requirePeers(modules)
    .bans.list()
    .map(({ subnet, until, created, reason }) => ({
      address: formatSubnet(subnet),
      bannedUntil: until,
      banCreated: BigInt(created),
      banReason: reason,
    })),
});

export const clearBanned: Handler<P2pModules, ClearBannedRequest, ClearBannedResponse> = (modules) => {
  const peers = requirePeers(modules);
  peers.bans.clear();
  peers.saveBans();
  return {};
};
