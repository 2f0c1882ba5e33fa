import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bans } from '../../../../src/p2p/addresses/bans.js';
import { formatEndpoint, formatIp, type Ip, parseEndpoint, parseIp, socketIp, splitHostPort } from '../../../../src/p2p/addresses/ip.js';
import { grantsFor, parseWhiteBind, parseWhitelist } from '../../../../src/p2p/addresses/permissions.js';
import { groupOf, isLocal, isRoutable, lookupSubnet } from '../../../../src/p2p/addresses/reachability.js';
import { formatSubnet, inSubnet, parseSubnet, type Subnet } from '../../../../src/p2p/addresses/subnet.js';
import { NetTotals } from '../../../../src/p2p/net/net-totals.js';
import { TimeOffset } from '../../../../src/p2p/net/time-offset.js';
import { INT64_MAX } from '../../../../src/util/numbers.js';
import { fc } from '../../../property.js';

function ip(text: string): Ip {
  const parsed = parseIp(text);
  assert.ok(parsed, text);
  return parsed;
}

function subnet(text: string): Subnet {
  const parsed = parseSubnet(text);
  assert.ok(parsed, text);
  return parsed;
}

test('addresses in text', () => {
  const same = ['1.2.3.4', '::1', '::', '2001:db8::1', 'fe80::1:0:0:1', '1:2:3:4:5:6:7:8', '2a00:1450:4001:0:1::'];
  for (const text of same) assert.equal(formatIp(ip(text)), text);
  assert.equal(formatIp(ip('2001:0DB8:0:0:0:0:0:1')), '2001:db8::1');
  assert.equal(formatIp(ip('::ffff:1.2.3.4')), '1.2.3.4');
  for (const text of ['', '1.2.3.256', '1..2', '08', '0x', '1.2.3.4.5', '4294967296', 'localhost', '1.2.3.4:80', 'fe80::1%eth0', ':::1'])
    assert.equal(parseIp(text), undefined);
});

test('addresses in the forms of the C library, which defid uses', () => {
  const cases: readonly [string, string][] = [
    ['1', '0.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['1.2.3', '1.2.0.3'],
    ['010.1.1.1', '8.1.1.1'],
    ['0xffffff00', '255.255.255.0'],
    ['[1.2.3.4]', '1.2.3.4'],
    ['::1:2', '::0.1.0.2'],
    ['::1.2.3.4', '::1.2.3.4'],
    ['::ffff:0:1.2.3.4', '::ffff:0:102:304'],
  ];
  for (const [text, expected] of cases) assert.equal(formatIp(ip(text)), expected, text);
  assert.deepEqual(socketIp('fe80::1%eth0'), ip('fe80::1'));
  assert.equal(socketIp(undefined), undefined);
});

test('property: 16 bytes survive their text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      assert.deepEqual(parseIp(formatIp(bytes)), bytes);
      assert.deepEqual(parseEndpoint(formatEndpoint({ ip: bytes, port: 99 }), 1), { ip: bytes, port: 99 });
    }),
  );
});

test('host and port', () => {
  assert.deepEqual(splitHostPort('seed.example:123'), { host: 'seed.example', port: 123 });
  assert.deepEqual(splitHostPort('seed.example:+0000123'), { host: 'seed.example', port: 123 });
  assert.deepEqual(splitHostPort('[::1]:123'), { host: '::1', port: 123 });
  assert.deepEqual(splitHostPort('[::1]'), { host: '::1', port: undefined });
  assert.deepEqual(splitHostPort('::1'), { host: '::1', port: undefined });
  assert.deepEqual(splitHostPort('1.2.3.4'), { host: '1.2.3.4', port: undefined });
  assert.deepEqual(splitHostPort('host:0'), { host: 'host:0', port: undefined });
  assert.deepEqual(splitHostPort('host:65536'), { host: 'host:65536', port: undefined });
});

test('routable addresses and network groups', () => {
  assert.ok(isLocal(ip('127.1.2.3')) && isLocal(ip('::1')) && !isLocal(ip('128.0.0.1')));
  assert.ok(
    isRoutable(ip('172.15.0.1')) && !isRoutable(ip('172.16.0.1')) && !isRoutable(ip('172.31.255.255')) && isRoutable(ip('172.32.0.0')),
  );
  assert.equal(groupOf(ip('1.2.3.4')), groupOf(ip('1.2.200.1')));
  assert.notEqual(groupOf(ip('1.2.3.4')), groupOf(ip('1.3.3.4')));
  assert.equal(groupOf(ip('127.0.0.1')), groupOf(ip('192.168.0.1')));
  assert.equal(groupOf(ip('2002:0102:0304::1')), groupOf(ip('1.2.9.9')));
  assert.equal(groupOf(ip('2a00:1450::1')), groupOf(ip('2a00:1450:ffff::1')));
  // Teredo has the address with all bits flipped, SIIT and NAT64 as it is.
  for (const text of ['2001::fefd:fcfb', '::ffff:0:102:304', '64:ff9b::1.2.3.4'])
    assert.equal(groupOf(ip(text)), groupOf(ip('1.2.9.9')), text);
  assert.equal(groupOf(ip('2001:470:1000::1')), groupOf(ip('2001:470:1fff::1')));
  assert.notEqual(groupOf(ip('2001:470:1000::1')), groupOf(ip('2001:470:2000::1')));
  const notRoutable = [
    'fd6b:88c0:8724::1',
    '2001:db8::1',
    '2001:20::1',
    '2001:2f:ffff::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    '::ff:ff00:0:0:1',
  ];
  for (const text of notRoutable) assert.equal(isRoutable(ip(text)), false, text);
  for (const text of ['2001:30::1', 'fe00::1', '2001:db9::1', '203.0.114.0', '9.255.255.255', '11.0.0.0'])
    assert.ok(isRoutable(ip(text)), text);
});

test('subnets', () => {
  const cases: readonly [string, string][] = [
    ['1.2.3.4', '1.2.3.4/32'],
    ['1.2.3.4/24', '1.2.3.0/24'],
    ['1.2.3.4/255.255.0.0', '1.2.0.0/16'],
    ['1.2.3.4/255.0.255.0', '1.0.3.0/255.0.255.0'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['2001:4d48:ac57:400:cacf:e9ff:fe1d:9c63/19', '2001:4000::/19'],
    ['::1', '::1/128'],
    ['1.2.3.5/+31', '1.2.3.4/31'],
    ['1.2.3.4/-0', '0.0.0.0/0'],
    ['1.2.3.4/08', '1.0.0.0/8'],
    ['1.2.3.4/0xffffff00', '1.2.3.0/24'],
    ['1.2.3.4/4294967040', '1.2.3.0/24'],
    ['1.2.3.4/::ffff:ffff:0', '1.2.0.0/16'],
    ['1::/255.255.0.0', '::/0:0:0:0:0:ffff:ffff:0'],
    ['1:2::/ffff:0:ffff::', '1::/ffff:0:ffff:0:0:0:0:0'],
  ];
  for (const [text, expected] of cases) assert.equal(formatSubnet(subnet(text)), expected);
  for (const text of ['127.0.0.1/42', '::1/129', '1.2.3.4/', '1.2.3.4/x', 'host/8', '1.2.3.4/-1'])
    assert.equal(parseSubnet(text), undefined);
  assert.ok(inSubnet(ip('1.2.3.255'), subnet('1.2.3.0/24')) && !inSubnet(ip('1.2.4.0'), subnet('1.2.3.0/24')));
  assert.ok(!inSubnet(ip('::1'), subnet('0.0.0.0/0')), 'an IPv4 range has no IPv6 address');
});

test('bans: times, order, and identity of subnets', () => {
  let now = 1000;
  const bans = new Bans(86_400, () => now);
  bans.ban(subnet('127.0.0.0/32'), 'manually added');
  bans.ban(subnet('127.0.0.0/24'), 'manually added');
  bans.ban(subnet('2001:4d48::/19'), 'node misbehaving', 1000n);
  bans.ban(subnet('192.168.0.1'), 'manually added', 1n);
  assert.deepEqual(
    bans.list().map((ban) => formatSubnet(ban.subnet)),
    ['127.0.0.0/24', '127.0.0.0/32', '192.168.0.1/32', '2001:4000::/19'],
  );
  assert.equal(bans.list()[0]?.until, 87_400n);
  assert.ok(bans.isBanned(ip('127.0.0.77')) && !bans.hasSubnet(subnet('127.0.0.77')));
  now = 1001;
  assert.ok(!bans.isBanned(ip('192.168.0.1')), 'over at its last second');
  now = 1003;
  assert.equal(bans.list().length, 3);
  bans.ban(subnet('2001:4d48::/19'), 'manually added', 10n);
  assert.equal(bans.list()[2]?.until, 2000n, 'a shorter ban shortens nothing');
  bans.banUntil(subnet('8.8.8.8'), 'manually added', 5000n);
  assert.equal(bans.list()[0]?.until, 5000n);
  const again = new Bans(1, () => now);
  again.restore([...bans.stored(), 1, null, { address: 'x', created: 1, until: 9999 }]);
  assert.equal(again.list().length, 4);
  assert.equal(again.unban(subnet('8.8.8.8')), true);
  assert.equal(again.unban(subnet('8.8.8.8')), false);
});

test('bans: of those for misbehaviour the latest are kept, of the others all', () => {
  let now = 1000;
  const bans = new Bans(86_400, () => now);
  const host = (n: number) => subnet(`20${n >> 16}:${(n & 0xffff).toString(16)}::1`);
  bans.ban(host(0), 'node misbehaving');
  bans.ban(subnet('2010::/16'), 'manually added');
  for (let n = 1; n <= 10_000; n++) bans.ban(host(n), 'node misbehaving');
  assert.equal(bans.size, 10_001);
  assert.deepEqual(
    [0, 1, 10_000].map((n) => bans.reasonFor(host(n).network)),
    [undefined, 'node misbehaving', 'node misbehaving'],
  );
  assert.equal(bans.reasonFor(ip('2010::2')), 'manually added');
  now = 2000;
  bans.ban(host(1), 'node misbehaving');
  const again = new Bans(1, () => now);
  again.restore(bans.stored());
  again.ban(host(0), 'node misbehaving');
  assert.deepEqual(
    [0, 1, 2].map((n) => again.isBanned(host(n).network)),
    [true, true, false],
    'a renewed ban is a late one',
  );
});

test('bans: that of the operator is named before others of an address', () => {
  const bans = new Bans(86_400, () => 1000);
  bans.ban(subnet('1.2.0.0/16'), 'node misbehaving');
  bans.ban(subnet('1.2.3.4'), 'node misbehaving');
  bans.ban(subnet('1.2.3.0/24'), 'manually added');
  bans.ban(subnet('1.2.4.4'), 'manually added');
  const reasons = ['1.2.3.4', '1.2.4.4', '1.2.5.5', '1.3.0.0'].map((text) => bans.reasonFor(ip(text)));
  assert.deepEqual(reasons, ['manually added', 'manually added', 'node misbehaving', undefined]);
  bans.unban(subnet('1.2.3.0/24'));
  assert.equal(bans.reasonFor(ip('1.2.3.4')), 'node misbehaving');
  bans.clear();
  assert.equal(bans.reasonFor(ip('1.2.5.5')), undefined);
});

test('bans: unknown reasons of the file, and those that another program wrote', () => {
  const reasonOf = (reason: unknown) => {
    const bans = new Bans(86_400, () => 1000);
    bans.restore([{ address: '1.2.3.4', created: 900, until: 2000, reason }]);
    return bans.reasonFor(ip('1.2.3.4'));
  };
  assert.deepEqual(['manually added', 'node misbehaving', 'unknown', 7, undefined].map(reasonOf), [
    'manually added',
    ...new Array<string>(4).fill('node misbehaving'),
  ]);
});

test('bans: an expired one can be removed until defid drops it', () => {
  let now = 1000;
  const bans = new Bans(86_400, () => now);
  bans.ban(subnet('1.1.1.1'), 'manually added', 1n);
  bans.ban(subnet('2.2.2.2'), 'manually added', 1n);
  now = 1005;
  assert.equal(bans.stored().length, 2, 'the file is written more often than that of defid, which drops expired bans with it');
  bans.ban(subnet('3.3.3.3'), 'node misbehaving');
  assert.equal(bans.unban(subnet('1.1.1.1')), true);
  assert.equal(bans.unban(subnet('2.2.2.2')), false, 'dropped with the removal before');
  bans.banUntil(subnet('4.4.4.4'), 'manually added', 500n);
  assert.equal(bans.unban(subnet('4.4.4.4')), false, 'a ban that ends in the past is dropped at once');
});

test('bans: times of 64 bits', () => {
  const bans = new Bans(86_400, () => 1000);
  bans.ban(subnet('1.1.1.1'), 'manually added', INT64_MAX);
  assert.deepEqual(bans.list(), [], 'a sum beyond 64 bits bans nothing');
  bans.banUntil(subnet('1.1.1.1'), 'manually added', INT64_MAX);
  assert.equal(bans.list()[0]?.until, INT64_MAX);
  const again = new Bans(1, () => 1000);
  again.restore(JSON.parse(JSON.stringify(bans.stored())));
  assert.equal(again.list()[0]?.until, INT64_MAX);
});

test('a single address of a ban or whitelist must be valid', () => {
  for (const text of ['0.0.0.0', '::', '255.255.255.255', '2001:db8::1']) assert.equal(lookupSubnet(text), undefined, text);
  assert.ok(lookupSubnet('0.0.0.0/0') && lookupSubnet('0.0.0.1'));
  assert.throws(() => parseWhitelist('noban@0.0.0.0'), /Invalid netmask specified in/);
});

test('permissions', () => {
  const legacy = { relay: true, forceRelay: false };
  const granted = (entry: string, defaults = legacy) => grantsFor(ip('1.2.3.4'), [parseWhitelist(entry)], undefined, defaults);
  assert.deepEqual(granted('1.2.3.4').names, ['noban', 'relay', 'mempool']);
  assert.equal(granted('1.2.3.4').whitelisted, true);
  assert.deepEqual(granted('1.2.3.0/24', { relay: false, forceRelay: false }).names, ['noban', 'mempool']);
  assert.deepEqual(granted('1.2.3.4', { relay: false, forceRelay: true }).names, ['noban', 'forcerelay', 'relay', 'mempool']);
  assert.deepEqual(granted('noban@1.2.3.4').names, ['noban']);
  assert.equal(granted('noban@1.2.3.4').whitelisted, false);
  assert.deepEqual(granted('all@1.2.3.4').names, ['bloomfilter', 'noban', 'forcerelay', 'relay', 'mempool']);
  assert.deepEqual(granted('noban@5.6.7.8').names, []);
  const both = grantsFor(ip('1.2.3.4'), [parseWhitelist('noban@1.2.3.4')], parseWhiteBind('bloomfilter,forcerelay@127.0.0.1:1'), legacy);
  assert.deepEqual(both.names, ['bloomfilter', 'noban', 'forcerelay', 'relay']);
  assert.throws(() => parseWhitelist('oopsie@127.0.0.1'), /Invalid P2P permission/);
  assert.throws(() => parseWhitelist('noban@127.0.0.1:230'), /Invalid netmask specified in/);
  assert.throws(() => parseWhiteBind('noban@127.0.0.1/10'), /Cannot resolve -whitebind address/);
  assert.throws(() => parseWhiteBind('noban@127.0.0.1'), /Need to specify a port/);
});

test('network time: the median of an odd number of clocks, five at least', () => {
  let warnings = 0;
  const time = new TimeOffset(4200, () => {
    warnings += 1;
  });
  for (const [address, offset] of [
    ['a', 10],
    ['b', 20],
    ['b', 9999],
    ['c', 30],
  ] as const)
    time.add(address, offset);
  assert.equal(time.seconds, 0);
  time.add('d', 40);
  assert.equal(time.seconds, 20, 'the median of 0 10 20 30 40');
  time.add('e', 1000);
  assert.equal(time.seconds, 20, 'an even number changes nothing');
  for (const offset of [2000, 3000, 4000]) time.add(`${offset}`, offset);
  assert.equal(time.seconds, 40, 'the median of nine');
  const crowded = new TimeOffset(4200, () => assert.fail());
  for (let peer = 0; peer < 200; peer++) crowded.add(`${peer}`, peer < 99 ? 10 : 20);
  assert.equal(crowded.seconds, 10, 'the 200th sample changes nothing');
  const wrong = new TimeOffset(4200, () => {
    warnings += 1;
  });
  for (const address of ['a', 'b', 'c', 'd', 'e', 'f']) wrong.add(address, 5000);
  assert.equal(wrong.seconds, 0);
  assert.equal(warnings, 1);
});

test('upload target: per day, with a reserve for new blocks', () => {
  let now = 1_000_000;
  const free = new NetTotals(0, () => now);
  free.addSent(5);
  assert.deepEqual([free.targetReached, free.servesHistoricalBlocks, free.bytesLeft, free.secondsLeft], [false, true, 0, 0]);
  const totals = new NetTotals(10_000_000_000, () => now);
  totals.addSent(1_000_000_000);
  // The reserve of a whole day is 144 blocks of 64 MB: 9,216,000,000 bytes.
  assert.deepEqual([totals.targetReached, totals.servesHistoricalBlocks], [false, false]);
  now += 43_200;
  assert.deepEqual([totals.servesHistoricalBlocks, totals.secondsLeft, totals.bytesLeft], [true, 43_200, 9_000_000_000]);
  totals.addSent(9_000_000_000);
  assert.equal(totals.targetReached, true);
  now += 43_201;
  totals.addSent(1);
  assert.deepEqual([totals.targetReached, totals.bytesLeft], [false, 9_999_999_999]);
});
