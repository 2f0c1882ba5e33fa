import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowList } from '../../../src/gateway/allow-list.js';

const cases: { name: string; specs: string[]; address: string | undefined; allowed: boolean }[] = [
  { name: 'loopback needs no entry', specs: [], address: '127.0.0.1', allowed: true },
  { name: 'all of 127/8 is loopback', specs: [], address: '127.255.255.254', allowed: true },
  { name: 'just above 127/8', specs: [], address: '128.0.0.0', allowed: false },
  { name: 'just below 127/8', specs: [], address: '126.255.255.255', allowed: false },
  { name: 'IPv6 loopback', specs: [], address: '::1', allowed: true },
  { name: 'another IPv6 address', specs: [], address: '::2', allowed: false },
  { name: 'IPv4 loopback mapped into IPv6', specs: [], address: '::ffff:127.0.0.1', allowed: true },
  { name: 'a single address', specs: ['10.0.0.7'], address: '10.0.0.7', allowed: true },
  { name: 'its neighbour', specs: ['10.0.0.7'], address: '10.0.0.8', allowed: false },
  { name: 'mapped client of an IPv4 entry', specs: ['10.0.0.7'], address: '::ffff:10.0.0.7', allowed: true },
  { name: 'CIDR, first address', specs: ['192.168.4.0/22'], address: '192.168.4.0', allowed: true },
  { name: 'CIDR, last address', specs: ['192.168.4.0/22'], address: '192.168.7.255', allowed: true },
  { name: 'CIDR, one above', specs: ['192.168.4.0/22'], address: '192.168.8.0', allowed: false },
  { name: 'CIDR with host bits set', specs: ['192.168.5.9/22'], address: '192.168.4.1', allowed: true },
  { name: 'netmask', specs: ['1.2.3.4/255.255.255.0'], address: '1.2.3.250', allowed: true },
  { name: 'netmask, outside', specs: ['1.2.3.4/255.255.255.0'], address: '1.2.4.4', allowed: false },
  { name: 'netmask with a gap', specs: ['1.2.3.4/255.0.255.255'], address: '1.9.3.4', allowed: true },
  { name: 'netmask with a gap, outside', specs: ['1.2.3.4/255.0.255.255'], address: '1.9.3.5', allowed: false },
  { name: 'everything IPv4', specs: ['0.0.0.0/0'], address: '203.0.113.9', allowed: true },
  { name: 'everything IPv4 does not mean IPv6', specs: ['0.0.0.0/0'], address: '2001:db8::1', allowed: false },
  { name: 'everything IPv6', specs: ['::/0'], address: '2001:db8::1', allowed: true },
  { name: 'IPv6 CIDR', specs: ['2001:db8:a::/48'], address: '2001:db8:a:ffff::1', allowed: true },
  { name: 'IPv6 CIDR, outside', specs: ['2001:db8:a::/48'], address: '2001:db8:b::1', allowed: false },
  { name: 'link-local client with a zone', specs: ['fe80::/10'], address: 'fe80::1%eth0', allowed: true },
  { name: 'a closed connection', specs: ['0.0.0.0/0'], address: undefined, allowed: false },
];
for (const c of cases) test(`AllowList: ${c.name}`, () => assert.equal(new AllowList(c.specs).allows(c.address), c.allowed));

for (const spec of ['', 'example.org', '1.2.3', '1.2.3.4/33', '1.2.3.4/', '::1/129', '1.2.3.4/::', '::1/255.0.0.0', '1.2.3.4/-1']) {
  test(`AllowList rejects ${JSON.stringify(spec)}`, () => {
    const message = `Invalid -rpcallowip subnet specification: ${spec}. Valid are a single IP (e.g. 1.2.3.4), a network/netmask (e.g. 1.2.3.4/255.255.255.0) or a network/CIDR (e.g. 1.2.3.4/24).`;
    assert.throws(() => new AllowList([spec]), { message });
  });
}

test('AllowList: IPv6 in brackets, as in -rpcbind', () => {
  const list = new AllowList(['[2001:db8::1]', '[2001:db8:1::]/48']);
  assert.deepEqual(
    ['2001:db8::1', '2001:db8:1::7', '2001:db8::2'].map((address) => list.allows(address)),
    [true, true, false],
  );
  assert.throws(() => new AllowList(['[::1']));
});
