import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Maintenance, type MaintenanceDeps } from '../../../../src/p2p/net/maintenance.js';
import { encodeFrame } from '../../../../src/p2p/wire/envelope.js';
import { until } from '../../../until.js';
import { params, RawPeer, startNode } from '../fixture.js';

test('inbound peers with the most unprocessed bytes are let go while those of all peers are too many', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const gone: string[] = [];
  const peerWith = (name: string, megabytes: number, { inbound = true, noban = false } = {}) => ({
    inbound,
    permissions: { has: (each: string) => noban && each === 'noban' },
    unprocessedBytes: megabytes * 1_000_000,
    disconnected: false,
    connectedMs: 0,
    disconnect() {
      this.disconnected = true;
      gone.push(name);
    },
  });
  const peers = [
    peerWith('outbound', 60, { inbound: false }),
    peerWith('noban', 60, { noban: true }),
    peerWith('small', 10),
    peerWith('large', 63),
    peerWith('medium', 50),
  ];
  const bans = { changed: false };
  const maintenance = new Maintenance(60, { table: { all: () => peers }, bans, monotonic: () => 0 } as unknown as MaintenanceDeps);
  maintenance.start();
  t.mock.timers.tick(1_000);
  assert.deepEqual(gone, [], '243 MB');
  peers.push(peerWith('fast', 62));
  t.mock.timers.tick(1_000);
  assert.deepEqual(gone, ['large'], '305 MB, 242 MB without the largest');
  peers.push(peerWith('others', 80));
  t.mock.timers.tick(1_000);
  assert.deepEqual(gone, ['large', 'others']);
});

test('bytes of an incomplete message count as unprocessed', async (t) => {
  const { peers, port } = await startNode();
  t.after(() => peers.stop());
  const sender = await RawPeer.connect(port);
  t.after(() => sender.close());
  const frame = encodeFrame(params.p2pMagic, 'block', new Uint8Array(3_000_000));
  sender.sendBytes(frame.subarray(0, 2_000_000));
  await until(() => (peers.all()[0]?.unprocessedBytes ?? 0) > 1_900_000, 'two megabytes');
});
