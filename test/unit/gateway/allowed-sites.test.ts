import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowedSites } from '../../../src/gateway/allowed-sites.js';

const HOSTS = ['node.example', 'Gateway'];
const ORIGIN = 'http://127.0.0.1:5000';

const cases: { name: string; host?: string; origin?: string; refusal: 'host' | 'origin' | undefined }[] = [
  { name: 'an IPv4 address', host: '10.0.0.7:8554', refusal: undefined },
  { name: 'an IPv4 address without port', host: '127.0.0.1', refusal: undefined },
  { name: 'an IPv6 address', host: '[::1]:8554', refusal: undefined },
  { name: 'localhost', host: 'LocalHost:8554', refusal: undefined },
  { name: 'no host, as in HTTP/1.0', refusal: undefined },
  { name: 'a configured name', host: 'node.example:8554', refusal: undefined },
  { name: 'a configured name in another case', host: 'gateway', refusal: undefined },
  { name: 'a configured name with the root dot', host: 'node.example.:8554', refusal: undefined },
  { name: 'a foreign name', host: 'attacker.example:8554', refusal: 'host' },
  { name: 'a name that ends like a configured one', host: 'evil-node.example', refusal: 'host' },
  { name: 'a subdomain of localhost', host: 'x.localhost', refusal: 'host' },
  { name: 'a name that starts with an address', host: '127.0.0.1.attacker.example', refusal: 'host' },
  { name: 'an empty host', host: '', refusal: 'host' },
  { name: 'brackets around a name', host: '[attacker.example]', refusal: 'host' },
  { name: 'the configured origin', host: 'localhost', origin: ORIGIN, refusal: undefined },
  { name: 'the configured origin with another port', host: 'localhost', origin: 'http://127.0.0.1:5001', refusal: 'origin' },
  { name: 'the origin of the node itself', host: '10.0.0.7:8554', origin: 'http://10.0.0.7:8554', refusal: undefined },
  { name: 'the origin of the node itself over TLS', host: 'node.example', origin: 'https://node.example', refusal: undefined },
  { name: 'another port of the node', host: '10.0.0.7:8554', origin: 'http://10.0.0.7:80', refusal: 'origin' },
  { name: 'a foreign name that resolves to the node', host: 'evil.example:8554', origin: 'http://evil.example:8554', refusal: 'host' },
  { name: 'a foreign origin', host: 'localhost', origin: 'https://attacker.example', refusal: 'origin' },
  { name: 'an opaque origin', host: 'localhost', origin: 'null', refusal: 'origin' },
];
for (const { name, refusal, ...headers } of cases) {
  test(`AllowedSites: ${name}`, () => assert.equal(new AllowedSites(HOSTS, ORIGIN).refusal(headers), refusal));
}

test('AllowedSites: no origin unless configured, and any with *', () => {
  const headers = { host: 'localhost', origin: ORIGIN };
  assert.equal(new AllowedSites([], '').refusal(headers), 'origin');
  assert.equal(new AllowedSites([], '*').refusal(headers), undefined);
});

test('AllowedSites: an allowed host does not make another host allowed', () => {
  const sites = new AllowedSites(HOSTS, '');
  assert.deepEqual(
    ['localhost', 'attacker.example', 'localhost', 'node.example', 'attacker.example'].map((host) => sites.allowsHost(host)),
    [true, false, true, true, false],
  );
});
