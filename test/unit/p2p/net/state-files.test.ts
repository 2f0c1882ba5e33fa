import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Bans } from '../../../../src/p2p/addresses/bans.js';
import { parseSubnet } from '../../../../src/p2p/addresses/subnet.js';
import { Maintenance, type MaintenanceDeps } from '../../../../src/p2p/net/maintenance.js';
import { StateFiles } from '../../../../src/p2p/net/state-files.js';
import { silentLogger } from '../../../../src/util/logger.js';

const NOW = 1_700_000_000;
const newBans = () => new Bans(1_000, () => NOW);

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'dfi-bans-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('bans that could not be saved are saved as soon as they can be, and the failure is reported once', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const directory = join(folder(t), 'network');
  const files = new StateFiles(directory, silentLogger);
  const bans = newBans();
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (text: string) => warnings.push(text) };
  const maintenance = new Maintenance(60, { table: { all: () => [] }, bans, files, log, monotonic: () => 0 } as unknown as MaintenanceDeps);
  maintenance.start();
  bans.ban(parseSubnet('1.2.3.4') ?? assert.fail(), 'manually added');
  maintenance.saveBans();
  t.mock.timers.tick(3_000);
  assert.ok(bans.changed);
  assert.deepEqual(warnings, ['failed to save addresses and bans']);
  mkdirSync(directory);
  t.mock.timers.tick(1_000);
  assert.ok(!bans.changed);
  const restored = newBans();
  files.readBans(restored);
  assert.deepEqual(restored.list(), bans.list());
  assert.deepEqual(readdirSync(directory), ['banlist.json']);
});

test('bans for misbehaviour are saved once a minute', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const bans = newBans();
  let writes = 0;
  const writeBans = () => {
    bans.noteStored();
    writes += 1;
  };
  const files = { writeBans };
  const parts = { table: { all: () => [] }, bans, files, log: silentLogger, monotonic: () => 0 };
  new Maintenance(60, parts as unknown as MaintenanceDeps).start();
  for (let second = 1; second <= 120; second++) {
    bans.ban(parseSubnet(`1.2.3.${second}`) ?? assert.fail(), 'node misbehaving');
    t.mock.timers.tick(1_000);
    assert.equal(writes, Math.floor(second / 60));
  }
});

test('files with addresses and bans that are missing are no news; damaged ones are reported', (t) => {
  const directory = folder(t);
  const warnings: string[] = [];
  const files = new StateFiles(directory, { warn: (text) => warnings.push(text) });
  const read = () => {
    files.readBans(newBans());
    files.readAddresses();
    return warnings.splice(0);
  };
  assert.deepEqual(read(), []);
  for (const text of ['', '[{"address"', '\0\0', 'null', '7', '{}']) {
    for (const name of ['banlist.json', 'peers.json']) writeFileSync(join(directory, name), text);
    assert.deepEqual(read(), ['banlist.json is invalid; it is recreated', 'peers.json is invalid; it is recreated'], text);
  }
});
