import type { Peers } from '../../../p2p/net/peers.js';
import { NodeError } from '../../../util/errors.js';
import type { P2pModules } from '../modules.js';

/** Connections of the node. @throws {NodeError} `p2p-disabled` in a node without P2P */
export function requirePeers({ peers }: Pick<P2pModules, 'peers'>): Peers {
  if (!peers) throw new NodeError('p2p-disabled', 'Error: Peer-to-peer functionality missing or disabled');
  return peers;
}
