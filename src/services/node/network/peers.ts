import type {
  DisconnectNodeRequest,
  DisconnectNodeResponse,
  GetConnectionCountRequest,
  GetConnectionCountResponse,
  GetNetTotalsRequest,
  GetNetTotalsResponse,
  GetPeerInfoRequest,
  GetPeerInfoResponse,
  PeerInfo,
  PingRequest,
  PingResponse,
  SetNetworkActiveRequest,
  SetNetworkActiveResponse,
} from '../../../../gen/ts/dfi/node/v1/network.js';
import { formatEndpoint } from '../../../p2p/addresses/ip.js';
import { isValidIp } from '../../../p2p/addresses/reachability.js';
import { formatServices } from '../../../p2p/addresses/services.js';
import type { Peer } from '../../../p2p/net/peer.js';
import type { Peers } from '../../../p2p/net/peers.js';
import type { PeerProgress } from '../../../p2p/sync/peer-progress.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import type { Clock } from '../../../util/clock.js';
import { NodeError } from '../../../util/errors.js';
import { isGiven } from '../../format/options-object.js';
import type { P2pModules } from '../modules.js';
import { requirePeers } from './require-peers.js';

/** Pings all peers; succeeds without P2P too. */
export const ping: Handler<P2pModules, PingRequest, PingResponse> = ({ peers }) => {
  peers?.pingAll();
  return {};
};

export const getConnectionCount: Handler<P2pModules, GetConnectionCountRequest, GetConnectionCountResponse> = (modules) => ({
  connections: requirePeers(modules).count,
});

export const getNetTotals: Handler<P2pModules & { clock: Pick<Clock, 'now'> }, GetNetTotalsRequest, GetNetTotalsResponse> = (modules) => {
  const { totals } = requirePeers(modules);
  return {
    totalbytesrecv: BigInt(totals.received),
    totalbytessent: BigInt(totals.sent),
    timemillis: BigInt(modules.clock.now()),
    uploadtarget: {
      timeframe: BigInt(totals.cycleSec),
      target: BigInt(totals.maxUploadBytes),
      targetReached: totals.targetReached,
      serveHistoricalBlocks: totals.servesHistoricalBlocks,
      bytesLeftInCycle: BigInt(totals.bytesLeft),
      timeLeftInCycle: BigInt(totals.secondsLeft),
    },
  };
};

export const getPeerInfo: Handler<P2pModules, GetPeerInfoRequest, GetPeerInfoResponse> = (modules) => {
  const peers = requirePeers(modules);
  return { peers: peers.all().map((peer) => formatPeer(peer, peers, modules.peerProgress?.(peer))) };
};

function formatPeer(peer: Peer, peers: Peers, progress: PeerProgress | undefined): PeerInfo {
  const { traffic, localEndpoint } = peer;
  const seconds = (ms: number) => BigInt(peers.secondsOf(ms));
  return {
    id: BigInt(peer.id),
    addr: peer.name,
    addrlocal: localEndpoint && isValidIp(localEndpoint.ip) ? formatEndpoint(localEndpoint) : undefined,
    addrbind: peer.boundTo,
    services: formatServices(peer.services),
    relaytxes: peer.relaysTransactions,
    lastsend: seconds(traffic.lastSentMs),
    lastrecv: seconds(traffic.lastReceivedMs),
    bytessent: BigInt(traffic.bytesSent),
    bytesrecv: BigInt(traffic.bytesReceived),
    conntime: seconds(peer.connectedMs),
    timeoffset: BigInt(peer.timeOffset),
    ...formatPings(peer, peers.monotonic()),
    version: peer.protocolVersion,
    subver: peer.version?.userAgent ?? '',
    inbound: peer.inbound,
    addnode: peer.kind === 'manual',
    startingheight: peer.startHeight,
    banscore: peer.misbehaviour,
    syncedHeaders: progress?.syncedHeaders ?? -1,
    syncedBlocks: progress?.syncedBlocks ?? -1,
    inflight: { heights: [...(progress?.inFlight ?? [])] },
    addrProcessed: BigInt(peer.addressesProcessed),
    addrRateLimited: BigInt(peer.addressesRateLimited),
    whitelisted: peer.permissions.whitelisted,
    permissions: [...peer.permissions.names],
    minfeefilter: progress?.minFeeRate ?? 0n,
    bytessentPerMsg: bigints(traffic.sentByMessage()),
    bytesrecvPerMsg: bigints(traffic.receivedByMessage()),
  };
}

function formatPings({ latency }: Peer, nowMs: number): Pick<PeerInfo, 'pingtime' | 'minping' | 'pingwait'> {
  const { last, lowest, waitingSince } = latency;
  return {
    ...(last === undefined ? {} : { pingtime: microseconds(last), minping: microseconds(lowest) }),
    ...(waitingSince === undefined ? {} : { pingwait: microseconds(nowMs - waitingSince) }),
  };
}

/** Converts to seconds, rounded to whole microseconds. */
function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1_000_000;
}

function bigints(counts: Readonly<Record<string, number>>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(counts).map(([name, bytes]) => [name, BigInt(bytes)]));
}

export const disconnectNode: Handler<P2pModules, DisconnectNodeRequest, DisconnectNodeResponse> = (modules, request) => {
  const peers = requirePeers(modules);
  const byId = isGiven(request, 'nodeid');
  const byAddress = isGiven(request, 'address');
  // With an id, only an empty address is allowed. An address of another type counts as ambiguous too.
  const isAmbiguous = byId ? byAddress && (rawJson(request, 'address') ?? request.address) !== '' : !byAddress;
  if (isAmbiguous) throw new NodeError('invalid-params', 'Only one of address and nodeid should be provided.');
  const found = byId ? peers.disconnect(Number(request.nodeid)) : peers.disconnect(request.address ?? '');
  if (!found) throw new NodeError('node-not-connected', 'Node not found in connected nodes');
  return {};
};

export const setNetworkActive: Handler<P2pModules, SetNetworkActiveRequest, SetNetworkActiveResponse> = (modules, { state }) => {
  const peers = requirePeers(modules);
  peers.setActive(state);
  return { active: peers.active };
};
