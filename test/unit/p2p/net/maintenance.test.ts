import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { Bans } from '../../../../src/p2p/addresses/bans.js';
import { formatEndpoint, type Ip, parseEndpoint, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { LOCAL_SCORE, LocalAddresses } from '../../../../src/p2p/addresses/local-addresses.js';
import { NO_PERMISSIONS } from '../../../../src/p2p/addresses/permissions.js';
import { findFirstAddresses } from '../../../../src/p2p/addresses/seeds.js';
import { AddressExchange } from '../../../../src/p2p/net/address-exchange.js';
import { Connector } from '../../../../src/p2p/net/connector.js';
import { chooseEvicted } from '../../../../src/p2p/net/eviction.js';
import { pingIfDue, timeoutOf } from '../../../../src/p2p/net/keepalive.js';
import { Maintenance, type MaintenanceDeps } from '../../../../src/p2p/net/maintenance.js';
import { Outbound, type OutboundDeps, type OutboundOptions } from '../../../../src/p2p/net/outbound.js';
import { Peer, type PeerKind } from '../../../../src/p2p/net/peer.js';
import { PeerTable } from '../../../../src/p2p/net/peer-table.js';
import { encodeFrame } from '../../../../src/p2p/wire/envelope.js';
import type { WireMessage } from '../../../../src/p2p/wire/messages.js';
import type { Endpoint, TimedAddress } from '../../../../src/p2p/wire/net-address.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { until } from '../../../until.js';
import { idleHost } from '../fake-peer.js';
import { params, RawPeer, startNode, testVersion } from '../fixture.js';

const NOW = 1_700_000_000;
let nextId = 0;

function endpoint(text: string): Endpoint {
  const parsed = parseEndpoint(text, 8555);
  assert.ok(parsed);
  return parsed;
}

/** A peer whose outgoing messages are collected in `sent`. */
function fake(address: string, { kind = 'inbound' as PeerKind, connectedMs = 0 } = {}): { peer: Peer; sent: WireMessage[] } {
  const sent: WireMessage[] = [];
  const host = { ...idleHost, send: (m: WireMessage) => void sent.push(m) };
  const options = {
    id: nextId++,
    kind,
    endpoint: endpoint(address),
    name: address,
    boundTo: undefined,
    permissions: NO_PERMISSIONS,
    nonce: 1n,
    connectedMs,
  };
  const peer = new Peer(options, host);
  peer.version = testVersion;
  peer.ready = true;
  return { peer, sent };
}

const timedAddress = (text: string, time = NOW): TimedAddress => ({ ...endpoint(text), services: 9n, time });
const commands = (sent: readonly WireMessage[]) => sent.map(({ command }) => command);

test('eviction: few peers are all protected; otherwise the youngest of the largest group is evicted', () => {
  const group = () => 0;
  const many = Array.from({ length: 20 }, (_, i) => fake(`${20 + i}.1.1.1`, { connectedMs: i }).peer);
  assert.equal(chooseEvicted(many, group), undefined, '4 by group, 8 by ping, 4 by transactions, 4 by blocks');
  const attackers = Array.from({ length: 20 }, (_, i) => fake(`66.66.1.${i}`, { connectedMs: 1000 + i }).peer);
  for (const peer of many) Object.assign(peer, { lastBlockMs: 5, lastTransactionMs: 5 });
  for (const peer of many) peer.latency.lowest = 10;
  const chosen = chooseEvicted([...many, ...attackers], (name) => (name.startsWith('4:66') ? 1 : 0));
  assert.equal(chosen, attackers.at(-1));
});

test('eviction: of the peers that are not protected, banned ones come first', () => {
  const peers = Array.from({ length: 60 }, (_, i) => fake(`${20 + i}.1.1.1`, { connectedMs: i }).peer);
  const banned = peers[50] ?? assert.fail();
  assert.notEqual(
    chooseEvicted(peers, () => 0),
    banned,
  );
  banned.isBanned = true;
  assert.equal(
    chooseEvicted(peers, () => 0),
    banned,
  );
});

test('eviction: outbound and noban peers are kept', () => {
  const outbound = Array.from({ length: 40 }, (_, i) => fake(`66.66.1.${i}`, { kind: 'outbound' }).peer);
  assert.equal(
    chooseEvicted(outbound, () => 0),
    undefined,
  );
});

test('timeouts: both sides of each limit', () => {
  const { peer } = fake('1.2.3.4', { connectedMs: 1000 });
  assert.equal(timeoutOf(peer, 60, 61_000), undefined);
  assert.equal(timeoutOf(peer, 60, 61_001), `socket no message in first 60 seconds, 0 0 from ${peer.id}`);
  peer.traffic.received(1, 61_000);
  assert.equal(timeoutOf(peer, 60, 61_001), `socket no message in first 60 seconds, 1 0 from ${peer.id}`);
  peer.traffic.sent('ping', 1, 61_000);
  assert.equal(timeoutOf(peer, 60, 61_001), undefined);
  peer.ready = false;
  assert.equal(timeoutOf(peer, 60, 61_001), `version handshake timeout from ${peer.id}`);
  peer.ready = true;
  const limit = 61_000 + 20 * 60_000;
  assert.equal(timeoutOf(peer, 60, limit), undefined);
  assert.match(timeoutOf(peer, 60, limit + 1) ?? '', /^socket sending timeout/);
  peer.traffic.sent('ping', 1, limit);
  assert.match(timeoutOf(peer, 60, limit + 1) ?? '', /^socket receive timeout/);
  peer.traffic.received(1, limit);
  peer.latency.sent(9n, 61_000);
  assert.match(timeoutOf(peer, 60, limit + 1) ?? '', /^ping timeout/);
  peer.latency.answered(8n, limit);
  assert.notEqual(timeoutOf(peer, 60, limit + 1), undefined, 'a pong with another nonce answers nothing');
  peer.latency.answered(9n, limit);
  assert.equal(timeoutOf(peer, 60, limit + 1), undefined);
  assert.equal(peer.latency.lowest, 20 * 60_000);
});

test('pings are sent every two minutes, one at a time', () => {
  const { peer, sent } = fake('1.2.3.4');
  pingIfDue(peer, 1000);
  pingIfDue(peer, 500_000);
  assert.equal(sent.length, 1);
  const [first] = sent;
  assert.ok(first?.command === 'ping');
  peer.latency.answered(first.payload.nonce, 2000);
  pingIfDue(peer, 120_999);
  assert.equal(sent.length, 1);
  pingIfDue(peer, 121_000);
  assert.equal(sent.length, 2);
});

/** First byte of the IPv4 addresses that are banned. */
const BANNED = 99;

function exchange(rate = 1e9, burst = 1e9, peers: Peer[] = [], { discover = false, proxied = false, random = 0.5 } = {}) {
  const time = { ms: 0 };
  const book = new AddressBook({ key: new Uint8Array(32), now: () => NOW, random: () => 0.5 });
  const local = new LocalAddresses();
  const deps = {
    book,
    local,
    isReachable: () => true,
    isBanned: (ip: Ip) => ip[12] === BANNED,
    hasProxy: () => proxied,
    peers: () => peers,
    now: () => NOW,
    monotonic: () => time.ms,
    random: () => random,
    syncing: () => false,
  };
  const options = { listening: true, port: 8555, services: 9n, discover, advertiseLoopback: false, rate, burst };
  return { exchange: new AddressExchange(options, deps), book, local, time };
}

test('addresses: those above the rate limit are ignored', () => {
  const { exchange: ex, time } = exchange(0.1, 1000);
  const { peer } = fake('1.2.3.4');
  ex.process(peer, [timedAddress('60.1.1.1'), timedAddress('61.1.1.1'), timedAddress('62.1.1.1')]);
  assert.deepEqual([peer.addressesProcessed, peer.addressesRateLimited], [1, 2]);
  time.ms = 20_000;
  ex.process(peer, [timedAddress('60.1.1.1'), timedAddress('61.1.1.1'), timedAddress('62.1.1.1')]);
  assert.deepEqual([peer.addressesProcessed, peer.addressesRateLimited], [3, 3]);
  const { peer: asked, sent } = fake('5.6.7.8', { kind: 'outbound' });
  ex.introduce(asked);
  assert.deepEqual(commands(sent), ['getaddr']);
  ex.process(
    asked,
    Array.from({ length: 1000 }, (_, i) => timedAddress(`${11 + (i % 100)}.${i % 250}.1.1`)),
  );
  assert.equal(asked.addressesRateLimited, 0);
});

test('addresses: the sender does not choose those within the rate limit', () => {
  const first = (random: number) => {
    const { exchange: ex, book } = exchange(0.1, 1000, [], { random });
    ex.process(fake('1.2.3.4').peer, [timedAddress('60.1.1.1'), timedAddress('61.1.1.1'), timedAddress('62.1.1.1')]);
    return [...book.entries()].map(({ ip }) => ip[12]);
  };
  assert.deepEqual([first(0), first(0.999)], [[61], [60]]);
});

test('addresses: a new outbound peer learns the best of ours at once, whatever it sees', () => {
  const introduced = (own: readonly string[], random: number) => {
    const { exchange: ex, time, local } = exchange(1e9, 1e9, [], { discover: true, random });
    for (const address of own) local.add(endpoint(address), LOCAL_SCORE.manual);
    const { peer, sent } = fake('1.2.3.4', { kind: 'outbound' });
    peer.localEndpoint = endpoint('88.1.2.3:999');
    ex.introduce(peer);
    time.ms = 1;
    ex.tick(peer);
    return sent.flatMap((message) => (message.command === 'addr' ? message.payload.map(formatEndpoint) : []));
  };
  assert.deepEqual(introduced(['77.1.1.1:1000'], 0.4), ['77.1.1.1:1000', '88.1.2.3:1000']);
  assert.deepEqual(introduced(['77.1.1.1:1000'], 0.6), ['77.1.1.1:1000']);
  assert.deepEqual(introduced([], 0.6), ['88.1.2.3:8555']);
});

test('addresses: recent ones in small messages are relayed to two peers, once', () => {
  const others = Array.from({ length: 5 }, (_, i) => fake(`${30 + i}.1.1.1`));
  const { exchange: ex, time } = exchange(
    1e9,
    1e9,
    others.map(({ peer }) => peer),
  );
  const { peer } = fake('1.2.3.4');
  time.ms = 1;
  ex.process(peer, [timedAddress('60.1.1.1')]);
  ex.process(peer, [timedAddress('60.1.1.1')]);
  ex.process(peer, [timedAddress('61.1.1.1', NOW - 601)]);
  ex.process(
    peer,
    Array.from({ length: 11 }, (_, i) => timedAddress(`${70 + i}.1.1.1`)),
  );
  for (const { peer: other } of others) ex.tick(other);
  const got = others.flatMap(({ sent }) => sent).flatMap((message) => (message.command === 'addr' ? message.payload : []));
  assert.deepEqual(
    got.map(({ ip }) => ip[12]),
    [60, 60],
  );
  time.ms = 10 * 60_000;
  ex.process(peer, [timedAddress('60.1.1.1')]);
  for (const { peer: other } of others) ex.tick(other);
  assert.equal(others.flatMap(({ sent }) => sent).length, 2);
});

test('addresses: only inbound peers are answered, once; our own address is advertised later', () => {
  const { exchange: ex, book, local, time } = exchange();
  book.add(
    Array.from({ length: 50 }, (_, i) => timedAddress(`${40 + i}.1.1.1`)),
    parseIp('9.9.9.9') as Ip,
  );
  const outbound = fake('1.2.3.4', { kind: 'outbound' });
  ex.answer(outbound.peer);
  assert.deepEqual(outbound.sent, []);
  const inbound = fake('1.2.3.4');
  ex.answer(inbound.peer);
  ex.answer(inbound.peer);
  assert.deepEqual(commands(inbound.sent), ['addr']);
  local.add(endpoint('88.1.2.3'), 4);
  time.ms = 1;
  ex.tick(inbound.peer);
  const last = inbound.sent.at(-1);
  assert.ok(last?.command === 'addr');
  assert.deepEqual(
    last.payload.map(({ ip, port }) => [ip[12], port]),
    [[88, 8555]],
  );
});

test('addresses: banned ones are neither stored nor relayed nor announced', () => {
  const other = fake('30.1.1.1');
  const { exchange: ex, book, time } = exchange(1e9, 1e9, [other.peer]);
  time.ms = 1;
  ex.process(fake('1.2.3.4').peer, [timedAddress(`${BANNED}.1.1.1`)]);
  ex.tick(other.peer);
  assert.deepEqual([book.size, other.sent.length], [0, 0]);
  const source = parseIp('9.9.9.9') as Ip;
  book.add([timedAddress(`${BANNED}.1.1.1`), ...Array.from({ length: 9 }, (_, i) => timedAddress(`${40 + i}.1.1.1`))], source);
  const groups = () => {
    const { peer, sent } = fake('5.6.7.8');
    ex.answer(peer);
    return sent.flatMap((message) => (message.command === 'addr' ? message.payload.map(({ ip }) => ip[12]) : []));
  };
  for (let i = 0; i < 20; i++) assert.ok(!groups().includes(BANNED));
});

test('addresses: one message answers getaddr', () => {
  const { exchange: ex, book } = exchange();
  for (let i = 0; i < 9000; i++) {
    book.add([timedAddress(`${40 + (i % 60)}.${i % 250}.${i >> 6}.1`)], parseIp(`${100 + (i % 90)}.${i % 200}.1.1`) as Ip);
  }
  const { peer, sent } = fake('5.6.7.8');
  ex.answer(peer);
  assert.deepEqual(commands(sent), ['addr']);
  assert.ok(book.size * 0.23 > 1000, `${book.size} known`);
  assert.ok(sent[0]?.command === 'addr' && sent[0].payload.length === 1000);
});

test('addresses: our address as seen by a peer is used with -discover, but not behind a proxy', () => {
  const toldBy = (from: string, kind: PeerKind, options: { discover?: boolean; proxied?: boolean }) => {
    const { exchange: ex, time } = exchange(1e9, 1e9, [], options);
    const { peer, sent } = fake(from, { kind });
    peer.localEndpoint = endpoint('88.1.2.3:999');
    time.ms = 1;
    ex.tick(peer);
    return sent.flatMap((message) => (message.command === 'addr' ? message.payload.map(formatEndpoint) : []));
  };
  assert.deepEqual(toldBy('1.2.3.4', 'outbound', { discover: true }), ['88.1.2.3:8555']);
  assert.deepEqual(toldBy('1.2.3.4', 'outbound', { discover: false }), []);
  assert.deepEqual(toldBy('1.2.3.4', 'outbound', { discover: true, proxied: true }), []);
  assert.deepEqual(toldBy('1.2.3.4', 'inbound', { discover: true, proxied: true }), ['88.1.2.3:8555']);
  assert.deepEqual(toldBy('bitcoinostk4e4re.onion', 'outbound', { discover: true }), []);
  assert.deepEqual(toldBy('127.0.0.1', 'inbound', { discover: true }), [], 'it may have come through Tor');
});

test('addresses: the one that a peer sees is advertised with the port of ours', () => {
  const { exchange: ex, time, local } = exchange(1e9, 1e9, [], { discover: true, random: 0.4 });
  local.add(endpoint('77.1.1.1:1000'), LOCAL_SCORE.interface);
  const { peer, sent } = fake('1.2.3.4');
  peer.localEndpoint = endpoint('88.1.2.3:999');
  time.ms = 1;
  ex.tick(peer);
  const told = sent.flatMap((message) => (message.command === 'addr' ? message.payload.map(formatEndpoint) : []));
  assert.deepEqual(told, ['88.1.2.3:1000']);
});

/** Outbound connections of a node that knows 60 addresses, and what it has opened. Time passes quickly once a connection is opened. */
function outbound(given: Partial<OutboundOptions>, deps: Partial<OutboundDeps> = {}) {
  const book = new AddressBook({ key: new Uint8Array(32).fill(3), now: () => NOW, random: Math.random });
  for (let group = 0; group < 30; group++) {
    book.add(
      [timedAddress(`${40 + group}.1.1.1`, NOW - 10), timedAddress(`${40 + group}.1.1.2`, NOW - 10)],
      parseIp(`${100 + group}.2.3.4`) as Ip,
    );
  }
  const peers: { kind: PeerKind; endpoint: Endpoint }[] = [];
  const seen = { peers, feelers: 0, nodes: [] as string[] };
  let ms = 0;
  const options: OutboundOptions = { connect: undefined, seedNodes: [], maxOutbound: 2, slots: 3, usualPort: 8555, ...given };
  const running = new Outbound(options, {
    book,
    log: silentLogger,
    active: () => true,
    syncing: () => false,
    peers: () => peers,
    missingAdded: () => [],
    isOurs: () => false,
    isReachable: () => true,
    connectNode: async (node, kind) => {
      seen.nodes.push(node);
      return fake('1.2.3.4', { kind }).peer;
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
  await until(() => seen.feelers > 0, 'a feeler', 4000);
  await stop();
  assert.equal(peers.length, 2);
  assert.equal(seen.feelers, 1);
  assert.notEqual(peers[0]?.endpoint.ip[12], peers[1]?.endpoint.ip[12]);
});

test('outbound: -maxconnections limits feelers and seeds too', async () => {
  const two = outbound({ slots: 2 });
  const none = outbound({ maxOutbound: 0, slots: 0, seedNodes: ['seed.example'] });
  await until(() => two.seen.peers.length === 2, 'both slots are used', 4000);
  await sleep(1300);
  await Promise.all([two.stop(), none.stop()]);
  assert.deepEqual([two.seen.feelers, two.seen.peers.length], [0, 2]);
  assert.deepEqual(none.seen, { peers: [], feelers: 0, nodes: [] });
});

test('outbound: seeds are not connected with -connect=0', async () => {
  const nowhere = outbound({ connect: [], seedNodes: ['seed.example'] });
  const chosen = outbound({ connect: ['a.example'], seedNodes: ['seed.example'] });
  await until(() => chosen.seen.nodes.length === 2, 'seed and node', 4000);
  await Promise.all([nowhere.stop(), chosen.stop()]);
  assert.deepEqual(nowhere.seen.nodes, []);
  assert.deepEqual(chosen.seen.nodes, ['seed.example', 'a.example']);
});

test('outbound: at most eight added nodes are connected, whatever else the operator connected to', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `${i}.example`);
  const manual = Array.from({ length: 20 }, () => ({ kind: 'manual' as PeerKind, endpoint: endpoint('1.2.3.4') }));
  const { seen, stop } = outbound({ connect: [] }, { missingAdded: () => names, peers: () => manual });
  await until(() => seen.nodes.length === 8, 'eight of them', 10_000);
  await sleep(700);
  await stop();
  assert.deepEqual(seen.nodes, names.slice(0, 8));
});

test('connector: failures of automatic connections count while two network groups are connected', async () => {
  const attempts: [string, boolean][] = [];
  const outbound = ['60.1.1.1', '60.1.1.2'].map((address) => fake(address, { kind: 'outbound' }).peer);
  const table = new PeerTable();
  for (const peer of outbound) table.add({ peer });
  for (let i = 0; i < 3; i++) table.add(fake(`${70 + i}.1.1.1`, { kind: 'manual' }));
  const connector = new Connector(
    { timeoutMs: 1000, defaultPort: 1, countFailuresFrom: 2 },
    {
      table,
      book: { markAttempt: ({ ip }: Endpoint, counts: boolean) => void attempts.push([ip.subarray(12).join('.'), counts]) } as AddressBook,
      bans: new Bans(1, () => NOW),
      networks: { routeTo: () => ({ via: 'direct', endpoint: endpoint('127.0.0.1:1') }), resolvesByProxy: false },
      active: () => true,
      log: silentLogger,
      resolve: async () => [],
      random: () => 0,
      stopping: new AbortController().signal,
      adopt: () => assert.fail(),
    },
  );
  await connector.toAddress(endpoint('80.1.1.1'), 'outbound');
  table.add(fake('61.1.1.1', { kind: 'outbound' }));
  await connector.toAddress(endpoint('80.1.1.1'), 'outbound');
  await connector.toAddress(endpoint('81.1.1.1'), 'feeler');
  await connector.toNode('82.1.1.1', 'manual');
  assert.deepEqual(attempts, [
    ['80.1.1.1', false],
    ['80.1.1.1', true],
    ['81.1.1.1', true],
    ['82.1.1.1', false],
  ]);
});

test('first addresses: DNS seeds, and the built-in seed nodes if they have none', async () => {
  const asked: string[] = [];
  const connected: string[] = [];
  const run = async (answers: Readonly<Record<string, string>>, fixedSeeds: readonly string[], signal = new AbortController().signal) => {
    const book = new AddressBook({ key: new Uint8Array(32), now: () => NOW, random: () => 0.5 });
    const resolve = async (host: string) => {
      asked.push(host);
      const ip = parseIp(answers[host] ?? '');
      return ip ? [ip] : [];
    };
    const deps = {
      book,
      resolve,
      byProxy: false,
      connectSeed: async (seed: string) => void connected.push(seed),
      log: silentLogger,
      connected: () => 0,
      now: () => NOW,
      random: () => 0.5,
      signal,
    };
    const done = findFirstAddresses({ dnsSeeds: ['a.example', 'b.example'], fixedSeeds, port: 8555, useDns: true, force: false }, deps);
    return { book, done };
  };
  const first = await run({ 'x9.a.example': '60.1.1.1', 'b.example': '61.1.1.1' }, []);
  await first.done;
  assert.deepEqual(asked, ['x9.a.example', 'x9.b.example']);
  assert.deepEqual(connected, ['b.example'], 'addresses without known services are not stored; a node at one of them is asked');
  assert.equal(first.book.find(endpoint('60.1.1.1'))?.time, NOW - 5 * 86_400);
  assert.equal(first.book.size, 1);
  const stop = new AbortController();
  const second = await run({}, ['62.1.1.1:8555'], stop.signal);
  await until(() => connected.length === 3, 'all asked');
  stop.abort();
  await second.done;
  assert.equal(second.book.size, 0, 'not before a minute');
});

test('inbound peers with the most unprocessed bytes are let go while those of all peers are too many', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const gone: string[] = [];
  const peerWith = (name: string, megabytes: number, { inbound = true, noban = false } = {}) => ({
    inbound,
    permissions: { has: (each: string) => noban && each === 'noban' },
    unprocessedBytes: megabytes * 1_000_000,
    disconnected: false,
    connectedMs: 0,
    disconnect() {
      this.disconnected = true;
      gone.push(name);
    },
  });
  const peers = [
    peerWith('outbound', 60, { inbound: false }),
    peerWith('noban', 60, { noban: true }),
    peerWith('small', 10),
    peerWith('large', 63),
    peerWith('medium', 50),
  ];
  const bans = { changed: false };
  const maintenance = new Maintenance(60, { table: { all: () => peers }, bans, monotonic: () => 0 } as unknown as MaintenanceDeps);
  maintenance.start();
  t.mock.timers.tick(1_000);
  assert.deepEqual(gone, [], '243 MB');
  peers.push(peerWith('fast', 62));
  t.mock.timers.tick(1_000);
  assert.deepEqual(gone, ['large'], '305 MB, 242 MB without the largest');
  peers.push(peerWith('others', 80));
  t.mock.timers.tick(1_000);
  assert.deepEqual(gone, ['large', 'others']);
});

test('bytes of an incomplete message count as unprocessed', async (t) => {
  const { peers, port } = await startNode();
  t.after(() => peers.stop());
  const sender = await RawPeer.connect(port);
  t.after(() => sender.close());
  const frame = encodeFrame(params.p2pMagic, 'block', new Uint8Array(3_000_000));
  sender.sendBytes(frame.subarray(0, 2_000_000));
  await until(() => (peers.all()[0]?.unprocessedBytes ?? 0) > 1_900_000, 'two megabytes');
});
