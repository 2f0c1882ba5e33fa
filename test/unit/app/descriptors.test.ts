import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descriptorLimit, httpConnections } from '../../../src/app/descriptors.js';
import type { Config } from '../../../src/config/config.js';
import { silentLogger } from '../../../src/util/logger.js';

const listening = { port: 0, bind: [], optional: true, allowIp: [], allowHosts: [] };
const config = {
  mode: 'node',
  p2p: { maxConnections: 125 },
  grpc: { ...listening, tls: undefined },
  metrics: listening,
} as unknown as Config;

/** 150 reserved, 1000 files of the store, 125 peers, 256 connections of gRPC with both ends of an inner one, 64 of metrics. */
const OTHERS = 2107;

const cases = [
  { name: 'no limit', limit: undefined, total: 1500, perAddress: 250, warnings: 0 },
  { name: 'enough', limit: OTHERS + 1500, total: 1500, perAddress: 250, warnings: 0 },
  { name: 'one too few', limit: OTHERS + 1499, total: 1499, perAddress: 375, warnings: 1 },
  { name: 'few', limit: OTHERS + 100, total: 100, perAddress: 25, warnings: 1 },
  { name: 'nearly none', limit: 200, total: 16, perAddress: 4, warnings: 1 },
];
for (const { name, limit, total, perAddress, warnings } of cases) {
  test(`httpConnections: ${name}`, () => {
    const lines: object[] = [];
    const log = { ...silentLogger, warn: (msg: string, fields?: object) => void lines.push({ msg, ...fields }) };
    assert.deepEqual(httpConnections(config, limit, log), { total, perAddress });
    assert.equal(lines.length, warnings);
    if (warnings > 0) {
      assert.deepEqual(lines, [
        { msg: 'Not enough file descriptors: HTTP connections are reduced', limit, needed: OTHERS + 1500, connections: total },
      ]);
    }
  });
}

test('httpConnections: a standalone gateway has neither database nor peers', () => {
  const gateway = { ...config, mode: 'gateway' } as Config;
  assert.equal(httpConnections(gateway, 1714, silentLogger).total, 1500);
  assert.equal(httpConnections(gateway, 1713, silentLogger).total, 1499);
});

test('descriptorLimit: a number if the system has a limit', () => {
  const limit = descriptorLimit();
  assert.ok(limit === undefined || (Number.isInteger(limit) && limit > 0));
});
