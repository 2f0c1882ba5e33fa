import { NO_PERMISSIONS } from '../../../src/p2p/addresses/permissions.js';
import { Peer, type PeerHost, type PeerKind } from '../../../src/p2p/net/peer.js';
import { AnchorRequests } from '../../../src/p2p/relay/anchor-requests.js';
import type { PeerSession } from '../../../src/p2p/relay/session.js';
import { TxPeer } from '../../../src/p2p/relay/tx-peer.js';
import { RequestTimes } from '../../../src/p2p/relay/tx-requests.js';
import { SyncPeer } from '../../../src/p2p/sync/sync-peer.js';
import type { WireMessage } from '../../../src/p2p/wire/messages.js';
import { testVersion } from './fixture.js';

/** Host of a peer without a connection: messages go nowhere, and nothing waits to be sent or processed. */
export const idleHost: PeerHost = {
  send() {},
  disconnect() {},
  misbehaved() {},
  wake() {},
  sendsRejects: false,
  queuedBytes: 0,
  maxSendBytes: 1,
  unprocessedBytes: 0,
};

/** A peer without a connection, which records the messages sent to it. */
export class FakePeer {
  readonly sent: WireMessage[] = [];
  readonly peer: Peer;
  readonly sync: SyncPeer;
  readonly session: PeerSession;
  score = 0;

  constructor({ id = 1, kind = 'outbound', services = 9n }: { id?: number; kind?: PeerKind; services?: bigint } = {}) {
    const endpoint = { ip: new Uint8Array(16), port: 1 };
    const host = {
      ...idleHost,
      send: (message: WireMessage) => void this.sent.push(message),
      disconnect: () => {
        this.peer.disconnected = true;
      },
      misbehaved: (score: number) => {
        this.score += score;
      },
      maxSendBytes: 1_000_000,
    };
    const options = { id, kind, endpoint, name: `peer ${id}`, boundTo: undefined, permissions: NO_PERMISSIONS, nonce: 1n, connectedMs: 0 };
    this.peer = new Peer(options, host);
    this.peer.version = { ...testVersion, services };
    this.peer.ready = true;
    this.peer.relaysTransactions = true;
    this.sync = new SyncPeer(this.peer, true);
    const txs = new TxPeer(this.sync, new RequestTimes(), () => 0.5);
    this.session = { peer: this.peer, sync: this.sync, txs, anchors: new AnchorRequests() };
  }
}
