import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObservedChain, observeChain } from '../../../src/metrics/chain.js';
import { observeIndexes } from '../../../src/metrics/indexes.js';
import { oceanMetrics } from '../../../src/metrics/ocean.js';
import { createRegistry, Registry } from '../../../src/metrics/registry.js';
import { rpcMetrics } from '../../../src/metrics/rpc.js';

function fakeChain(): ObservedChain & { emit(name: string): void } {
  const listeners = new Map<string, () => void>();
  return {
    tip: { height: 7, time: 1_600_000_000 },
    bestHeader: { height: 9 },
    blockCache: { hits: 5, misses: 2, bytes: 4096 },
    fault: { kind: 'disk-full' },
    verificationProgress: () => 0.5,
    on(name, listener) {
      listeners.set(name, listener);
      return () => listeners.delete(name);
    },
    emit: (name) => listeners.get(name)?.(),
  };
}

test('metrics of the chain: values on scrape, reorganisations by events', async () => {
  const registry = new Registry();
  const chain = fakeChain();
  const metrics = observeChain(registry, chain);
  chain.emit('tip');
  for (const name of ['disconnected', 'disconnected', 'tip', 'tip', 'disconnected', 'tip']) chain.emit(name);
  metrics.connected('check', 0.002);
  metrics.stop();
  chain.emit('disconnected');
  const text = await registry.metrics();
  for (const line of [
    'dfi_chain_height 7',
    'dfi_chain_headers 9',
    'dfi_block_cache_lookups_total{result="hit"} 5',
    'dfi_block_cache_lookups_total{result="miss"} 2',
    'dfi_block_cache_bytes 4096',
    'dfi_chain_halted{kind="disk-full"} 1',
    'dfi_chain_halted{kind="internal"} 0',
    'dfi_chain_tip_timestamp_seconds 1600000000',
    'dfi_sync_progress_ratio 0.5',
    'dfi_chain_reorgs_total 2',
    'dfi_chain_reorg_depth_sum 3',
    'dfi_block_connect_seconds_count{stage="check"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  }
});

test('metrics of calls', async () => {
  const registry = new Registry();
  const metrics = rpcMetrics(registry, () => 3);
  metrics.finished('grpc', 'getblock', 'OK', 0.003);
  metrics.finished('grpc', 'getblock', 'NOT_FOUND', 0.003);
  metrics.rejected('unauthenticated');
  const text = await registry.metrics();
  for (const line of [
    'dfi_rpc_requests_total{transport="grpc",method="getblock",code="OK"} 1',
    'dfi_rpc_requests_total{transport="grpc",method="getblock",code="NOT_FOUND"} 1',
    'dfi_rpc_duration_seconds_count{transport="grpc"} 2',
    'dfi_rpc_duration_seconds_sum{transport="grpc"} 0.006',
    'dfi_rpc_duration_seconds_bucket{le="0.0025",transport="grpc"} 0',
    'dfi_rpc_duration_seconds_bucket{le="0.005",transport="grpc"} 2',
    'dfi_rpc_duration_seconds_bucket{le="+Inf",transport="grpc"} 2',
    'dfi_rpc_in_flight 3',
    'dfi_rpc_rejected_total{reason="unauthenticated"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  }
});

test('metrics of calls keep counting between two scrapes', async () => {
  const registry = new Registry();
  const metrics = rpcMetrics(registry, () => 0);
  for (const code of ['OK', 'OK', 'NOT_FOUND']) {
    metrics.finished('jsonrpc', 'getblock', code, 100);
    await registry.metrics();
  }
  const text = await registry.metrics();
  for (const line of [
    'dfi_rpc_requests_total{transport="jsonrpc",method="getblock",code="OK"} 2',
    'dfi_rpc_requests_total{transport="jsonrpc",method="getblock",code="NOT_FOUND"} 1',
    'dfi_rpc_duration_seconds_bucket{le="30",transport="jsonrpc"} 0',
    'dfi_rpc_duration_seconds_bucket{le="+Inf",transport="jsonrpc"} 3',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  }
});

test('all names have the prefix, counters end in _total, and times and sizes name their unit', async () => {
  const registry = createRegistry({ version: '1.2.3', nativeEcdsa: true });
  rpcMetrics(registry, () => 0);
  observeChain(registry, fakeChain());
  const all = await registry.getMetricsAsJSON();
  assert.ok(all.length > 20);
  for (const { name, help, type } of all) {
    assert.match(name, /^dfi_[a-z0-9_]+$/);
    assert.notEqual(help, '');
    if (String(type) === 'counter') assert.match(name, /_total$/);
  }
  const text = await registry.metrics();
  assert.match(text, /dfi_build_info\{version="1\.2\.3",node="v\d+/);
  assert.match(text, /^dfi_ecdsa_native 1$/m);
  assert.match(text, /^dfi_nodejs_eventloop_lag_p99_seconds /m);
});

test('metrics of indexes and of Ocean', async () => {
  const registry = new Registry();
  const behind = { position: { height: 7 } as { height: number } | undefined };
  observeIndexes(
    registry,
    new Map([
      ['txindex', behind],
      ['oceanarchive', { position: undefined }],
    ]),
  );
  const ocean = oceanMetrics(registry);
  ocean.answered('blocks/{id}', 200, 0.002);
  ocean.answered('blocks/{id}', 404, 3);
  await registry.metrics();
  behind.position = { height: 8 };
  const text = await registry.metrics();
  for (const line of [
    'dfi_index_height{index="txindex"} 8',
    'dfi_index_height{index="oceanarchive"} -1',
    'dfi_ocean_requests_total{endpoint="blocks/{id}",status="200"} 1',
    'dfi_ocean_requests_total{endpoint="blocks/{id}",status="404"} 1',
    'dfi_ocean_duration_seconds_bucket{le="0.0025",endpoint="blocks/{id}"} 1',
    'dfi_ocean_duration_seconds_sum{endpoint="blocks/{id}"} 3.002',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  }
});
