import { formatEndpoint, formatIp, type Ip } from '../addresses/ip.js';
import { inSubnet, type Subnet } from '../addresses/subnet.js';
import type { Endpoint } from '../wire/net-address.js';
import type { Peer, PeerKind } from './peer.js';

/** Owner of a peer, such as a `Link`. */
interface HasPeer {
  readonly peer: Peer;
}

/** All connections, by id. */
export class PeerTable {
  readonly #links = new Map<number, HasPeer>();
  #nextId = 0;

  /** Returns a new id; ids are never reused. */
  nextId(): number {
    return this.#nextId++;
  }

  add(link: HasPeer): void {
    this.#links.set(link.peer.id, link);
  }

  remove(peer: Peer): void {
    this.#links.delete(peer.id);
  }

  get(id: number): Peer | undefined {
    return this.#links.get(id)?.peer;
  }

  get size(): number {
    return this.#links.size;
  }

  /** All peers in ascending order of their ids; a copy, so that the caller may disconnect peers while iterating. */
  all(): readonly Peer[] {
    return [...this.#links.values()].map(({ peer }) => peer);
  }

  count(accept: (kind: PeerKind) => boolean): number {
    let count = 0;
    for (const { peer } of this.#links.values()) if (accept(peer.kind)) count += 1;
    return count;
  }

  byName(name: string): Peer | undefined {
    return this.all().find((peer) => peer.name === name);
  }

  byEndpoint(endpoint: Endpoint): Peer | undefined {
    const text = formatEndpoint(endpoint);
    return this.all().find((peer) => formatEndpoint(peer.endpoint) === text);
  }

  byIp(ip: Ip): Peer | undefined {
    const text = formatIp(ip);
    return this.all().find((peer) => formatIp(peer.endpoint.ip) === text);
  }

  inSubnet(subnet: Subnet): readonly Peer[] {
    return this.all().filter((peer) => inSubnet(peer.endpoint.ip, subnet));
  }
}
