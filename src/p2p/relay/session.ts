import type { Peer } from '../net/peer.js';
import type { SyncPeer } from '../sync/sync-peer.js';
import type { AnchorRequests } from './anchor-requests.js';
import type { TxPeer } from './tx-peer.js';

/** One peer from the end of its handshake to the end of its connection. Each layer is passed its own member. */
export interface PeerSession {
  readonly peer: Peer;
  readonly sync: SyncPeer;
  readonly txs: TxPeer;
  readonly anchors: AnchorRequests;
}
