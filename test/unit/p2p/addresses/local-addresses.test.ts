import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { externalEndpoint, LOCAL_SCORE, LocalAddresses } from '../../../../src/p2p/addresses/local-addresses.js';

const IP = parseIp('203.0.114.9') as Ip;
const PRIVATE = parseIp('10.0.0.1') as Ip;

test('every port of our addresses is ours', () => {
  const local = new LocalAddresses();
  local.add({ ip: IP, port: 8555 }, LOCAL_SCORE.interface);
  assert.deepEqual([local.isOurs({ ip: IP, port: 1 }), local.isOurs({ ip: PRIVATE, port: 8555 })], [true, false]);
});

test('the number of changes follows what is shown', () => {
  const local = new LocalAddresses();
  const changing: readonly (() => void)[] = [
    () => local.add({ ip: IP, port: 8555 }, LOCAL_SCORE.interface),
    () => local.add({ ip: IP, port: 8555 }, LOCAL_SCORE.manual),
    () => local.seen(IP),
    () => local.setOnion(`${'a'.repeat(56)}.onion`, 8555),
    () => local.clearOnion(),
  ];
  for (const change of changing) {
    const before = { changes: local.changes, shown: JSON.stringify(local.shown()) };
    change();
    assert.ok(local.changes > before.changes);
    assert.notEqual(JSON.stringify(local.shown()), before.shown);
  }
  const { changes } = local;
  local.add({ ip: PRIVATE, port: 8555 }, LOCAL_SCORE.manual);
  local.seen(PRIVATE);
  assert.equal(local.changes, changes, 'addresses that are not ours change nothing');
});

test('addresses are in the order of their bytes, with the port of the last origin of no lower score', () => {
  const local = new LocalAddresses();
  const lower = parseIp('8.8.8.8') as Ip;
  local.add({ ip: IP, port: 1 }, LOCAL_SCORE.manual);
  local.add({ ip: lower, port: 2 }, LOCAL_SCORE.manual);
  local.add({ ip: IP, port: 3 }, LOCAL_SCORE.manual);
  local.add({ ip: IP, port: 4 }, LOCAL_SCORE.interface);
  assert.deepEqual(local.list(), [
    { ip: lower, port: 2, score: 4 },
    { ip: IP, port: 3, score: 5 },
  ]);
});

test('addresses of -bind are advertised with their ports, but not one for peers with noban', () => {
  const local = new LocalAddresses();
  const lower = parseIp('8.8.8.8') as Ip;
  local.discover(8555, [
    { ip: IP, port: 9, grant: undefined },
    { ip: PRIVATE, port: 9, grant: undefined },
    { ip: lower, port: 9, grant: { named: new Set(['noban']) } },
  ]);
  const bound = local.list().filter(({ port }) => port === 9);
  assert.deepEqual(bound, [{ ip: IP, port: 9, score: LOCAL_SCORE.bind }]);
});

test('-externalip: addresses and names, with the port of -port unless they have one', async () => {
  const resolve = async (host: string) => (host === 'node.example' ? [IP] : host === 'nowhere.example' ? [parseIp('0.0.0.0') as Ip] : []);
  assert.deepEqual(await externalEndpoint('203.0.114.9:5', 8555, resolve), { ip: IP, port: 5 });
  assert.deepEqual(await externalEndpoint('node.example', 8555, resolve), { ip: IP, port: 8555 });
  assert.deepEqual(await externalEndpoint('10.0.0.1', 8555, resolve), { ip: PRIVATE, port: 8555 }, 'valid, but never advertised');
  for (const text of ['other.example', 'nowhere.example', '0.0.0.0', '255.255.255.255:1', '']) {
    await assert.rejects(externalEndpoint(text, 8555, resolve), { message: `Cannot resolve -externalip address: '${text}'` });
  }
});
