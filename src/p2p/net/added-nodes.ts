import { formatEndpoint, parseEndpoint } from '../addresses/ip.js';
import type { Peer } from './peer.js';

export interface AddedNode {
  /** As the operator wrote it. */
  readonly node: string;
  /** The peer, if the node is connected. */
  readonly peer: Peer | undefined;
}

/** Nodes to which the operator wants permanent connections (-addnode, addnode). */
export class AddedNodes {
  readonly #nodes: Set<string>;
  readonly #defaultPort: number;
  readonly #peers: () => Iterable<Peer>;

  constructor(nodes: readonly string[], defaultPort: number, peers: () => Iterable<Peer>) {
    this.#nodes = new Set(nodes);
    this.#defaultPort = defaultPort;
    this.#peers = peers;
  }

  /** @returns false if the node is already in the list */
  add(node: string): boolean {
    if (this.#nodes.has(node)) return false;
    this.#nodes.add(node);
    return true;
  }

  /** Removes a node from the list; its connection is kept. @returns false if it was not in the list */
  remove(node: string): boolean {
    return this.#nodes.delete(node);
  }

  list(): readonly AddedNode[] {
    return [...this.#nodes].map((node) => ({ node, peer: this.#peerOf(node) }));
  }

  /** Nodes that are not connected. */
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
