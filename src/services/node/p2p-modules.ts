import type { Peer } from '../../p2p/net/peer.js';
import type { Peers } from '../../p2p/net/peers.js';
import type { PeerProgress } from '../../p2p/sync/peer-progress.js';
import { NodeError } from '../../util/errors.js';

/** Modules for operations on peers. */
export interface P2pModules {
  /** Undefined in a node that runs without P2P. */
  readonly peers?: Peers | undefined;
  /** Sync progress of a peer; undefined for a peer that the sync does not know. */
  readonly peerProgress?: ((peer: Peer) => PeerProgress | undefined) | undefined;
}

/** @throws {NodeError} in a node without P2P */
export function requirePeers({ peers }: Pick<P2pModules, 'peers'>): Peers {
  if (!peers) throw new NodeError('p2p-disabled', 'Error: Peer-to-peer functionality missing or disabled');
  return peers;
}
