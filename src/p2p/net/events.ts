import type { Command, WireMessage } from '../wire/messages.js';
import type { Peer } from './peer.js';

/** Messages that `net` processes itself. */
export type OwnCommand = 'version' | 'verack' | 'ping' | 'pong' | 'addr' | 'getaddr' | 'reject';

/** Message that this node sends but has no use for: received, it counts as unknown. */
export const NEVER_REQUESTED = 'merkleblock';

/** Messages that are decoded. */
export type ReceivedMessage = WireMessage<Exclude<Command, typeof NEVER_REQUESTED>>;

/** Decoded messages that are not for the connection itself. */
export type PeerMessage = WireMessage<Exclude<ReceivedMessage['command'], OwnCommand>>;

export interface PeersEvents {
  /** The handshake is complete. Not emitted for feelers and seed connections. */
  ready: Peer;
  /** A message, between `ready` and `disconnected`: those of one peer in order and one at a time, peers by turns. */
  message: { readonly peer: Peer; readonly message: PeerMessage };
  /** The connection of a peer that was ready has ended. */
  disconnected: Peer;
}
