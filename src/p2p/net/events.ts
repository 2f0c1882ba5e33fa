import type { Command, WireMessage } from '../wire/messages.js';
import type { Peer } from './peer.js';

/** Messages that the peers module answers by itself. */
export type OwnCommand = 'version' | 'verack' | 'ping' | 'pong' | 'addr' | 'getaddr' | 'reject';

/** What everyone else gets to see. */
export type PeerMessage = WireMessage<Exclude<Command, OwnCommand>>;

export interface PeersEvents {
  /** The handshake is over. Feelers and seed connections never get here. */
  ready: Peer;
  /** In the order in which the peer sent them; one at a time, peers taking turns. Only between `ready` and `gone`. */
  message: { readonly peer: Peer; readonly message: PeerMessage };
  /** The connection of a peer that was ready has ended. */
  gone: Peer;
}
