import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { observePeers } from '../../../../src/metrics/peers.js';

test('metrics of the peers', async () => {
  const registry = new Registry();
  const totals = { received: 70, sent: 30 };
  observePeers(registry, {
    count: 5,
    countInbound: () => 2,
    totals,
    bans: { size: 1 },
    book: { size: 9 },
    timeOffset: () => -3,
  });
  await registry.metrics();
  totals.received = 75;
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(lines, [
    'dfi_peers{direction="inbound"} 2',
    'dfi_peers{direction="outbound"} 3',
    'dfi_peer_bytes_total{direction="received"} 75',
    'dfi_peer_bytes_total{direction="sent"} 30',
    'dfi_peer_bans 1',
    'dfi_peer_addresses 9',
    'dfi_peer_time_offset_seconds -3',
  ]);
});
