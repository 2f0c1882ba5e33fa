import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Ip, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { localServices } from '../../../../src/p2p/addresses/services.js';
import { parseSubnet } from '../../../../src/p2p/addresses/subnet.js';
import type { PeersOptions } from '../../../../src/p2p/net/options.js';
import { Peers } from '../../../../src/p2p/net/peers.js';
import { encodeFrame } from '../../../../src/p2p/wire/envelope.js';
import { makeTransaction } from '../../../../src/primitives/transaction.js';
import { SystemClock } from '../../../../src/util/clock.js';
import { type Logger, silentLogger } from '../../../../src/util/logger.js';
import { until } from '../../../until.js';
import { hash, link, params, RawPeer, startNode, type TestNode, testVersion } from '../fixture.js';
import { defaultPeersOptions } from '../options.js';

const nodes: TestNode[] = [];
const raws: RawPeer[] = [];
after(async () => {
  for (const raw of raws) raw.close();
  await Promise.all(nodes.map(({ peers }) => peers.stop()));
});

async function node(options: Partial<PeersOptions> = {}, syncing = false): Promise<TestNode> {
  const started = await startNode(options, syncing);
  nodes.push(started);
  return started;
}

async function raw(port: number): Promise<RawPeer> {
  const peer = await RawPeer.connect(port);
  raws.push(peer);
  return peer;
}

async function readyRaw(port: number, version: Parameters<typeof RawPeer.ready>[1] = {}): Promise<RawPeer> {
  const peer = await RawPeer.ready(port, version);
  raws.push(peer);
  return peer;
}

test('two nodes complete the handshake', async () => {
  const a = await node({ userAgentComments: ['alice', 'one'] });
  const b = await node();
  const seen: string[] = [];
  b.peers.on('ready', (peer) => seen.push(`ready ${peer.inbound}`));
  b.peers.on('disconnected', (peer) => seen.push(`disconnected ${peer.id}`));
  const { outgoing, incoming } = await link(a, b);
  assert.equal(incoming.version?.userAgent, '/DeFiChain:4.2.5(alice; one)/');
  assert.equal(outgoing.version?.userAgent, '/DeFiChain:4.2.5/');
  assert.equal(outgoing.protocolVersion, 70039);
  assert.equal(outgoing.services, 0x409n);
  assert.equal(outgoing.startHeight, 7);
  assert.equal(outgoing.kind, 'manual');
  assert.equal(outgoing.name, `127.0.0.1:${b.port}`);
  assert.equal(outgoing.boundTo, incoming.name);
  assert.equal(a.peers.countInbound(), 0);
  assert.equal(b.peers.countInbound(), 1);
  await until(() => outgoing.latency.last !== undefined && incoming.latency.last !== undefined, 'pongs');
  outgoing.disconnect('test');
  await until(() => seen.length === 2, 'disconnected');
  assert.deepEqual(seen, ['ready true', `disconnected ${incoming.id}`]);
});

test('messages are delivered decoded and in order, and their bytes are counted', async () => {
  const a = await node();
  const b = await node();
  const { outgoing, incoming } = await link(a, b);
  const got: string[] = [];
  b.peers.on('message', ({ peer, message }) => {
    assert.equal(peer, incoming);
    got.push(message.command === 'inv' ? `inv ${message.payload.length} ${message.payload[0]?.hash[0]}` : message.command);
  });
  for (let i = 1; i <= 50; i++) outgoing.send({ command: 'inv', payload: [{ type: 1, hash: hash(i) }] });
  outgoing.send({ command: 'mempool', payload: {} });
  await until(() => got.includes('mempool'), 'mempool');
  assert.deepEqual(got.slice(-3), ['inv 1 49', 'inv 1 50', 'mempool']);
  // 24 bytes of header, one of count, 36 of an item; the handshake adds sendheaders and two sendcmpct.
  assert.equal(incoming.traffic.receivedByMessage().inv, 50 * 61);
  assert.equal(outgoing.traffic.sentByMessage().inv, 50 * 61);
  assert.equal(outgoing.traffic.sentByMessage().sendcmpct, 2 * 33);
  assert.equal(incoming.traffic.bytesReceived, outgoing.traffic.bytesSent);
  assert.ok(b.peers.totals.received >= 50 * 61);
});

test('messages after verack are in the order of the protocol', async () => {
  const { port } = await node();
  const peer = await readyRaw(port);
  assert.deepEqual(peer.commands().slice(0, 6), ['version', 'verack', 'sendheaders', 'sendcmpct', 'sendcmpct', 'ping']);
  assert.equal(peer.last('version')?.version, 70039);
  assert.deepEqual(peer.last('sendcmpct'), { announce: false, version: 1n });
});

test('no message is sent to an inbound peer before its version', async () => {
  const { port, peers } = await node({ banScore: 10 });
  const silent = await raw(port);
  const rude = await raw(port);
  for (let i = 0; i < 10; i++) rude.send({ command: 'verack', payload: {} });
  await rude.waitClosed();
  assert.deepEqual(rude.commands(), []);
  assert.deepEqual(silent.commands(), []);
  assert.equal(peers.bans.list().length, 0, 'local peers are not banned');
});

test('a message before the handshake costs a point and is not answered', async () => {
  const { port, peers } = await node();
  const peer = await raw(port);
  peer.send({ command: 'version', payload: testVersion });
  await until(() => peer.has('verack'), 'verack');
  peer.send({ command: 'ping', payload: { nonce: 1n } });
  peer.send({ command: 'getaddr', payload: {} });
  peer.sendFrame('nonsense', new Uint8Array(3));
  await until(() => peers.all()[0]?.misbehaviour === 3, 'three points');
  peer.send({ command: 'version', payload: testVersion });
  await until(() => peers.all()[0]?.misbehaviour === 4, 'a point for a second version');
  assert.deepEqual(peer.commands(), ['version', 'verack']);
});

test('peers with old protocol versions are rejected', async () => {
  const { port } = await node();
  const old = await raw(port);
  old.send({ command: 'version', payload: { ...testVersion, version: 70022 } });
  await old.waitClosed();
  const oldest = await readyRaw(port, { version: 70023 });
  await oldest.sync();
});

test('a connection to the node itself is closed', async () => {
  const self = await node();
  const peer = await self.peers.connect(`127.0.0.1:${self.port}`);
  await until(() => peer?.disconnected === true && self.peers.count === 0, 'both ends closed');
});

test('frames: those with bad checksum or command are skipped; bad magic or size ends the connection', async () => {
  const { port } = await node();
  const peer = await readyRaw(port);
  const frame = Buffer.from(encodeFrame(params.p2pMagic, 'ping', new Uint8Array(8)));
  frame[20] = (frame[20] ?? 0) ^ 0xff;
  peer.sendBytes(frame);
  peer.sendBytes(encodeFrame(params.p2pMagic, 'a\0b', new Uint8Array(2)));
  peer.sendFrame('badmsg', new Uint8Array(100));
  await peer.sync();
  peer.sendBytes(encodeFrame(Uint8Array.of(1, 2, 3, 4), 'ping', new Uint8Array(8)));
  await peer.waitClosed();
  const large = await readyRaw(port);
  const header = Buffer.from(encodeFrame(params.p2pMagic, 'block', new Uint8Array(0)));
  header.writeUInt32LE(64_000_001, 16);
  large.sendBytes(header);
  await large.waitClosed();
});

test('malformed payloads are ignored', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  peer.sendFrame('inv', Uint8Array.of(1, 2, 3));
  peer.sendFrame('sendcmpct', Uint8Array.of(1));
  await peer.sync();
  assert.equal(peers.ready()[0]?.misbehaviour, 0);
});

test('a version message with a name above 256 bytes is ignored', async () => {
  const { port, peers } = await node();
  const peer = await RawPeer.connect(port);
  peer.send({ command: 'version', payload: { ...testVersion, userAgent: 'x'.repeat(257) } });
  peer.send({ command: 'version', payload: { ...testVersion, userAgent: 'x'.repeat(256) } });
  await until(() => peer.has('verack'), 'verack');
  // If the first one counted, the second would cost a point.
  const [ours] = peers.all();
  assert.deepEqual([ours?.version?.userAgent.length, ours?.misbehaviour], [256, 0]);
  peer.close();
});

test('too many items cost 20 points, a locator above the limit ends the connection', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  const [ours] = peers.ready();
  peer.sendFrame('inv', Buffer.concat([Uint8Array.of(0xfd, 0x51, 0xc3), new Uint8Array(36 * 50_001)]));
  await peer.sync();
  assert.equal(ours?.misbehaviour, 20);
  peer.send({ command: 'getheaders', payload: { version: 1, locator: Array.from({ length: 101 }, () => hash(1)), stop: hash(0) } });
  await peer.sync();
  peer.send({ command: 'getheaders', payload: { version: 1, locator: Array.from({ length: 102 }, () => hash(1)), stop: hash(0) } });
  await peer.waitClosed();
});

test('an error in a handler affects neither the node nor the peer', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  peers.on('message', ({ message }) => {
    if (message.command === 'mempool') throw new TypeError('a bug of ours');
  });
  peer.send({ command: 'mempool', payload: {} });
  await peer.sync();
});

test('messages of a held peer are processed after its release', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  const got: string[] = [];
  let release = () => {};
  peers.on('message', ({ peer: from, message }) => {
    got.push(message.command);
    if (message.command === 'mempool') release = from.hold();
  });
  peer.send({ command: 'mempool', payload: {} });
  peer.send({ command: 'sendheaders', payload: {} });
  await until(() => got.length === 1, 'first message');
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(got, ['mempool']);
  release();
  await until(() => got.length === 2, 'second message');
});

test('a long transaction is decoded in slices, and the next message waits for it', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  const got: string[] = [];
  peers.on(
    'message',
    ({ message }) => void got.push(message.command === 'tx' ? `${message.payload.vout.length} outputs` : message.command),
  );
  const output = { value: 1n, scriptPubKey: new Uint8Array(), tokenId: 0 };
  const input = { prevout: { txid: hash(1), vout: 0 }, scriptSig: new Uint8Array(), sequence: 0, witness: [] };
  const fields = { version: 4, vin: [input], vout: new Array(60_000).fill(output), lockTime: 0 };
  peer.send({ command: 'tx', payload: makeTransaction(fields, params.txFormat) });
  peer.send({ command: 'sendheaders', payload: {} });
  await peer.sync();
  assert.deepEqual(got, ['60000 outputs', 'sendheaders']);
  const [target] = peers.ready();
  peer.send({ command: 'tx', payload: { ...makeTransaction(fields, params.txFormat), raw: new Uint8Array(600_000).fill(0xff) } });
  await peer.sync();
  assert.deepEqual([got.length, target?.misbehaviour, target?.holds('ping')], [2, 0, false], 'a malformed one is ignored');
});

test('messages of a peer with a full send buffer are deferred until it reads', async () => {
  const a = await node({ maxSendBytes: 1000 });
  const { port, peers } = a;
  const peer = await readyRaw(port);
  const [ours] = peers.ready();
  assert.ok(ours);
  peer.pause();
  for (let i = 0; i < 40 && !ours.congested; i++)
    ours.send({ command: 'block', payload: { header: params.genesis.header, hash: hash(0), raw: new Uint8Array(1_000_000) } });
  assert.ok(ours.congested);
  let heard = 0;
  peers.on('message', () => {
    heard += 1;
  });
  peer.send({ command: 'mempool', payload: {} });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(heard, 0);
  peer.resume();
  await until(() => heard === 1, 'heard again');
});

test('the queue of received messages is bounded, and none is lost', async () => {
  const { port, peers } = await node({ maxReceiveBytes: 5000 });
  const peer = await readyRaw(port);
  let count = 0;
  let release = () => {};
  peers.on('message', ({ peer: from }) => {
    count += 1;
    if (count === 1) release = from.hold();
  });
  for (let i = 0; i < 300; i++)
    peer.send({ command: 'inv', payload: Array.from({ length: 500 }, (_, j) => ({ type: 1, hash: hash(j & 0xff) })) });
  await until(() => count === 1, 'first');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const [ours] = peers.ready();
  assert.ok((ours?.traffic.bytesReceived ?? 0) < 3_000_000, 'reading stopped');
  release();
  await until(() => count === 300, 'all');
});

test('silent peers are disconnected', async () => {
  const silentNode = await node({ peerTimeoutSec: 3 });
  const silent = await raw(silentNode.port);
  const half = await raw(silentNode.port);
  half.send({ command: 'version', payload: testVersion });
  await until(() => half.has('verack'), 'verack');
  const lively = await readyRaw(silentNode.port);
  silentNode.skew = 3500;
  await silent.waitClosed();
  await half.waitClosed();
  await lively.sync();
  silentNode.skew = 21 * 60_000;
  await lively.waitClosed();
});

test('bans: subnet, rejection of connections, noban, and after a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'peers-'));
  const options = { directory, bind: ['127.0.0.1'] };
  const banned = await startNode(options);
  const first = await RawPeer.ready(banned.port);
  const subnet = parseSubnet('127.0.0.0/24');
  assert.ok(subnet);
  banned.peers.bans.ban(subnet, 'manually added');
  banned.peers.disconnectSubnet(subnet);
  await first.waitClosed();
  const second = await RawPeer.connect(banned.port);
  await second.waitClosed();
  await banned.peers.stop();
  const again = await startNode(options);
  assert.equal(again.peers.bans.list().length, 1);
  const third = await RawPeer.connect(again.port);
  await third.waitClosed();
  await again.peers.stop();
  const friendly = await startNode({ ...options, whitelist: ['noban@127.0.0.1'] });
  const fourth = await RawPeer.ready(friendly.port);
  assert.deepEqual(friendly.peers.ready()[0]?.permissions.names, ['noban']);
  fourth.close();
  await friendly.peers.stop();
  rmSync(directory, { recursive: true });
});

test('a peer banned for misbehaviour may use a slot while others are free', async () => {
  const { port, peers } = await node({ maxConnections: 11 });
  const subnet = parseSubnet('127.0.0.1') ?? assert.fail();
  peers.bans.ban(subnet, 'node misbehaving');
  await readyRaw(port);
  assert.equal(peers.all()[0]?.isBanned, true);
  await (await raw(port)).waitClosed();
  peers.setActive(false);
  peers.setActive(true);
  peers.bans.ban(subnet, 'manually added', 1_000_000_000n);
  await (await raw(port)).waitClosed();
});

test('a peer with the permission bloomfilter is offered its service', async () => {
  const offered = async (whitelist: readonly string[]) => {
    const { port } = await node({ whitelist });
    return (await readyRaw(port)).last('version')?.services;
  };
  assert.equal(await offered([]), 0x409n);
  assert.equal(await offered(['bloomfilter@127.0.0.1']), 0x40dn);
});

test('without segwit, compact blocks of version 1 alone are offered', async () => {
  const { port } = await node({ services: 0x401n });
  const peer = await readyRaw(port);
  assert.equal(peer.commands().filter((command) => command === 'sendcmpct').length, 1);
});

test('services of a peer are noted even if they do not suffice', async () => {
  const other = await node({ services: 0n });
  const self = await node();
  const ip = parseIp('127.0.0.1') ?? assert.fail();
  const noted: bigint[] = [];
  self.peers.book.setServices = ({ port }, services) => {
    if (port === other.port) noted.push(services);
  };
  const peer = await self.peers.connect(`127.0.0.1:${other.port}`, 'outbound');
  await until(() => peer?.disconnected === true, 'end of the connection');
  assert.deepEqual([noted, peer?.endpoint.ip], [[0n], ip]);
});

test('seeds without the services of an outbound peer are disconnected too', async () => {
  const other = await node({ services: 0n });
  const self = await node();
  const peer = await self.peers.connect(`127.0.0.1:${other.port}`, 'seed');
  await until(() => peer?.disconnected === true, 'end of the connection');
  assert.equal(peer?.version, undefined);
});

test('a version that answers contains network time; the address that a peer sees may have no port', async () => {
  const { port, peers } = await node();
  for (let i = 1; i <= 4; i++) {
    const other = await raw(port);
    other.send({ command: 'version', payload: { ...testVersion, receiver: { services: 0n, ip: parseIp('8.8.8.8') as Ip, port: 0 } } });
    await until(() => other.has('verack'), 'verack');
  }
  assert.deepEqual(peers.all()[0]?.localEndpoint, { services: 0n, ip: parseIp('8.8.8.8'), port: 0 });
  peers.adjustedTime = () => 1_600_000_000;
  const late = await readyRaw(port);
  assert.equal(late.last('version')?.time, 1_600_000_000n);
});

test('addresses are stored with adjusted times and relayed once', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  const payload = Array.from({ length: 256 }, (_, i) => ({
    time: 100_000_000,
    services: 9n,
    ip: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 123, 123, 123, i),
    port: 8555,
  }));
  peer.send({ command: 'addr', payload });
  await peer.sync();
  // Addresses of one network from one source share one bucket of 64 places.
  assert.ok(peers.book.size >= 50 && peers.book.size <= 64, `${peers.book.size} known`);
  const oldest = Math.floor(Date.now() / 1000) - 6 * 86_400;
  for (const { time } of peers.book.entries()) assert.ok(time > oldest);
  const other = await readyRaw(port);
  for (const each of [peer, other, other]) {
    each.send({ command: 'getaddr', payload: {} });
    await each.sync();
  }
  assert.equal(peer.has('addr'), false, 'it announced them all');
  const answer = other.last('addr');
  assert.ok(answer && answer.length >= 11 && answer.length <= 14, `${answer?.length} addresses`);
  assert.equal(other.commands().filter((command) => command === 'addr').length, 1);
});

test('a full node evicts a peer for a new connection only if one is unprotected', async () => {
  const { port, peers } = await node({ maxConnections: 11, whitelist: ['noban@127.0.0.1'] });
  await readyRaw(port);
  await readyRaw(port);
  const third = await raw(port);
  await third.waitClosed();
  assert.equal(peers.count, 2);
});

test('with network activity disabled there are no connections', async () => {
  const { port, peers } = await node();
  const peer = await readyRaw(port);
  peers.setActive(false);
  await peer.waitClosed();
  const other = await raw(port);
  await other.waitClosed();
  peers.setActive(true);
  await readyRaw(port);
});

test('added nodes are connected, and reconnected', async () => {
  const target = await node();
  const name = `127.0.0.1:${target.port}`;
  const { peers } = await node({ addNodes: [name] });
  await until(() => peers.ready().length === 1, 'connected');
  const [added] = peers.added.list();
  assert.equal(added?.node, name);
  assert.equal(added?.peer, peers.ready()[0]);
  assert.equal(peers.added.add(name), false);
  assert.equal(peers.added.remove(name), true);
});

test('added nodes that are given twice are listed, and removed, twice', async () => {
  const { peers } = await node({ addNodes: ['a.example', 'a.example'] });
  assert.deepEqual(
    peers.added.list().map((added) => added.node),
    ['a.example', 'a.example'],
  );
  assert.deepEqual(
    [1, 2, 3].map(() => peers.added.remove('a.example')),
    [true, true, false],
  );
});

test('services: a node without segwit does not offer witness data', () => {
  const plain = { pruned: false, bloomFilters: false };
  assert.equal(localServices({ ...plain, witness: true }), 0x409n);
  assert.equal(localServices({ ...plain, witness: false }), 0x401n);
  assert.equal(localServices({ pruned: true, bloomFilters: true, witness: true }), 0x40cn);
});

for (const { logsAddresses, shown } of [
  { logsAddresses: false, shown: false },
  { logsAddresses: true, shown: true },
]) {
  test(`-logips=${Number(logsAddresses)}: whether the log names the address of an inbound peer`, async () => {
    const lines: string[] = [];
    const note = (text: string, fields: object = {}) => void lines.push(`${text} ${JSON.stringify(fields)}`);
    const log: Logger = { ...silentLogger, debug: note, info: note, warn: note, child: () => log };
    const listening = await startNode({ logsAddresses }, false, log);
    nodes.push(listening);
    const { incoming } = await link(await node(), listening);
    incoming.misbehave(1, 'test');
    incoming.disconnect('enough of it');
    assert.ok(lines.some((line) => line.startsWith('connected')) && lines.some((line) => line.startsWith('enough of it')));
    assert.equal(
      lines.some((line) => line.includes(incoming.name)),
      shown,
    );
  });
}

test('-externalip: names are looked up, even with a proxy; the port is that of -port, not of -bind', async () => {
  const { port, peers: before } = await node();
  await before.stop();
  const lookedUp: string[] = [];
  const proxy = { endpoint: { ip: parseIp('127.0.0.1') as Ip, port: 1 }, randomizesCredentials: false };
  const peers = new Peers(
    {
      ...defaultPeersOptions,
      listen: true,
      port: 18_555,
      bind: [`127.0.0.1:${port}`],
      externalIps: ['node.example', '8.8.4.4:7'],
      dns: true,
      proxy,
    },
    {
      params,
      chain: { tip: { height: 7 }, isInitialDownload: () => false },
      clock: new SystemClock(),
      log: silentLogger,
      resolve: async (host) => {
        lookedUp.push(host);
        return [parseIp('8.8.8.8') as Ip];
      },
    },
  );
  nodes.push({ peers } as TestNode);
  await peers.start();
  assert.deepEqual(lookedUp, ['node.example']);
  assert.deepEqual(
    peers.local.shown().map(({ address, port, score }) => [address, port, score]),
    [
      ['8.8.4.4', 7, 4],
      ['8.8.8.8', 18_555, 4],
    ],
  );
});
