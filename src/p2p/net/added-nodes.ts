import { formatEndpoint, parseEndpoint } from '../addresses/ip.js';
import type { Peer } from './peer.js';

export interface AddedNode {
  /** Node as the operator named it. */
  readonly node: string;
  /** The peer, if the node is connected. */
  readonly peer: Peer | undefined;
}

/** Nodes to which the operator wants permanent connections (-addnode, addnode). */
export class AddedNodes {
  /** A node that -addnode repeats is listed, and removed, as often. */
  readonly #nodes: string[];
  readonly #defaultPort: number;
  readonly #peers: () => Iterable<Peer>;

  constructor(nodes: readonly string[], defaultPort: number, peers: () => Iterable<Peer>) {
    this.#nodes = [...nodes];
    this.#defaultPort = defaultPort;
    this.#peers = peers;
  }

  /** @returns false if the node is already in the list */
  add(node: string): boolean {
    if (this.#nodes.includes(node)) return false;
    this.#nodes.push(node);
    return true;
  }

  /** Removes a node from the list; its connection is kept. @returns false if it was not in the list */
  remove(node: string): boolean {
    const at = this.#nodes.indexOf(node);
    if (at >= 0) this.#nodes.splice(at, 1);
    return at >= 0;
  }

  list(): readonly AddedNode[] {
    return this.#nodes.map((node) => ({ node, peer: this.#peerOf(node) }));
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
