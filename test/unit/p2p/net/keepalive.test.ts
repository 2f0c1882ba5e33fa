import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pingIfDue, timeoutOf } from '../../../../src/p2p/net/keepalive.js';
import { fakeAt } from '../fake-peer.js';

test('timeouts: both sides of each limit', () => {
  const { peer } = fakeAt('1.2.3.4', { connectedMs: 1000 });
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
  const { peer, sent } = fakeAt('1.2.3.4');
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
