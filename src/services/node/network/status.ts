import type { GetNodeStatusInfoRequest, GetNodeStatusInfoResponse } from '../../../../gen/ts/dfi/node/v1/network.js';
import type { Chain } from '../../../chain/chain.js';
import type { Handler } from '../../../rpc/handler.js';
import type { P2pModules } from '../modules.js';
import { requirePeers } from './require-peers.js';

/** Peers that a healthy node has. */
const ENOUGH_PEERS = 5;
/** Time after the last message of a peer in which it counts. */
const ACTIVE_MS = 300_000;

type Modules = P2pModules & { readonly chain: Pick<Chain, 'tip' | 'bestHeader'> };

export const getNodeStatusInfo: Handler<Modules, GetNodeStatusInfoRequest, GetNodeStatusInfoResponse> = (modules) => {
  const { chain } = modules;
  const peers = requirePeers(modules);
  const since = peers.monotonic() - ACTIVE_MS;
  const active = peers.all().filter(({ traffic }) => traffic.lastReceivedMs !== 0 && traffic.lastReceivedMs >= since);
  const isAtTip = chain.tip.height === chain.bestHeader.height;
  const hasPeers = active.length >= ENOUGH_PEERS;
  return { healthStatus: isAtTip && hasPeers, syncToTip: isAtTip, activePeerNodes: hasPeers };
};
