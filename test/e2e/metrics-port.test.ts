import assert from 'node:assert/strict';
import { type RequestOptions, request } from 'node:http';
import { test } from 'node:test';
import type { NodeHealth } from '../../src/gateway/health.js';
import { MetricsPort } from '../../src/gateway/metrics-port.js';
import { createRegistry } from '../../src/metrics/registry.js';
import { silentLogger } from '../../src/util/logger.js';
import { startGateway } from './gateway-fixture.js';

const well: NodeHealth = {
  warmup: undefined,
  synced: true,
  p2p: true,
  activePeers: 0,
  neededPeers: 0,
  diskFull: false,
  halted: undefined,
  damage: undefined,
  stopping: false,
};

test('metrics port: metrics and probes, nothing else', async (t) => {
  let health = well;
  const registry = createRegistry({ version: '1.2.3', nativeEcdsa: true });
  const port = new MetricsPort({ bind: [], port: 0, allowIp: [], allowHosts: [] }, { registry, health: () => health, log: silentLogger });
  const [endpoint] = await port.start();
  t.after(() => port.stop());
  assert.equal(endpoint?.host, '127.0.0.1');
  const get = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${endpoint?.port}${path}`, { method });
    return [answer.status, await answer.text()] as const;
  };
  const [status, text] = await get('/metrics');
  assert.equal(status, 200);
  assert.match(text, /^dfi_build_info\{version="1\.2\.3",node="v\d/m);
  assert.match(text, /^dfi_nodejs_eventloop_lag_p99_seconds /m);
  assert.deepEqual(await get('/livez'), [200, '']);
  assert.deepEqual(await get('/livez?verbose'), [200, 'livez check passed\n']);
  assert.deepEqual(await get('/startupz?verbose'), [200, 'startup: ok\nstartupz check passed\n']);
  assert.equal((await get('/readyz'))[0], 200);
  health = { ...well, warmup: 'Loading block index...', synced: false };
  assert.deepEqual(await get('/livez'), [200, '']);
  assert.deepEqual(await get('/startupz?verbose'), [503, 'startup failed: rpc in warm up\nstartupz check failed\n']);
  const [ready, report] = await get('/readyz?verbose');
  assert.equal(ready, 503);
  assert.match(report, /^sync to tip failed: chain height less than header height$/m);
  assert.deepEqual(await get('/'), [404, '']);
  assert.deepEqual(await get('/metrics', 'POST'), [405, '']);
});

test('metrics port: requests of foreign pages are refused', async (t) => {
  const registry = createRegistry({ version: '1.2.3', nativeEcdsa: true });
  const port = new MetricsPort(
    { bind: [], port: 0, allowIp: [], allowHosts: ['node'] },
    { registry, health: () => well, log: silentLogger },
  );
  const [endpoint] = await port.start();
  t.after(() => port.stop());
  const get = (path: string, headers: Record<string, string>) => statusOf({ port: endpoint?.port, path, headers });
  assert.equal(await get('/metrics', { host: 'attacker.example:8552' }), 403);
  assert.equal(await get('/metrics', { origin: 'http://attacker.example' }), 403);
  assert.equal(await get('/metrics', { host: 'node:8552' }), 200);
  assert.equal(await get('/livez', { host: 'attacker.example' }), 200);
});

function statusOf(asked: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', agent: false, ...asked }, (res) => {
      res.resume();
      resolve(res.statusCode);
    });
    req.on('error', reject).end();
  });
}

test('gateway: /livez and /readyz on the RPC port, unless switched off', async (t) => {
  const on = await startGateway(t, {}, {}, { health: () => ({ ...well, activePeers: 5 }) });
  const get = (path: string) => on.ask(path, { method: 'GET', auth: null }).then(({ status, body }) => [status, body]);
  assert.deepEqual(await get('/livez'), [200, '']);
  assert.deepEqual(await get('/livez?verbose'), [200, 'startup: ok\nlivez check passed\n']);
  assert.deepEqual(await get('/readyz?verbose'), [200, 'startup: ok\nsync to tip: ok\np2p check: ok\nhealthz check passed\n']);
  const off = await startGateway(t, {}, { healthEndpoints: false }, { health: () => well });
  assert.equal((await off.ask('/livez', { method: 'GET', auth: null })).status, 404);
});
