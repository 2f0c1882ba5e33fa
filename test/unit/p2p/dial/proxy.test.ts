import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { after, test } from 'node:test';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { systemResolve } from '../../../../src/p2p/addresses/dns.js';
import { formatEndpoint, type Ip, parseEndpoint, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { LocalAddresses } from '../../../../src/p2p/addresses/local-addresses.js';
import { Networks, type NetworksOptions, type Route, type SocksProxy, type Target } from '../../../../src/p2p/addresses/networks.js';
import { groupOf, isRoutable, networkOf } from '../../../../src/p2p/addresses/reachability.js';
import { formatSubnet, parseSubnet } from '../../../../src/p2p/addresses/subnet.js';
import { resolveProxies } from '../../../../src/p2p/dial/proxies.js';
import { handshake, ProxyFailure } from '../../../../src/p2p/dial/socks5.js';
import { openSocket } from '../../../../src/p2p/dial/tcp.js';
import type { PeersOptions } from '../../../../src/p2p/net/options.js';
import { Peers } from '../../../../src/p2p/net/peers.js';
import { encodeFrame, FrameParser } from '../../../../src/p2p/wire/envelope.js';
import { ByteReader, ByteWriter } from '../../../../src/primitives/codec.js';
import { SystemClock } from '../../../../src/util/clock.js';
import { type Logger, silentLogger } from '../../../../src/util/logger.js';
import { until } from '../../../until.js';
import { codecs, params, startNode, testVersion } from '../fixture.js';
import { defaultPeersOptions } from '../options.js';
import { GRANTED, refused, type SocksBehaviour, type SocksServer, startSocks } from '../socks-server.js';

const V2 = 'bitcoinostk4e4re.onion';
const V3 = `${'a'.repeat(55)}d.onion`;

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function socks(behaviour?: SocksBehaviour, randomizesCredentials?: boolean): Promise<SocksServer> {
  const server = await startSocks(behaviour, randomizesCredentials);
  closing.push(() => server.close());
  return server;
}

/** A node that does not listen. Its DNS queries and log lines are recorded. */
async function client(options: Partial<PeersOptions>) {
  const lookedUp: string[] = [];
  const logged: string[] = [];
  const note = (msg: string, fields?: object) => {
    logged.push(`${msg} ${JSON.stringify(fields ?? {}, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`);
  };
  const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };
  const peers = new Peers(
    { ...defaultPeersOptions, dns: true, ...options },
    {
      params: { ...params, dnsSeeds: ['seed.example'], fixedSeeds: [] },
      chain: { tip: { height: 7 }, isInitialDownload: () => false },
      clock: new SystemClock(),
      log,
      resolve: async (host) => {
        lookedUp.push(host);
        return [];
      },
    },
  );
  await peers.start();
  closing.push(() => peers.stop());
  return { peers, lookedUp, logged };
}

/** Records the endpoints of all connections during a test. */
function watchConnections(t: {
  mock: { method(object: Socket, name: 'connect', implementation: (...args: never[]) => unknown): unknown };
}) {
  const endpoints: string[] = [];
  const original = Socket.prototype.connect;
  t.mock.method(Socket.prototype, 'connect', function (this: Socket, ...args: never[]) {
    const [first] = args as readonly unknown[];
    const options = (Array.isArray(first) ? first[0] : first) as { host?: string; port?: number };
    endpoints.push(`${options.host}:${options.port}`);
    return Reflect.apply(original, this, args);
  });
  return endpoints;
}

test('addresses of Tor services: text, network, group, bans', () => {
  const ip = parseIp(V2) as Ip;
  assert.equal(Buffer.from(ip).toString('hex'), 'fd87d87eeb430a262721ae94d5c27224');
  assert.equal(formatEndpoint({ ip, port: 8555 }), `${V2}:8555`);
  assert.deepEqual(parseEndpoint(`${V2.toUpperCase()}:8555`, 1), { ip, port: 8555 });
  assert.deepEqual(parseIp('fd87:d87e:eb43::1'), parseIp('aaaaaaaaaaaaaaab.onion'));
  for (const bad of [V3, 'short.onion', 'bitcoinostk4e4r1.onion', `x.${V2}`]) assert.equal(parseIp(bad), undefined, bad);
  assert.deepEqual([networkOf(ip), isRoutable(ip), isRoutable(parseIp('fd87:d87e:eb44::1') as Ip)], ['onion', true, false]);
  assert.equal(networkOf(parseIp('10.0.0.1') as Ip), undefined);
  const group = (text: string) => groupOf(parseIp(text) as Ip);
  assert.equal(group('aaaaaaaaaaaaaaaa.onion'), group('bqqqqqqqqqqqqqqq.onion'), 'the same 4 bits');
  assert.notEqual(group('aaaaaaaaaaaaaaaa.onion'), group('caaaaaaaaaaaaaaa.onion'));
  const subnet = parseSubnet(V2);
  assert.ok(subnet);
  assert.equal(formatSubnet(subnet), `${V2}/128`);
});

const TOR: SocksProxy = { endpoint: parseEndpoint('127.0.0.1:9050', 0) as { ip: Ip; port: number }, randomizesCredentials: true };
const OTHER: SocksProxy = { endpoint: parseEndpoint('127.0.0.1:1080', 0) as { ip: Ip; port: number }, randomizesCredentials: false };
const target = (text: string): Target => parseEndpoint(text, 8555) ?? { host: text, port: 8555 };
const shown = (route: Route) => (route.via === 'proxy' ? (route.proxy === TOR ? 'TOR' : 'OTHER') : route.via);

const routes: readonly (Pick<NetworksOptions, 'proxy' | 'onionProxy'> & { name: string; expected: Readonly<Record<string, string>> })[] = [
  {
    name: 'no proxy',
    proxy: undefined,
    onionProxy: undefined,
    expected: { '15.61.23.23': 'direct', '1233::1': 'direct', [V2]: 'none', [V3]: 'none', 'a.example': 'none', '127.0.0.1': 'direct' },
  },
  {
    name: '-proxy',
    proxy: TOR,
    onionProxy: undefined,
    expected: {
      '15.61.23.23': 'TOR',
      '1233::1': 'TOR',
      [V2]: 'TOR',
      [V3]: 'TOR',
      'a.example': 'TOR',
      '127.0.0.1': 'direct',
      '10.0.0.1': 'direct',
    },
  },
  {
    name: '-proxy and -onion',
    proxy: OTHER,
    onionProxy: TOR,
    expected: { '15.61.23.23': 'OTHER', '1233::1': 'OTHER', [V2]: 'TOR', [V3]: 'TOR', [`${V3}.`]: 'TOR', 'a.example': 'OTHER' },
  },
  {
    name: '-proxy and -noonion',
    proxy: OTHER,
    onionProxy: 'none',
    expected: { '15.61.23.23': 'OTHER', [V2]: 'none', [V3]: 'none', 'a.example': 'OTHER' },
  },
  {
    name: '-onion alone',
    proxy: undefined,
    onionProxy: TOR,
    expected: { '15.61.23.23': 'direct', [V2]: 'TOR', [V3]: 'TOR', 'a.example': 'none' },
  },
];
for (const { name, expected, ...proxies } of routes) {
  test(`routes: ${name}`, () => {
    const networks = new Networks({ ...proxies, onlyNets: [] });
    const actual = Object.fromEntries(Object.keys(expected).map((text) => [text, shown(networks.routeTo(target(text)))]));
    assert.deepEqual(actual, expected);
  });
}

test('-onlynet: networks for automatic connections, Tor services only with a proxy', () => {
  const reached = (options: Partial<NetworksOptions>) => {
    const networks = new Networks({ proxy: undefined, onionProxy: undefined, onlyNets: [], ...options });
    return (['ipv4', 'ipv6', 'onion'] as const).filter((net) => networks.reaches(net));
  };
  assert.deepEqual(reached({}), ['ipv4', 'ipv6']);
  assert.deepEqual(reached({ proxy: TOR }), ['ipv4', 'ipv6', 'onion']);
  assert.deepEqual(reached({ onionProxy: TOR }), ['ipv4', 'ipv6', 'onion']);
  assert.deepEqual(reached({ proxy: TOR, onionProxy: 'none' }), ['ipv4', 'ipv6']);
  assert.deepEqual(reached({ onlyNets: ['onion'] }), []);
  assert.deepEqual(reached({ onlyNets: ['onion'], proxy: TOR }), ['onion']);
  assert.deepEqual(reached({ onlyNets: ['ipv4'], proxy: TOR }), ['ipv4']);
  const onionOnly = new Networks({ proxy: TOR, onionProxy: undefined, onlyNets: ['onion'] });
  const ips = ['8.8.8.8', '2a00::1', V2, '127.0.0.1'].map((text) => parseIp(text) as Ip);
  assert.deepEqual(
    ips.map((ip) => onionOnly.isReachable(ip)),
    [false, false, true, true],
  );
});

test('the proxy of a running Tor daemon is used unless the operator configured another or none', () => {
  const onionAfterOffer = (proxy: SocksProxy | undefined, onionProxy: SocksProxy | 'none' | undefined) => {
    const networks = new Networks({ proxy, onionProxy, onlyNets: [] });
    networks.offerOnionProxy(TOR);
    return networks.proxyOf('onion');
  };
  assert.equal(onionAfterOffer(undefined, undefined), TOR);
  assert.equal(onionAfterOffer(OTHER, undefined), TOR);
  assert.equal(onionAfterOffer(undefined, OTHER), OTHER);
  assert.equal(onionAfterOffer(undefined, 'none'), undefined);
});

test('proxies by name; errors with the text of defid', async () => {
  const resolve = async (host: string) => (host === 'tor.example' ? [parseIp('10.0.0.7') as Ip] : []);
  const open = (proxy: string | undefined, onionProxy?: string) =>
    resolveProxies({ proxy, onionProxy, randomizesProxyCredentials: false }, resolve);
  const found = await open('tor.example', '[::1]:99');
  assert.deepEqual(
    [found.proxy, found.onionProxy].map((each) => typeof each === 'object' && formatEndpoint(each.endpoint)),
    ['10.0.0.7:9050', '[::1]:99'],
  );
  assert.deepEqual(await open(undefined, 'none'), { proxy: undefined, onionProxy: 'none' });
  for (const bad of ['nowhere.example', '127.0.0.1:99999', '0.0.0.0', V2, '::']) {
    await assert.rejects(open(bad), { message: `Invalid -proxy address or hostname: '${bad}'` });
    await assert.rejects(open(undefined, bad), { message: `Invalid -onion address or hostname: '${bad}'` });
  }
});

test('with a proxy there are no other connections and no DNS queries', async (t) => {
  const server = await socks({ established: (socket) => socket.destroy() });
  const endpoints = watchConnections(t);
  const { peers, lookedUp, logged } = await client({ proxy: server.proxy });
  const nodes = ['15.61.23.23:1234', '[1233:3432:2434:2343:3234:2345:6546:4534]:5443', V2, V3, 'node.noumenon:8555', 'localhost:77'];
  for (const node of nodes) await peers.connect(node);
  assert.deepEqual(
    server.requests.map(({ addressType, host, port }) => [addressType, host, port]),
    [
      [3, '15.61.23.23', 1234],
      [3, '1233:3432:2434:2343:3234:2345:6546:4534', 5443],
      [3, V2, params.p2pPort],
      [3, V3, params.p2pPort],
      [3, 'node.noumenon', 8555],
      [3, 'localhost', 77],
    ],
  );
  assert.deepEqual([...new Set(endpoints)], [`127.0.0.1:${server.port}`]);
  assert.deepEqual(lookedUp, []);
  const credentials = server.requests.flatMap(({ username, password }) => [username ?? '', password ?? '']);
  assert.equal(new Set(credentials).size, 2 * nodes.length, 'each connection has credentials of its own');
  assert.ok(credentials.every((text) => text.length >= 16));
  assert.deepEqual(
    logged.filter((line) => credentials.some((secret) => line.includes(secret))),
    [],
  );
});

test('-proxyrandomize=0 offers no credentials', async () => {
  const server = await socks({ established: (socket) => socket.destroy() }, false);
  const { peers } = await client({ proxy: server.proxy });
  await peers.connect('15.61.23.23:1234');
  assert.deepEqual(
    server.requests.map(({ username, password }) => [username, password]),
    [[undefined, undefined]],
  );
});

test('-onion is used for Tor services only; without it they are unreachable and never looked up', async (t) => {
  const tor = await socks({ established: (socket) => socket.destroy() });
  const endpoints = watchConnections(t);
  const one = await client({ onionProxy: tor.proxy });
  for (const node of [V2, V3, 'node.noumenon']) await one.peers.connect(node);
  assert.deepEqual(
    tor.requests.map(({ host }) => host),
    [V2, V3],
  );
  assert.deepEqual(one.lookedUp, ['node.noumenon']);
  const none = await client({});
  const connectionsBefore = endpoints.length;
  for (const node of [V2, V3, `sub.${V3}`]) assert.equal(await none.peers.connect(node), undefined);
  assert.deepEqual([none.lookedUp, endpoints.length], [[], connectionsBefore]);
});

test('names of Tor services are not looked up in DNS', async () => {
  let lookUps = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'GETADDRINFOREQWRAP') lookUps += 1;
    },
  }).enable();
  try {
    for (const name of [V2, V3, `${V3}.`, 'x.ONION']) assert.deepEqual(await systemResolve(name), [], name);
    assert.equal(lookUps, 0);
    assert.ok((await systemResolve('localhost')).length > 0);
    assert.equal(lookUps, 1);
  } finally {
    hook.disable();
  }
});

test('version contains the address of the peer, but not that of a proxy', async () => {
  const shown: string[] = [];
  const server = await socks({
    established(socket) {
      const parser = new FrameParser(params.p2pMagic, () => true);
      socket.on('data', (bytes) =>
        parser.push(bytes, (frame) => {
          if (frame.kind === 'message') shown.push(formatEndpoint(codecs.version.read(new ByteReader(frame.payload)).receiver));
        }),
      );
    },
  });
  const elsewhere = { endpoint: parseEndpoint('15.61.23.23:9050', 0) as { ip: Ip; port: number }, randomizesCredentials: false };
  const { peers } = await client({ proxy: server.proxy, onionProxy: elsewhere });
  for (const node of ['15.61.23.24:1234', '15.61.23.23:1234']) await peers.connect(node);
  await until(() => shown.length === 2, 'both versions');
  assert.deepEqual(shown, ['15.61.23.24:1234', '[::]:0']);
});

test('a peer behind a proxy: handshake, name and first bytes', async () => {
  const far = await startNode();
  closing.push(() => far.peers.stop());
  const server = await socks({
    established(socket) {
      const onward = connect(far.port, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    },
  });
  const { peers } = await client({ proxy: server.proxy });
  const peer = await peers.connect('node.noumenon:8555');
  await until(() => peer?.ready === true && far.peers.ready().length === 1, 'handshake through the proxy');
  assert.deepEqual([peer?.name, peer?.endpoint.port, peer?.inbound], ['node.noumenon:8555', 0, false]);
  assert.equal(far.peers.all()[0]?.version?.receiver.port, 0, 'the name is no address to tell');
  assert.equal(await peers.connect('node.noumenon:8555'), undefined, 'connected already');
  assert.equal(peers.disconnect('node.noumenon:8555'), true);
});

test('bytes that arrive together with the reply of the proxy belong to the peer', async () => {
  const w = new ByteWriter();
  codecs.version.write(w, testVersion);
  const greeting = encodeFrame(params.p2pMagic, 'version', w.finish());
  const server = await socks({ reply: () => [...GRANTED, ...greeting] });
  const { peers } = await client({ proxy: server.proxy });
  const peer = await peers.connect('15.61.23.23:1234');
  await until(() => peer?.version?.userAgent === testVersion.userAgent, 'version message');
});

test('a misbehaving peer without address is disconnected, and no address is banned', async () => {
  const server = await socks();
  const { peers } = await client({ proxy: server.proxy });
  const peer = await peers.connect('node.noumenon:8555', 'seed');
  peer?.misbehave(100, 'test');
  assert.deepEqual([peer?.disconnected, peers.bans.list()], [true, []]);
});

test('DNS seeds: with a proxy they are connected to by name', async () => {
  const server = await socks();
  const { lookedUp } = await client({ proxy: server.proxy, dnsSeed: true, connect: undefined });
  await until(() => server.requests.length === 1, 'connection to the seed');
  assert.deepEqual(
    server.requests.map(({ host, port }) => [host, port]),
    [['seed.example', params.p2pPort]],
  );
  assert.deepEqual(lookedUp, []);
  const direct = await client({ dnsSeed: true, connect: undefined });
  await until(() => direct.lookedUp.length === 2, 'look-up of the seed');
  assert.deepEqual(direct.lookedUp, ['x9.seed.example', 'seed.example'], 'without an answer a node of the seed is connected to');
});

test('DNS seeds: -dns=0 does not concern them, and -connect does not if -dnsseed is set', async () => {
  for (const options of [
    { connect: undefined, dns: false },
    { connect: ['127.0.0.1:1'], dns: false },
  ]) {
    const { lookedUp } = await client({ dnsSeed: true, ...options });
    await until(() => lookedUp.length === 1, 'look-up of the seed');
    assert.deepEqual(lookedUp, ['x9.seed.example'], 'its own name is one of a node, which -dns=0 does not look up');
  }
});

test('an attempt counts if the proxy was reached, whatever failed then', async () => {
  const address = '60.1.1.1:8555';
  const endpoint = parseEndpoint(address, 0) as { ip: Ip; port: number };
  const lastTry = async (proxy: SocksProxy) => {
    const { peers, logged } = await client({ proxy });
    peers.book.add([{ ...endpoint, services: 9n, time: Math.floor(Date.now() / 1000) }], endpoint.ip);
    assert.equal(await peers.connect(address, 'outbound'), undefined);
    return {
      tried: (peers.book.find(endpoint)?.lastTry ?? 0) > 0,
      warned: logged.some((line) => line.startsWith('proxy connection failed')),
    };
  };
  const refusing = await socks({ reply: () => refused(5) });
  const unwilling = await socks({ method: () => [5, 0xff] });
  const gone = await socks();
  gone.close();
  assert.deepEqual(await lastTry(refusing.proxy), { tried: true, warned: false });
  assert.deepEqual(await lastTry(unwilling.proxy), { tried: true, warned: true });
  assert.deepEqual(await lastTry(gone.proxy), { tried: false, warned: true });
});

/** @param stepTimeoutMs 20 s by default, so that only a step without an answer times out, however busy the machine is */
async function shake(
  behaviour: SocksBehaviour,
  credentials?: { username: string; password: string },
  host = 'a.example',
  stepTimeoutMs?: number,
): Promise<unknown> {
  const server = await socks(behaviour);
  const { signal } = new AbortController();
  const socket = await openSocket('127.0.0.1', server.port, 1000, signal);
  try {
    await handshake(socket, { host, port: 1 }, credentials, signal, stepTimeoutMs);
    return 'connected';
  } catch (error) {
    assert.ok(socket.destroyed, 'a failed handshake leaves no socket');
    return error instanceof ProxyFailure ? `proxy: ${error.message}` : error instanceof Error ? error.message : error;
  } finally {
    socket.destroy();
  }
}

const SECRET = { username: 'user-7f', password: 'pass-7f' };
interface Failure {
  readonly name: string;
  readonly behaviour: SocksBehaviour;
  readonly credentials?: typeof SECRET;
  readonly stepTimeoutMs?: number;
  readonly expected: string;
}
const failures: readonly Failure[] = [
  { name: 'general failure', behaviour: { reply: () => refused(1) }, expected: 'general failure' },
  { name: 'not allowed', behaviour: { reply: () => refused(2) }, expected: 'connection not allowed' },
  { name: 'network unreachable', behaviour: { reply: () => refused(3) }, expected: 'network unreachable' },
  { name: 'host unreachable', behaviour: { reply: () => refused(4) }, expected: 'host unreachable' },
  { name: 'refused', behaviour: { reply: () => refused(5) }, expected: 'connection refused' },
  { name: 'expired', behaviour: { reply: () => refused(6) }, expected: 'TTL expired' },
  { name: 'command', behaviour: { reply: () => refused(7) }, expected: 'protocol error' },
  { name: 'address type', behaviour: { reply: () => refused(8) }, expected: 'address type not supported' },
  { name: 'a code of its own', behaviour: { reply: () => refused(240) }, expected: 'unknown' },
  { name: 'no reply about the destination', behaviour: { reply: () => [] }, stepTimeoutMs: 500, expected: 'destination timed out' },
  { name: 'half a reply', behaviour: { reply: () => [5, 0, 0, 1, 9] }, stepTimeoutMs: 500, expected: 'proxy: proxy timed out' },
  {
    name: 'end of the connection in the reply',
    behaviour: { reply: () => [5, 0], established: (s) => s.end() },
    expected: 'proxy: proxy closed the connection',
  },
  { name: 'end of the connection instead of a reply', behaviour: { reply: () => 'close' }, expected: 'proxy: proxy closed the connection' },
  { name: 'another address type', behaviour: { reply: () => [5, 0, 0, 9, 0, 0, 0, 0, 0, 0] }, expected: 'proxy: malformed proxy response' },
  { name: 'a reserved byte', behaviour: { reply: () => [5, 0, 1, 1, 0, 0, 0, 0, 0, 0] }, expected: 'proxy: malformed proxy response' },
  {
    name: 'another version in the reply',
    behaviour: { reply: () => [4, 0, 0, 1, 0, 0, 0, 0, 0, 0] },
    expected: 'proxy: malformed proxy response',
  },
  { name: 'HTTP', behaviour: { method: () => [0x48, 0x54, 0x54, 0x50] }, expected: 'proxy: proxy speaks another protocol' },
  { name: 'no answer', behaviour: { method: () => [] }, stepTimeoutMs: 500, expected: 'proxy: proxy timed out' },
  { name: 'end of the connection', behaviour: { method: () => 'close' }, expected: 'proxy: proxy closed the connection' },
  {
    name: 'a password that was not offered',
    behaviour: { method: () => [5, 2] },
    expected: 'proxy: proxy asks for another authentication method',
  },
  {
    name: 'wrong credentials',
    behaviour: { authenticated: [1, 1] },
    credentials: SECRET,
    expected: 'proxy: proxy refuses the credentials',
  },
];
for (const { name, behaviour, credentials, stepTimeoutMs, expected } of failures) {
  test(`SOCKS5: ${name}`, async () => {
    const outcome = await shake(behaviour, credentials, 'a.example', stepTimeoutMs);
    assert.equal(outcome, expected);
  });
}

test('SOCKS5: replies with every kind of address, and byte by byte', async () => {
  assert.equal(await shake({ reply: () => [5, 0, 0, 4, ...new Array<number>(18).fill(7)] }), 'connected');
  assert.equal(await shake({ reply: () => [5, 0, 0, 3, 0, 1, 2] }), 'connected');
  assert.equal(await shake({ reply: () => [5, 0, 0, 3, 255, ...new Array<number>(257).fill(7)] }, SECRET), 'connected');
  const slowly: SocksBehaviour = {
    reply: () => [],
    established(socket) {
      let sent = 0;
      const timer = setInterval(() => {
        const byte = GRANTED[sent++];
        if (byte === undefined || socket.destroyed) clearInterval(timer);
        else socket.write(Uint8Array.of(byte));
      }, 2);
    },
  };
  assert.equal(await shake(slowly), 'connected');
});

test('SOCKS5: a name above the limit is rejected before anything is sent', async () => {
  assert.equal(await shake({}, undefined, 'x'.repeat(256)), 'host name is empty or too long');
  assert.equal(await shake({}, undefined, 'x'.repeat(255)), 'connected');
});

test('SOCKS5: an abort ends the wait', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  closing.push(() => silent.close());
  const address = silent.address();
  const stopping = new AbortController();
  const socket = await openSocket('127.0.0.1', typeof address === 'object' && address ? address.port : 0, 1000, stopping.signal);
  const shaking = handshake(socket, { host: 'a.example', port: 1 }, undefined, stopping.signal);
  stopping.abort();
  await assert.rejects(shaking, { message: 'stopped' });
});

test('addresses of this node: choice by the network of the peer', () => {
  const local = new LocalAddresses();
  const best = (peer: string) => {
    const found = local.bestFor(parseIp(peer) as Ip);
    return found && formatEndpoint(found);
  };
  for (const text of ['88.1.2.3:1', '[2a00:1450::1]:2']) local.add(parseEndpoint(text, 0) as { ip: Ip; port: number }, 1);
  assert.deepEqual(
    [best('60.1.1.1'), best('2a01::1'), best('127.0.0.1'), best(V2)],
    ['88.1.2.3:1', '[2a00:1450::1]:2', '88.1.2.3:1', undefined],
  );
  local.setOnion(V2, 8555);
  // Inbound Tor peers have a local address, and must not be sent our IP address.
  assert.deepEqual([best('60.1.1.1'), best('127.0.0.1'), best('aaaaaaaaaaaaaaaa.onion')], ['88.1.2.3:1', `${V2}:8555`, `${V2}:8555`]);
  local.clearOnion();
  assert.equal(best('127.0.0.1'), '88.1.2.3:1');
  local.setOnion(V3, 8555);
  assert.deepEqual([best('127.0.0.1'), best('60.1.1.1')], [undefined, '88.1.2.3:1']);
  assert.deepEqual(local.shown().at(-1), { address: V3, port: 8555, score: 4 });
  local.clearOnion();
  assert.equal(local.shown().length, 2);
});

test('-onlynet: addresses of other networks are not advertised', () => {
  const networks = new Networks({ proxy: TOR, onionProxy: undefined, onlyNets: ['onion'] });
  const local = new LocalAddresses((ip) => networks.isReachable(ip));
  local.add(parseEndpoint('88.1.2.3:1', 0) as { ip: Ip; port: number }, 4);
  assert.deepEqual(local.list(), []);
  local.setOnion(V2, 8555);
  assert.equal(local.list().length, 1);
});

test('the address book stores Tor services', () => {
  const now = 1_700_000_000;
  const book = new AddressBook({ key: new Uint8Array(32), now: () => now, random: () => 0.5 });
  const endpoint = parseEndpoint(`${V2}:8555`, 0) as { ip: Ip; port: number };
  assert.equal(book.add([{ ...endpoint, services: 9n, time: now }], endpoint.ip), 1);
  assert.equal(formatEndpoint(book.select(true) ?? endpoint), `${V2}:8555`);
});

test('a Tor service is not accepted as listening address', () => {
  const build = (options: Partial<PeersOptions>) =>
    new Peers(
      { ...defaultPeersOptions, listen: true, ...options },
      { params, chain: { tip: { height: 0 }, isInitialDownload: () => false }, clock: new SystemClock(), log: silentLogger },
    );
  assert.throws(() => build({ bind: [V2] }), { message: `Cannot resolve -bind address: '${V2}'` });
  assert.throws(() => build({ whiteBind: [`${V2}:1`] }), { message: `Cannot resolve -whitebind address: '${V2}:1'` });
});
