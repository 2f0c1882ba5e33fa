import assert from 'node:assert/strict';
import { parseEndpoint } from '../../../src/p2p/addresses/ip.js';
import { NO_PERMISSIONS } from '../../../src/p2p/addresses/permissions.js';
import { Peer, type PeerHost, type PeerKind } from '../../../src/p2p/net/peer.js';
import { AnchorRequests } from '../../../src/p2p/relay/anchor-requests.js';
import type { PeerSession } from '../../../src/p2p/relay/session.js';
import { TxPeer } from '../../../src/p2p/relay/tx-peer.js';
import { RequestTimes } from '../../../src/p2p/relay/tx-requests.js';
import { SyncPeer } from '../../../src/p2p/sync/sync-peer.js';
import type { WireMessage } from '../../../src/p2p/wire/messages.js';
import type { Endpoint, TimedAddress } from '../../../src/p2p/wire/net-address.js';
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

/** The endpoint that a text names; without a port it has port 8555. */
export function endpointOf(text: string): Endpoint {
  const parsed = parseEndpoint(text, 8555);
  assert.ok(parsed, text);
  return parsed;
}

/** 32 bytes that begin with a number. */
export function numberedHash(n: number): Uint8Array {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
}

/** An address of a node with all services. @param time seconds since 1970 */
export function timedAddress(text: string, time: number): TimedAddress {
  return { ...endpointOf(text), services: 9n, time };
}

interface FakePeerOptions {
  readonly id?: number;
  readonly kind?: PeerKind;
  readonly services?: bigint;
  /** Address and name of the peer. */
  readonly address?: string;
  readonly connectedMs?: number;
}

/** A peer without a connection, which records the messages sent to it. */
export class FakePeer {
  readonly sent: WireMessage[] = [];
  readonly peer: Peer;
  readonly sync: SyncPeer;
  readonly session: PeerSession;
  score = 0;

  constructor({ id = 1, kind = 'outbound', services = 9n, address, connectedMs = 0 }: FakePeerOptions = {}) {
    const endpoint = address === undefined ? { ip: new Uint8Array(16), port: 1 } : endpointOf(address);
    const name = address ?? `peer ${id}`;
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
    const options = { id, kind, endpoint, name, boundTo: undefined, permissions: NO_PERMISSIONS, nonce: 1n, connectedMs };
    this.peer = new Peer(options, host);
    this.peer.version = { ...testVersion, services };
    this.peer.ready = true;
    this.peer.relaysTransactions = true;
    this.sync = new SyncPeer(this.peer, true);
    const txs = new TxPeer(this.sync, new RequestTimes(), () => 0.5);
    this.session = { peer: this.peer, sync: this.sync, txs, anchors: new AnchorRequests() };
  }
}

let nextId = 0;

/** A peer at an address, with an id of its own. */
export function fakeAt(address: string, { kind = 'inbound' as PeerKind, connectedMs = 0 } = {}): FakePeer {
  return new FakePeer({ id: nextId++, kind, address, connectedMs });
}
