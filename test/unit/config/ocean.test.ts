import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../src/config/errors.js';
import { loadConfig } from '../../../src/config/load.js';

function configOf(...argv: string[]) {
  const loaded = loadConfig({ argv: ['-regtest', ...argv], env: {} });
  assert.ok(loaded.action === 'run');
  return loaded.config;
}

test('Ocean is neither indexed nor served by default', () => {
  const { ocean, chain } = configOf('-txindex=0');
  assert.deepEqual([ocean.index, ocean.server, chain.txIndex], [false, undefined, false]);
});

test('-oceanarchive and its old name keep the index, which needs that of transactions', () => {
  for (const option of ['-oceanarchive', '-expr-oceanarchive']) {
    const { ocean, chain } = configOf(option, '-txindex=0');
    assert.deepEqual([ocean.index, ocean.server, chain.txIndex], [true, undefined, true], option);
  }
});

test('-oceanarchiveserver serves port 3002, or another one that is then needed', () => {
  assert.deepEqual(configOf('-oceanarchiveserver').ocean.server, { port: 3002, bind: [], optional: true });
  const given = configOf('-oceanarchiveserver', '-oceanarchiveport=4000', '-oceanarchivebind=0.0.0.0');
  assert.deepEqual(given.ocean.server, { port: 4000, bind: ['0.0.0.0'], optional: false });
  assert.equal(configOf('-oceanarchiveserver', '-oceanarchiveport=-1').ocean.server, undefined);
});

test('a wrong port, and pruning together with the index, are refused', () => {
  assert.throws(() => configOf('-oceanarchiveserver', '-oceanarchiveport=70000'), {
    name: ConfigError.name,
    message: "Invalid port specified in -oceanarchiveport: '70000'",
  });
  assert.throws(() => configOf('-oceanarchive', '-txindex=0', '-prune=550'), { message: 'Prune mode is incompatible with -oceanarchive.' });
});
