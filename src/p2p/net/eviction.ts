import { groupOf } from '../addresses/reachability.js';
import { hasDesiredServices } from '../addresses/services.js';
import type { Peer } from './peer.js';

const PROTECTED_BY_GROUP = 4;
const PROTECTED_BY_PING = 8;
const PROTECTED_BY_TRANSACTIONS = 4;
const PROTECTED_BY_BLOCKS = 4;

/**
 * Chooses the inbound peer to disconnect when the slots are full. Peers are protected by properties that an attacker cannot easily
 * imitate: their network group, a low ping, recent new transactions and blocks, and half of the rest by the longest connection. Of the
 * others, those that are banned if there are any, the youngest peer of the largest network group is evicted.
 * @param groupOrder rank of a group, unpredictable for others
 */
export function chooseEvicted(peers: readonly Peer[], groupOrder: (group: string) => number): Peer | undefined {
  let candidates = peers.filter(({ inbound, permissions, disconnected }) => inbound && !permissions.has('noban') && !disconnected);
  candidates = protect(candidates, PROTECTED_BY_GROUP, (a, b) => groupOrder(groupOf(a.endpoint.ip)) - groupOrder(groupOf(b.endpoint.ip)));
  candidates = protect(candidates, PROTECTED_BY_PING, (a, b) => a.latency.lowest - b.latency.lowest || 0);
  candidates = protect(candidates, PROTECTED_BY_TRANSACTIONS, byTransactions);
  candidates = protect(candidates, PROTECTED_BY_BLOCKS, byBlocks);
  candidates = protect(candidates, Math.floor(candidates.length / 2), (a, b) => a.connectedMs - b.connectedMs);
  const banned = candidates.filter(({ isBanned }) => isBanned);
  return youngestOfLargestGroup(banned.length > 0 ? banned : candidates);
}

/** Returns the peers without the first `count` of them in an order. */
function protect(peers: readonly Peer[], count: number, order: (a: Peer, b: Peer) => number): Peer[] {
  return [...peers].sort(order).slice(count);
}

function byTransactions(a: Peer, b: Peer): number {
  return (
    b.lastTransactionMs - a.lastTransactionMs ||
    Number(b.relaysTransactions) - Number(a.relaysTransactions) ||
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
