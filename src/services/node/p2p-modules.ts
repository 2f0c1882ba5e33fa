import type { Peer } from '../../p2p/peer.js';
import type { PeerProgress } from '../../p2p/peer-progress.js';
import type { Peers } from '../../p2p/peers.js';
import { NodeError } from '../../util/errors.js';

/** What the operations on peers need. */
export interface P2pModules {
  /** Undefined in a node that runs without peers. */
  readonly peers?: Peers | undefined;
  /** Told by the sync; undefined for a peer that it does not know. */
  readonly peerProgress?: ((peer: Peer) => PeerProgress | undefined) | undefined;
}

/** @throws {NodeError} in a node without peers */
export function requirePeers({ peers }: Pick<P2pModules, 'peers'>): Peers {
  if (!peers) throw new NodeError('p2p-disabled', 'Error: Peer-to-peer functionality missing or disabled');
  return peers;
}
