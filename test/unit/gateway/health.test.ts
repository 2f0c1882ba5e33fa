import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defidLivez, defidReadyz, livez, type NodeHealth, readyz, startupz } from '../../../src/gateway/health.js';

const well: NodeHealth = {
  warmup: undefined,
  synced: true,
  p2p: true,
  activePeers: 5,
  neededPeers: 1,
  diskFull: false,
  halted: undefined,
  damage: undefined,
  stopping: false,
};

const cases = [
  { name: 'defid livez, started', probe: defidLivez(well), ok: true, report: 'startup: ok\nlivez check passed\n' },
  {
    name: 'defid livez, warming up',
    probe: defidLivez({ ...well, warmup: 'Loading block index...' }),
    ok: false,
    report: 'startup failed: rpc in warm up\nlivez check failed\n',
  },
  {
    name: 'defid readyz, five peers',
    probe: defidReadyz(well),
    ok: true,
    report: 'startup: ok\nsync to tip: ok\np2p check: ok\nhealthz check passed\n',
  },
  {
    name: 'defid readyz, four peers',
    probe: defidReadyz({ ...well, activePeers: 4 }),
    ok: false,
    report: 'startup: ok\nsync to tip: ok\np2p check failed: insufficent active peers\nhealthz check failed\n',
  },
  {
    name: 'defid readyz, behind and alone',
    probe: defidReadyz({ ...well, synced: false, p2p: false, activePeers: 0 }),
    ok: false,
    report:
      'startup: ok\nsync to tip failed: chain height less than header height\n' +
      'p2p check failed: p2p functionality missing or disabled\nhealthz check failed\n',
  },
  { name: 'livez while everything else fails', probe: livez(), ok: true, report: 'livez check passed\n' },
  { name: 'readyz with one peer', probe: readyz({ ...well, activePeers: 1 }), ok: true, report: /readyz check passed\n$/ },
  {
    name: 'readyz without the needed peer',
    probe: readyz({ ...well, activePeers: 0 }),
    ok: false,
    report: /p2p check failed: 0 of 1 peers/,
  },
  { name: 'readyz where no peer is needed', probe: readyz({ ...well, activePeers: 0, neededPeers: 0 }), ok: true, report: /p2p check: ok/ },
  { name: 'readyz with a full disk', probe: readyz({ ...well, diskFull: true }), ok: false, report: /disk failed: disk full/ },
  {
    name: 'readyz after an internal fault',
    probe: readyz({ ...well, halted: 'Internal error while connecting block 00\nat height 5' }),
    ok: false,
    report: /disk: ok\nblock processing failed: Internal error while connecting block 00 at height 5\nshutdown: ok/,
  },
  {
    name: 'readyz with a damaged block',
    probe: readyz({ ...well, damage: 'the stored block 00 at height 5 is damaged' }),
    ok: false,
    report: /p2p check: ok\nstored blocks failed: the stored block 00 at height 5 is damaged\ndisk: ok/,
  },
  { name: 'readyz while stopping', probe: readyz({ ...well, stopping: true }), ok: false, report: /shutdown failed: shutting down/ },
  { name: 'startupz', probe: startupz({ ...well, synced: false }), ok: true, report: 'startup: ok\nstartupz check passed\n' },
];
for (const c of cases) {
  test(`health: ${c.name}`, () => {
    assert.equal(c.probe.ok, c.ok);
    if (typeof c.report === 'string') assert.equal(c.probe.report, c.report);
    else assert.match(c.probe.report, c.report);
  });
}
