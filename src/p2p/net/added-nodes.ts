import { formatEndpoint, parseEndpoint } from '../addresses/ip.js';
import type { Peer } from './peer.js';

export interface AddedNode {
  /** As the operator spelled it. */
  readonly node: string;
  /** The connection with it, if there is one. */
  readonly peer: Peer | undefined;
}

/** Nodes that the operator wants to be connected to (-addnode, addnode). */
export class AddedNodes {
  readonly #nodes: Set<string>;
  readonly #defaultPort: number;
  readonly #peers: () => Iterable<Peer>;

  constructor(nodes: readonly string[], defaultPort: number, peers: () => Iterable<Peer>) {
    this.#nodes = new Set(nodes);
    this.#defaultPort = defaultPort;
    this.#peers = peers;
  }

  /** @returns false if it is there already */
  add(node: string): boolean {
    if (this.#nodes.has(node)) return false;
    this.#nodes.add(node);
    return true;
  }

  /** @returns false if it was not there; a connection with it goes on */
  remove(node: string): boolean {
    return this.#nodes.delete(node);
  }

  list(): readonly AddedNode[] {
    return [...this.#nodes].map((node) => ({ node, peer: this.#peerOf(node) }));
  }

  /** Those without a connection. */
  missing(): readonly string[] {
    return this.list().flatMap(({ node, peer }) => (peer ? [] : [node]));
  }

  #peerOf(node: string): Peer | undefined {
    const endpoint = parseEndpoint(node, this.#defaultPort);
    const address = endpoint && formatEndpoint(endpoint);
    for (const peer of this.#peers()) {
      if (peer.name === node || formatEndpoint(peer.endpoint) === address) return peer;
    }
    return undefined;
  }
}
