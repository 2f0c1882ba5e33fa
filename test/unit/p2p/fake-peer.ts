import { NO_PERMISSIONS } from '../../../src/p2p/addresses/permissions.js';
import { Peer, type PeerKind } from '../../../src/p2p/net/peer.js';
import { SyncPeer } from '../../../src/p2p/sync/sync-peer.js';
import type { WireMessage } from '../../../src/p2p/wire/messages.js';
import { testVersion } from './fixture.js';

/** A peer without a connection, which notes what it is sent. */
export class FakePeer {
  readonly sent: WireMessage[] = [];
  readonly peer: Peer;
  readonly sync: SyncPeer;
  score = 0;

  constructor({ id = 1, kind = 'outbound', services = 9n }: { id?: number; kind?: PeerKind; services?: bigint } = {}) {
    const endpoint = { ip: new Uint8Array(16), port: 1 };
    const host = {
      send: (message: WireMessage) => void this.sent.push(message),
      disconnect: () => {
        this.peer.disconnected = true;
      },
      misbehaved: (score: number) => {
        this.score += score;
      },
      wake() {},
      sendsRejects: false,
      queuedBytes: 0,
      maxSendBytes: 1_000_000,
    };
    const options = { id, kind, endpoint, name: `peer ${id}`, boundTo: undefined, permissions: NO_PERMISSIONS, nonce: 1n, connectedMs: 0 };
    this.peer = new Peer(options, host);
    this.peer.version = { ...testVersion, services };
    this.peer.ready = true;
    this.peer.relaysTransactions = true;
    this.sync = new SyncPeer(this.peer, true);
  }
}
