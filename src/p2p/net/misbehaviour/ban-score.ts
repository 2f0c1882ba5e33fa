import type { Logger } from '../../../util/logger.js';
import type { Bans } from '../../addresses/bans.js';
import { isLocal, isValidIp } from '../../addresses/reachability.js';
import { hostSubnet } from '../../addresses/subnet.js';
import type { Peer } from '../peer.js';
import type { PeerTable } from '../peer-table.js';

/** Ban scores: adds the points of violations and bans peers that reach -banscore (docs/protocol/chain.md 7.4). */
export class BanScores {
  readonly #banScore: number;
  readonly #table: PeerTable;
  readonly #bans: Bans;
  readonly #log: Logger;

  constructor(banScore: number, { table, bans, log }: { readonly table: PeerTable; readonly bans: Bans; readonly log: Logger }) {
    this.#banScore = banScore;
    this.#table = table;
    this.#bans = bans;
    this.#log = log;
  }

  add(peer: Peer, score: number, reason: string): void {
    if (score <= 0) return;
    const before = peer.misbehaviour;
    peer.misbehaviour += score;
    this.#log.debug('Misbehaving', { peer: peer.id, name: peer.logName, before, now: peer.misbehaviour, reason });
    if (before < this.#banScore && peer.misbehaviour >= this.#banScore) this.#punish(peer, reason);
  }

  #punish(peer: Peer, reason: string): void {
    if (peer.permissions.has('noban') || peer.kind === 'manual') {
      this.#log.warn('not punishing a manually connected or noban peer', { peer: peer.id, name: peer.logName, reason });
      return;
    }
    const { ip } = peer.endpoint;
    // A peer whose name a proxy resolved has no address to ban.
    if (!isLocal(ip) && isValidIp(ip)) {
      this.#bans.ban(hostSubnet(ip), 'node misbehaving');
      for (const other of this.#table.inSubnet(hostSubnet(ip))) other.disconnect(`misbehaved: ${reason}`);
    }
    // Peers behind a local proxy share its address, so a local address is not banned.
    peer.disconnect(`misbehaved: ${reason}`);
  }
}
