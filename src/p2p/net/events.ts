import type { Command, WireMessage } from '../wire/messages.js';
import type { Peer } from './peer.js';

/** Messages that `net` processes itself. */
export type OwnCommand = 'version' | 'verack' | 'ping' | 'pong' | 'addr' | 'getaddr' | 'reject';

/** All other messages. */
export type PeerMessage = WireMessage<Exclude<Command, OwnCommand>>;

export interface PeersEvents {
  /** The handshake is complete. Not emitted for feelers and seed connections. */
  ready: Peer;
  /** A message, between `ready` and `gone`: those of one peer in order and one at a time, peers by turns. */
  message: { readonly peer: Peer; readonly message: PeerMessage };
  /** The connection of a peer that was ready has ended. */
  gone: Peer;
}
