import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseEndpoint } from '../../../src/p2p/addresses/ip.js';
import { networkParams } from '../../../src/params/index.js';
import { hash, link, startNode, type TestNode } from '../../unit/p2p/fixture.js';
import { until } from '../../until.js';
import { type ServiceNode, startServices } from '../service-node.js';

const regtest = networkParams({ network: 'regtest' });
const nodes: TestNode[] = [];
after(() => Promise.all(nodes.map(({ peers }) => peers.stop())));

/** Node with P2P, and the operations on its peers. */
async function start(options: Parameters<typeof startNode>[0] = {}): Promise<{ node: TestNode; ask: ServiceNode['ask'] }> {
  const node = await startNode(options);
  nodes.push(node);
  const services = startServices(regtest);
  Object.assign(services.modules, { peers: node.peers });
  return { node, ask: services.ask };
}

test('without P2P: a ping succeeds, other calls report the missing function', async () => {
  const { ask } = startServices(regtest);
  const missing = '-31 Error: Peer-to-peer functionality missing or disabled';
  assert.equal(await ask('ping', '[]'), 'null');
  assert.equal(await ask('getconnectioncount', '[]'), missing);
  assert.equal(await ask('getnodestatusinfo', '[]'), missing);
  assert.equal(await ask('getpeerinfo', '[]'), missing);
  assert.equal(await ask('addnode', '["127.0.0.1", "add"]'), missing);
  const info = JSON.parse(await ask('getnetworkinfo', '[]')) as Record<string, unknown>;
  assert.equal('connections' in info || 'localservices' in info, false);
});

test('getnetworkinfo: members and their order', async () => {
  const { ask } = await start({ userAgentComments: ['testnode0'] });
  assert.equal(
    await ask('getnetworkinfo', '[]'),
    '{"version":4020500,"subversion":"/DeFiChain:4.2.5(testnode0)/","protocolversion":70039,"localservices":"0000000000000409","localrelay":true,' +
      '"timeoffset":0,"networkactive":true,"connections":0,"networks":[' +
      '{"name":"ipv4","limited":false,"reachable":true,"proxy":"","proxy_randomize_credentials":false},' +
      '{"name":"ipv6","limited":false,"reachable":true,"proxy":"","proxy_randomize_credentials":false},' +
      '{"name":"onion","limited":true,"reachable":false,"proxy":"","proxy_randomize_credentials":false}],' +
      '"relayfee":0.00001000,"incrementalfee":0.00001000,"localaddresses":[],"warnings":""}',
  );
});

test('getnodestatusinfo: five peers that sent data lately make a healthy node', async () => {
  const { node, ask } = await start();
  const status = (peers: boolean) => `{"health_status":${peers},"sync_to_tip":true,"active_peer_nodes":${peers}}`;
  const others = await Promise.all([1, 2, 3, 4, 5].map(() => start()));
  for (const [i, other] of others.entries()) {
    assert.equal(await ask('getnodestatusinfo', '[]'), status(false), `${i} peers`);
    await link(other.node, node);
    await until(() => node.peers.ready().length === i + 1, 'connection');
  }
  assert.equal(await ask('getnodestatusinfo', '[]'), status(true));
});

test('getversioninfo: the user agent has the comments of -uacomment', async () => {
  const { ask } = await start({ userAgentComments: ['testnode0'] });
  const { userAgent } = JSON.parse(await ask('getversioninfo', '[]')) as { userAgent: string };
  assert.equal(userAgent, '/DeFiChain:4.2.5(testnode0)/');
});

test('getnetworkinfo: proxies and the networks that they make reachable', async () => {
  const proxy = { endpoint: parseEndpoint('127.0.0.1:9050', 0) ?? assert.fail(), randomizesCredentials: true };
  const onionProxy = { endpoint: parseEndpoint('[::1]:9150', 0) ?? assert.fail(), randomizesCredentials: false };
  const { ask, node } = await start({ proxy, onionProxy, onlyNets: ['ipv6', 'onion'] });
  node.peers.local.setOnion('bitcoinostk4e4re.onion', 8555);
  const { networks, localaddresses } = JSON.parse(await ask('getnetworkinfo', '[]')) as Record<string, unknown>;
  assert.deepEqual(networks, [
    { name: 'ipv4', limited: true, reachable: false, proxy: '127.0.0.1:9050', proxy_randomize_credentials: true },
    { name: 'ipv6', limited: false, reachable: true, proxy: '127.0.0.1:9050', proxy_randomize_credentials: true },
    { name: 'onion', limited: false, reachable: true, proxy: '[::1]:9150', proxy_randomize_credentials: false },
  ]);
  assert.deepEqual(localaddresses, [{ address: 'bitcoinostk4e4re.onion', port: 8555, score: 4 }]);
});

test('Tor services in bans, known addresses and added nodes', async () => {
  const { ask, node } = await start();
  const onion = parseEndpoint('bitcoinostk4e4re.onion:8555', 0) ?? assert.fail();
  const time = Math.floor(Date.now() / 1000);
  const others = Array.from({ length: 5 }, (_, i) => ({ ...onion, ip: onion.ip.map((byte, at) => (at === 6 ? byte ^ (i << 4) : byte)) }));
  node.peers.book.add(
    others.map((each) => ({ ...each, services: 9n, time })),
    onion.ip,
  );
  const [known] = JSON.parse(await ask('getnodeaddresses', '[1]')) as [{ address: string; port: number }];
  assert.match(known.address, /^[a-z2-7]{16}\.onion$/);
  assert.equal(known.port, 8555);
  assert.equal(await ask('setban', '["bitcoinostk4e4re.onion", "add"]'), 'null');
  assert.match(await ask('listbanned', '[]'), /"address":"bitcoinostk4e4re\.onion\/128"/);
  assert.equal(node.peers.bans.isBanned(onion.ip), true);
  assert.equal(await ask('setban', '["bitcoinostk4e4re.onion", "remove"]'), 'null');
  assert.equal(await ask('addnode', '["bitcoinostk4e4re.onion:8555", "onetry"]'), 'null');
  assert.equal(node.peers.count, 0, 'not reached without a proxy');
});

test('getpeerinfo, getnettotals, ping: both ends of a connection', async () => {
  const a = await start();
  const b = await start({ whitelist: ['noban@127.0.0.1'] });
  const { outgoing, incoming } = await link(a.node, b.node);
  await until(() => outgoing.latency.last !== undefined && incoming.latency.last !== undefined, 'pongs');
  const [here] = JSON.parse(await a.ask('getpeerinfo', '[]')) as [Record<string, unknown>];
  const [there] = JSON.parse(await b.ask('getpeerinfo', '[]')) as [Record<string, unknown>];
  assert.deepEqual(Object.keys(here), [
    ...['id', 'addr', 'addrbind', 'services', 'relaytxes', 'lastsend', 'lastrecv', 'bytessent', 'bytesrecv', 'conntime', 'timeoffset'],
    ...['pingtime', 'minping', 'version', 'subver', 'inbound', 'addnode', 'startingheight', 'banscore', 'synced_headers', 'synced_blocks'],
    ...['inflight', 'addr_processed', 'addr_rate_limited', 'whitelisted', 'permissions', 'minfeefilter'],
    ...['bytessent_per_msg', 'bytesrecv_per_msg'],
  ]);
  assert.equal(here.addrbind, there.addr);
  assert.equal(here.addr, there.addrbind);
  assert.deepEqual([here.inbound, here.addnode, there.inbound, there.addnode], [false, true, true, false]);
  assert.deepEqual([here.permissions, there.permissions, there.whitelisted], [[], ['noban'], false]);
  assert.deepEqual([here.services, here.version, here.startingheight, here.synced_headers], ['0000000000000409', 70039, 7, -1]);
  const now = Date.now() / 1000;
  for (const key of ['lastsend', 'lastrecv', 'conntime']) assert.ok(Math.abs((here[key] as number) - now) < 5, key);
  const before = JSON.parse(await a.ask('getnettotals', '[]')) as { totalbytessent: number; totalbytesrecv: number };
  assert.equal(before.totalbytessent, here.bytessent);
  assert.equal(await a.ask('ping', '[]'), 'null');
  // A ping and a pong have 32 bytes each.
  await until(() => a.node.peers.totals.received === before.totalbytesrecv + 32, 'pong');
  const later = JSON.parse(await a.ask('getnettotals', '[]')) as Record<string, unknown>;
  assert.equal(later.totalbytessent, before.totalbytessent + 32);
  assert.deepEqual(later.uploadtarget, {
    timeframe: 86_400,
    target: 0,
    target_reached: false,
    serve_historical_blocks: true,
    bytes_left_in_cycle: 0,
    time_left_in_cycle: 0,
  });
});

test('addnode and getaddednodeinfo', async () => {
  const target = await start();
  const { node, ask } = await start();
  const name = `127.0.0.1:${target.node.port}`;
  assert.equal(await ask('addnode', `["${name}", "try"]`), '-1 usage');
  assert.equal(await ask('addnode', `["${name}", null]`), '-1 usage');
  assert.equal(await ask('getaddednodeinfo', '[]'), '[]');
  // The type matters once there are nodes to compare with.
  assert.equal(await ask('getaddednodeinfo', '[{}]'), '-24 Error: Node has not been added.');
  assert.equal(await ask('addnode', `["${name}", "add"]`), 'null');
  assert.equal(await ask('addnode', `["${name}", "add"]`), '-23 Error: Node already added');
  assert.equal(await ask('getaddednodeinfo', '[{}]'), '-1 JSON value is not a string as expected');
  assert.equal(await ask('getaddednodeinfo', '[]'), `[{"addednode":"${name}","connected":false,"addresses":[]}]`);
  assert.equal(await ask('addnode', `["${name}", "onetry"]`), 'null');
  await until(() => node.peers.ready().length === 1, 'connection');
  const connected = `[{"addednode":"${name}","connected":true,"addresses":[{"address":"${name}","connected":"outbound"}]}]`;
  assert.equal(await ask('getaddednodeinfo', `["${name}"]`), connected);
  assert.equal(await ask('getconnectioncount', '[]'), '1');
  assert.equal(await ask('addnode', `["${name}", "remove"]`), 'null');
  assert.equal(await ask('addnode', `["${name}", "remove"]`), '-24 Error: Node has not been added.');
  assert.equal(await ask('getaddednodeinfo', '["1.1.1.1"]'), '-24 Error: Node has not been added.');
});

test('disconnectnode: by address, by id, not by both', async () => {
  const target = await start();
  const { node, ask } = await start();
  const first = await link(node, target.node);
  const both = '-32602 Only one of address and nodeid should be provided.';
  assert.equal(await ask('disconnectnode', `{"address":"${first.outgoing.name}","nodeid":"x"}`), both);
  assert.equal(await ask('disconnectnode', '[5, 1]'), both);
  assert.equal(await ask('disconnectnode', '[5]'), '-1 JSON value is not a string as expected');
  assert.equal(await ask('disconnectnode', '[]'), both);
  assert.equal(await ask('disconnectnode', '["221B Baker Street"]'), '-29 Node not found in connected nodes');
  assert.equal(await ask('disconnectnode', `["${first.outgoing.name}"]`), 'null');
  assert.equal(node.peers.count, 0);
  const second = await link(node, target.node);
  assert.equal(await ask('disconnectnode', `["", ${second.outgoing.id + 100}]`), '-29 Node not found in connected nodes');
  assert.equal(await ask('disconnectnode', `["", ${second.outgoing.id}]`), 'null');
  assert.equal(node.peers.count, 0);
});

test('setban, listbanned, clearbanned', async () => {
  const target = await start();
  const { node, ask } = await start();
  await link(target.node, node);
  node.clock.setMockTime(1_600_000_000);
  assert.equal(await ask('setban', '["127.0.0.1", "forbid"]'), '-1 usage');
  assert.equal(await ask('setban', '["127.0.0.1", null]'), '-1 usage');
  assert.equal(await ask('setban', '["127.0.0.1", "add"]'), 'null');
  await until(() => node.peers.count === 0, 'the banned one to go');
  const entry = '{"address":"127.0.0.1/32","banned_until":1600086400,"ban_created":1600000000,"ban_reason":"manually added"}';
  assert.equal(await ask('listbanned', '[]'), `[${entry}]`);
  assert.equal(await ask('setban', '["127.0.0.1", "add"]'), '-23 Error: IP/Subnet already banned');
  assert.equal(await ask('setban', '["127.0.0.1/42", "add"]'), '-30 Error: Invalid IP/Subnet');
  assert.equal(await ask('setban', '["127.0.0.0/8", "add", 1700000000, true]'), 'null');
  assert.match(await ask('listbanned', '[]'), /"127\.0\.0\.0\/8","banned_until":1700000000/);
  const unknown = '-30 Error: Unban failed. Requested address/subnet was not previously banned.';
  assert.equal(await ask('setban', '["127.0.0.2", "remove"]'), unknown);
  assert.equal(await ask('setban', '["127.0.0.0/8", "remove"]'), 'null');
  assert.equal(await ask('clearbanned', '[]'), 'null');
  assert.equal(await ask('listbanned', '[]'), '[]');
});

test('bans that the operator changes are on disk when the answer is sent', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-bans-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const { ask } = await start({ directory });
  const stored = () =>
    (JSON.parse(readFileSync(join(directory, 'banlist.json'), 'utf8')) as { address: string }[]).map(({ address }) => address);
  await ask('setban', '["1.2.3.4", "add"]');
  assert.deepEqual(stored(), ['1.2.3.4/32']);
  await ask('setban', '["5.0.0.0/8", "add", 1000]');
  assert.deepEqual(stored(), ['1.2.3.4/32', '5.0.0.0/8']);
  await ask('setban', '["1.2.3.4", "remove"]');
  assert.deepEqual(stored(), ['5.0.0.0/8']);
  await ask('clearbanned', '[]');
  assert.deepEqual(stored(), []);
});

test('setnetworkactive, getnodeaddresses', async () => {
  const target = await start();
  const { node, ask } = await start();
  await link(node, target.node);
  assert.equal(await ask('setnetworkactive', '[false]'), 'false');
  assert.equal(await ask('getconnectioncount', '[]'), '0');
  assert.equal(await ask('setnetworkactive', '[true]'), 'true');
  assert.equal(await ask('getnodeaddresses', '[0]'), '-8 Address count out of range');
  assert.equal(await ask('getnodeaddresses', '[-1]'), '-8 Address count out of range');
  assert.equal(await ask('getnodeaddresses', '[]'), '[]');
  const time = node.clock.seconds() - 100;
  const told = Array.from({ length: 10 }, (_, i) => ({ ...parseEndpoint(`${60 + i}.1.1.1`, 8555), services: 9n, time }));
  node.peers.book.add(told as never, hash(1).subarray(0, 16));
  const two = JSON.parse(await ask('getnodeaddresses', '[10]')) as Record<string, unknown>[];
  assert.equal(two.length, 2, '23 % of ten');
  assert.deepEqual([two[0]?.time, two[0]?.services, two[0]?.port], [time, 9, 8555]);
  assert.equal(JSON.parse(await ask('getnodeaddresses', '[1]')).length, 1);
});
