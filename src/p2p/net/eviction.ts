import { groupOf } from '../addresses/reachability.js';
import { hasDesiredServices } from '../addresses/services.js';
import type { Peer } from './peer.js';

const PROTECTED_BY_GROUP = 4;
const PROTECTED_BY_PING = 8;
const PROTECTED_BY_TRANSACTIONS = 4;
const PROTECTED_BY_BLOCKS = 4;

/**
 * Which inbound peer has to make room. Peers are spared for what an attacker cannot make many of at once: networks that he has not,
 * nearness, news that he was first with, and half of the rest for having been here longest. Of those left, the youngest of the largest
 * group goes.
 * @param groupOrder rank of a group that nobody outside can foresee
 */
export function chooseEvicted(peers: readonly Peer[], groupOrder: (group: string) => number): Peer | undefined {
  let left = peers.filter(({ inbound, permissions, disconnected }) => inbound && !permissions.has('noban') && !disconnected);
  left = spare(left, PROTECTED_BY_GROUP, (a, b) => groupOrder(groupOf(a.endpoint.ip)) - groupOrder(groupOf(b.endpoint.ip)));
  left = spare(left, PROTECTED_BY_PING, (a, b) => a.latency.lowest - b.latency.lowest || 0);
  left = spare(left, PROTECTED_BY_TRANSACTIONS, byTransactions);
  left = spare(left, PROTECTED_BY_BLOCKS, byBlocks);
  left = spare(left, Math.floor(left.length / 2), (a, b) => a.connectedMs - b.connectedMs);
  return youngestOfLargestGroup(left);
}

/** The peers less the first `count` of them in an order. */
function spare(peers: readonly Peer[], count: number, order: (a: Peer, b: Peer) => number): Peer[] {
  return [...peers].sort(order).slice(count);
}

function byTransactions(a: Peer, b: Peer): number {
  return (
    b.lastTransactionMs - a.lastTransactionMs ||
    Number(b.relaysTransactions) - Number(a.relaysTransactions) ||
    Number(a.hasFilter) - Number(b.hasFilter) ||
    a.connectedMs - b.connectedMs
  );
}

function byBlocks(a: Peer, b: Peer): number {
  const useful = (peer: Peer) => Number(hasDesiredServices(peer.services, false));
  return b.lastBlockMs - a.lastBlockMs || useful(b) - useful(a) || a.connectedMs - b.connectedMs;
}

function youngestOfLargestGroup(peers: readonly Peer[]): Peer | undefined {
  const groups = new Map<string, Peer[]>();
  for (const peer of peers) {
    const group = groupOf(peer.endpoint.ip);
    groups.set(group, [...(groups.get(group) ?? []), peer]);
  }
  const youngest = (members: readonly Peer[]) => members.reduce((a, b) => (b.connectedMs > a.connectedMs ? b : a));
  let chosen: Peer | undefined;
  let size = 0;
  for (const members of groups.values()) {
    const candidate = youngest(members);
    const younger = members.length === size && chosen !== undefined && candidate.connectedMs > chosen.connectedMs;
    if (members.length > size || younger) {
      chosen = candidate;
      size = members.length;
    }
  }
  return chosen;
}
