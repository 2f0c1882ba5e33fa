import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { type Ip, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { Outbound, type OutboundDeps, type OutboundOptions } from '../../../../src/p2p/net/outbound.js';
import type { PeerKind } from '../../../../src/p2p/net/peer.js';
import type { Endpoint } from '../../../../src/p2p/wire/net-address.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { until } from '../../../until.js';
import { endpointOf, fakeAt, timedAddress } from '../fake-peer.js';

const NOW = 1_700_000_000;
const knownAt = (text: string, time = NOW) => timedAddress(text, time);

/**
 * Outbound connections of a node that knows 60 addresses, and what it has opened. Time passes quickly once a connection is opened. In each
 * round the node asks for its peers, and for an address no more than once.
 */
function outbound(given: Partial<OutboundOptions>, deps: Partial<OutboundDeps> = {}) {
  const book = new AddressBook({ key: new Uint8Array(32).fill(3), now: () => NOW, random: Math.random });
  for (let group = 0; group < 30; group++) {
    book.add([knownAt(`${40 + group}.1.1.1`, NOW - 10), knownAt(`${40 + group}.1.1.2`, NOW - 10)], parseIp(`${100 + group}.2.3.4`) as Ip);
  }
  const peers: { kind: PeerKind; endpoint: Endpoint }[] = [];
  const seen = { peers, feelers: 0, nodes: [] as string[], rounds: 0 };
  let ms = 0;
  const options: OutboundOptions = { connect: undefined, seedNodes: [], maxOutbound: 2, slots: 3, usualPort: 8555, ...given };
  const running = new Outbound(options, {
    book,
    log: silentLogger,
    active: () => true,
    syncing: () => false,
    peers: () => {
      seen.rounds += 1;
      return peers;
    },
    missingAdded: () => [],
    isOurs: () => false,
    isReachable: () => true,
    connectNode: async (node, kind) => {
      seen.nodes.push(node);
      return fakeAt('1.2.3.4', { kind }).peer;
    },
    connectAddress: async (target, kind) => {
      if (kind === 'feeler') seen.feelers += 1;
      else peers.push({ kind, endpoint: target });
      ms = 1e9;
    },
    now: () => NOW,
    monotonic: () => ms,
    random: () => 0.01,
    ...deps,
  });
  running.start();
  return { seen, stop: () => running.stop() };
}

test('outbound: connections up to the limit, each in another network group, then feelers', async () => {
  const { seen, stop } = outbound({});
  const { peers } = seen;
  await until(() => seen.feelers > 0, 'a feeler');
  await stop();
  assert.equal(peers.length, 2);
  assert.equal(seen.feelers, 1);
  assert.notEqual(peers[0]?.endpoint.ip[12], peers[1]?.endpoint.ip[12]);
});

test('outbound: -maxconnections limits feelers and seeds too', async () => {
  const two = outbound({ slots: 2 });
  const none = outbound({ maxOutbound: 0, slots: 0, seedNodes: ['seed.example'] });
  await until(() => two.seen.peers.length === 2, 'both slots are used');
  const full = two.seen.rounds;
  await until(() => two.seen.rounds >= full + 2 && none.seen.rounds >= 3, 'two more rounds');
  await Promise.all([two.stop(), none.stop()]);
  assert.deepEqual([two.seen.feelers, two.seen.peers.length], [0, 2]);
  assert.deepEqual([none.seen.peers, none.seen.feelers, none.seen.nodes], [[], 0, []]);
});

test('outbound: seeds are not connected with -connect=0', async () => {
  const nowhere = outbound({ connect: [], seedNodes: ['seed.example'] });
  const chosen = outbound({ connect: ['a.example'], seedNodes: ['seed.example'] });
  await until(() => chosen.seen.nodes.length === 2, 'seed and node');
  await Promise.all([nowhere.stop(), chosen.stop()]);
  assert.deepEqual(nowhere.seen.nodes, []);
  assert.deepEqual(chosen.seen.nodes, ['seed.example', 'a.example']);
});

test('outbound: at most eight added nodes are connected, whatever else the operator connected to', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `${i}.example`);
  const manual = Array.from({ length: 20 }, () => ({ kind: 'manual' as PeerKind, endpoint: endpointOf('1.2.3.4') }));
  const nodes: string[] = [];
  // Before each connection the node asks of all earlier ones whether they still exist.
  let asked = 0;
  const opened = {
    get disconnected() {
      asked += 1;
      return false;
    },
  };
  const connectNode = async (node: string) => {
    nodes.push(node);
    return opened;
  };
  const { stop } = outbound({ connect: [] }, { missingAdded: () => names, peers: () => manual, connectNode });
  await until(() => asked === 36, 'the question of all eight, after those of the first ones');
  await stop();
  assert.deepEqual(nodes, names.slice(0, 8));
});
