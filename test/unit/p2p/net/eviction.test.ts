import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseEvicted } from '../../../../src/p2p/net/eviction.js';
import { fakeAt } from '../fake-peer.js';

test('eviction: few peers are all protected; otherwise the youngest of the largest group is evicted', () => {
  const group = () => 0;
  const many = Array.from({ length: 20 }, (_, i) => fakeAt(`${20 + i}.1.1.1`, { connectedMs: i }).peer);
  assert.equal(chooseEvicted(many, group), undefined, '4 by group, 8 by ping, 4 by transactions, 4 by blocks');
  const attackers = Array.from({ length: 20 }, (_, i) => fakeAt(`66.66.1.${i}`, { connectedMs: 1000 + i }).peer);
  for (const peer of many) Object.assign(peer, { lastBlockMs: 5, lastTransactionMs: 5 });
  for (const peer of many) peer.latency.lowest = 10;
  const chosen = chooseEvicted([...many, ...attackers], (name) => (name.startsWith('4:66') ? 1 : 0));
  assert.equal(chosen, attackers.at(-1));
});

test('eviction: of the peers that are not protected, banned ones come first', () => {
  const peers = Array.from({ length: 60 }, (_, i) => fakeAt(`${20 + i}.1.1.1`, { connectedMs: i }).peer);
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
  const outbound = Array.from({ length: 40 }, (_, i) => fakeAt(`66.66.1.${i}`, { kind: 'outbound' }).peer);
  assert.equal(
    chooseEvicted(outbound, () => 0),
    undefined,
  );
});
