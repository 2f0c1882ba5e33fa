import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { formatEndpoint, type Ip, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { LOCAL_SCORE, LocalAddresses } from '../../../../src/p2p/addresses/local-addresses.js';
import { AddressExchange } from '../../../../src/p2p/net/address-exchange.js';
import type { Peer, PeerKind } from '../../../../src/p2p/net/peer.js';
import type { WireMessage } from '../../../../src/p2p/wire/messages.js';
import { endpointOf, fakeAt, timedAddress } from '../fake-peer.js';

const NOW = 1_700_000_000;
const knownAt = (text: string, time = NOW) => timedAddress(text, time);
const commands = (sent: readonly WireMessage[]) => sent.map(({ command }) => command);

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
  const { peer } = fakeAt('1.2.3.4');
  ex.process(peer, [knownAt('60.1.1.1'), knownAt('61.1.1.1'), knownAt('62.1.1.1')]);
  assert.deepEqual([peer.addressesProcessed, peer.addressesRateLimited], [1, 2]);
  time.ms = 20_000;
  ex.process(peer, [knownAt('60.1.1.1'), knownAt('61.1.1.1'), knownAt('62.1.1.1')]);
  assert.deepEqual([peer.addressesProcessed, peer.addressesRateLimited], [3, 3]);
  time.ms = 30_000;
  ex.process(peer, [knownAt('60.1.1.1'), knownAt('61.1.1.1'), knownAt('62.1.1.1')]);
  assert.deepEqual([peer.addressesProcessed, peer.addressesRateLimited], [4, 5], 'one token in ten seconds');
  const { peer: asked, sent } = fakeAt('5.6.7.8', { kind: 'outbound' });
  ex.introduce(asked);
  assert.deepEqual(commands(sent), ['getaddr']);
  ex.process(
    asked,
    Array.from({ length: 1000 }, (_, i) => knownAt(`${11 + (i % 100)}.${i % 250}.1.1`)),
  );
  assert.equal(asked.addressesRateLimited, 0);
});

test('addresses: the sender does not choose those within the rate limit', () => {
  const first = (random: number) => {
    const { exchange: ex, book } = exchange(0.1, 1000, [], { random });
    ex.process(fakeAt('1.2.3.4').peer, [knownAt('60.1.1.1'), knownAt('61.1.1.1'), knownAt('62.1.1.1')]);
    return [...book.entries()].map(({ ip }) => ip[12]);
  };
  assert.deepEqual([first(0), first(0.999)], [[61], [60]]);
});

test('addresses: a new outbound peer learns the best of ours at once, whatever it sees', () => {
  const introduced = (own: readonly string[], random: number) => {
    const { exchange: ex, time, local } = exchange(1e9, 1e9, [], { discover: true, random });
    for (const address of own) local.add(endpointOf(address), LOCAL_SCORE.manual);
    const { peer, sent } = fakeAt('1.2.3.4', { kind: 'outbound' });
    peer.localEndpoint = endpointOf('88.1.2.3:999');
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
  const others = Array.from({ length: 5 }, (_, i) => fakeAt(`${30 + i}.1.1.1`));
  const { exchange: ex, time } = exchange(
    1e9,
    1e9,
    others.map(({ peer }) => peer),
  );
  const { peer } = fakeAt('1.2.3.4');
  time.ms = 1;
  ex.process(peer, [knownAt('60.1.1.1')]);
  ex.process(peer, [knownAt('60.1.1.1')]);
  ex.process(peer, [knownAt('61.1.1.1', NOW - 601)]);
  ex.process(
    peer,
    Array.from({ length: 11 }, (_, i) => knownAt(`${70 + i}.1.1.1`)),
  );
  for (const { peer: other } of others) ex.tick(other);
  const got = others.flatMap(({ sent }) => sent).flatMap((message) => (message.command === 'addr' ? message.payload : []));
  assert.deepEqual(
    got.map(({ ip }) => ip[12]),
    [60, 60],
  );
  time.ms = 10 * 60_000;
  ex.process(peer, [knownAt('60.1.1.1')]);
  for (const { peer: other } of others) ex.tick(other);
  assert.equal(others.flatMap(({ sent }) => sent).length, 2);
});

test('addresses: only inbound peers are answered, once; our own address is advertised later', () => {
  const { exchange: ex, book, local, time } = exchange();
  book.add(
    Array.from({ length: 50 }, (_, i) => knownAt(`${40 + i}.1.1.1`)),
    parseIp('9.9.9.9') as Ip,
  );
  const outbound = fakeAt('1.2.3.4', { kind: 'outbound' });
  ex.answer(outbound.peer);
  assert.deepEqual(outbound.sent, []);
  const inbound = fakeAt('1.2.3.4');
  ex.answer(inbound.peer);
  ex.answer(inbound.peer);
  assert.deepEqual(commands(inbound.sent), ['addr']);
  local.add(endpointOf('88.1.2.3'), 4);
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
  const other = fakeAt('30.1.1.1');
  const { exchange: ex, book, time } = exchange(1e9, 1e9, [other.peer]);
  time.ms = 1;
  ex.process(fakeAt('1.2.3.4').peer, [knownAt(`${BANNED}.1.1.1`)]);
  ex.tick(other.peer);
  assert.deepEqual([book.size, other.sent.length], [0, 0]);
  const source = parseIp('9.9.9.9') as Ip;
  book.add([knownAt(`${BANNED}.1.1.1`), ...Array.from({ length: 9 }, (_, i) => knownAt(`${40 + i}.1.1.1`))], source);
  const groups = () => {
    const { peer, sent } = fakeAt('5.6.7.8');
    ex.answer(peer);
    return sent.flatMap((message) => (message.command === 'addr' ? message.payload.map(({ ip }) => ip[12]) : []));
  };
  for (let i = 0; i < 20; i++) assert.ok(!groups().includes(BANNED));
});

test('addresses: one message answers getaddr', () => {
  const { exchange: ex, book } = exchange();
  for (let i = 0; i < 9000; i++) {
    book.add([knownAt(`${40 + (i % 60)}.${i % 250}.${i >> 6}.1`)], parseIp(`${100 + (i % 90)}.${i % 200}.1.1`) as Ip);
  }
  const { peer, sent } = fakeAt('5.6.7.8');
  ex.answer(peer);
  assert.deepEqual(commands(sent), ['addr']);
  assert.ok(book.size * 0.23 > 1000, `${book.size} known`);
  assert.ok(sent[0]?.command === 'addr' && sent[0].payload.length === 1000);
});

test('addresses: our address as seen by a peer is used with -discover, but not behind a proxy', () => {
  const toldBy = (from: string, kind: PeerKind, options: { discover?: boolean; proxied?: boolean }) => {
    const { exchange: ex, time } = exchange(1e9, 1e9, [], options);
    const { peer, sent } = fakeAt(from, { kind });
    peer.localEndpoint = endpointOf('88.1.2.3:999');
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
  local.add(endpointOf('77.1.1.1:1000'), LOCAL_SCORE.interface);
  const { peer, sent } = fakeAt('1.2.3.4');
  peer.localEndpoint = endpointOf('88.1.2.3:999');
  time.ms = 1;
  ex.tick(peer);
  const told = sent.flatMap((message) => (message.command === 'addr' ? message.payload.map(formatEndpoint) : []));
  assert.deepEqual(told, ['88.1.2.3:1000']);
});
