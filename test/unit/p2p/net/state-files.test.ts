import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { Bans } from '../../../../src/p2p/addresses/bans.js';
import { parseIp } from '../../../../src/p2p/addresses/ip.js';
import { parseSubnet } from '../../../../src/p2p/addresses/subnet.js';
import { Maintenance, type MaintenanceDeps } from '../../../../src/p2p/net/maintenance.js';
import { restoreAddresses, StateFiles } from '../../../../src/p2p/net/state-files.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { untilTurn } from '../../../until.js';

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

test('addresses are saved in slices every quarter of an hour, and at once by a stop', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const directory = folder(t);
  const path = join(directory, 'peers.json');
  const files = new StateFiles(directory, silentLogger);
  const book = new AddressBook({ key: new Uint8Array(32).fill(7), now: () => NOW, random: () => 0.5 });
  const source = parseIp('9.9.9.9') ?? assert.fail();
  const addresses = Array.from({ length: 200 }, (_, n) => ({
    ip: parseIp(`20.${n}.1.1`) ?? assert.fail(),
    port: 8555,
    services: 9n,
    time: NOW,
  }));
  book.add(addresses, source);
  const parts = { table: { all: () => [] }, bans: newBans(), book, files, log: silentLogger, monotonic: () => 0 };
  const maintenance = new Maintenance(60, parts as unknown as MaintenanceDeps);
  maintenance.start();
  let now = performance.now();
  t.mock.method(performance, 'now', () => now++);
  t.mock.timers.tick(900_000);
  assert.ok(!existsSync(path), 'not in the turn of the timer');
  await untilTurn(() => existsSync(path), 'the file');
  const restored = () => files.readAddresses();
  const saved = restored();
  assert.deepEqual([Buffer.from(saved.key), saved.addresses.length], [Buffer.from(book.key), book.size]);
  book.add([{ ip: parseIp('30.1.1.1') ?? assert.fail(), port: 8555, services: 9n, time: NOW }], source);
  maintenance.stop();
  assert.equal(restored().addresses.length, saved.addresses.length + 1);
  const again = new AddressBook({ key: book.key, now: () => NOW, random: () => 0.5 });
  restoreAddresses(again, restored().addresses);
  assert.ok(again.find({ ip: parseIp('30.1.1.1') ?? assert.fail(), port: 8555 }));
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
