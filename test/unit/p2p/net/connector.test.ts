import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { Bans } from '../../../../src/p2p/addresses/bans.js';
import { Connector } from '../../../../src/p2p/net/connector.js';
import { PeerTable } from '../../../../src/p2p/net/peer-table.js';
import type { Endpoint } from '../../../../src/p2p/wire/net-address.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { endpointOf, fakeAt } from '../fake-peer.js';

const NOW = 1_700_000_000;

test('connector: failures of automatic connections count while two network groups are connected', async () => {
  const attempts: [string, boolean][] = [];
  const outbound = ['60.1.1.1', '60.1.1.2'].map((address) => fakeAt(address, { kind: 'outbound' }).peer);
  const table = new PeerTable();
  for (const peer of outbound) table.add({ peer });
  for (let i = 0; i < 3; i++) table.add(fakeAt(`${70 + i}.1.1.1`, { kind: 'manual' }));
  const connector = new Connector(
    { timeoutMs: 1000, defaultPort: 1, countFailuresFrom: 2 },
    {
      table,
      book: { markAttempt: ({ ip }: Endpoint, counts: boolean) => void attempts.push([ip.subarray(12).join('.'), counts]) } as AddressBook,
      bans: new Bans(1, () => NOW),
      networks: { routeTo: () => ({ via: 'direct', endpoint: endpointOf('127.0.0.1:1') }), resolvesByProxy: false },
      active: () => true,
      log: silentLogger,
      resolve: async () => [],
      random: () => 0,
      stopping: new AbortController().signal,
      adopt: () => assert.fail(),
    },
  );
  await connector.toAddress(endpointOf('80.1.1.1'), 'outbound');
  table.add(fakeAt('61.1.1.1', { kind: 'outbound' }));
  await connector.toAddress(endpointOf('80.1.1.1'), 'outbound');
  await connector.toAddress(endpointOf('81.1.1.1'), 'feeler');
  await connector.toNode('82.1.1.1', 'manual');
  assert.deepEqual(attempts, [
    ['80.1.1.1', false],
    ['80.1.1.1', true],
    ['81.1.1.1', true],
    ['82.1.1.1', false],
  ]);
});
