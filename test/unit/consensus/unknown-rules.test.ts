import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { ChainEvents } from '../../../src/chain/events.js';
import { StoredRules } from '../../../src/chain/stored-rules.js';
import { Warnings, warnOfUnknownRules } from '../../../src/chain/warnings.js';
import type { Ancestor } from '../../../src/consensus/ancestry.js';
import { UnknownRules } from '../../../src/consensus/unknown-rules.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Emitter } from '../../../src/util/events.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';
import { finish } from '../../../src/util/slicer.js';
import { until } from '../../until.js';
import { chainOf, repeat, SIGNAL, SILENT } from './version-chain.js';

const regtest = networkParams({ network: 'regtest' });
const STRANGE = 0x28000000;

const cases = [
  { name: 'the first window says nothing yet', versions: repeat(STRANGE, 144), status: 'started' },
  { name: '107 of 144', versions: [...repeat(SILENT, 144), ...repeat(STRANGE, 107), ...repeat(SILENT, 37)], status: 'started' },
  { name: '108 of 144', versions: [...repeat(SILENT, 144), ...repeat(STRANGE, 108), ...repeat(SILENT, 36)], status: 'locked_in' },
  { name: 'a window later', versions: [...repeat(SILENT, 144), ...repeat(STRANGE, 144), ...repeat(SILENT, 144)], status: 'active' },
  { name: 'without the top bits', versions: [...repeat(SILENT, 144), ...repeat(0x08000000, 144)], status: 'started' },
] as const;

for (const { name, versions, status } of cases) {
  test(`unknown rules: ${name}`, () => {
    const statuses = new UnknownRules(regtest).statuses(chainOf(versions));
    assert.equal(statuses[27], status);
    assert.equal(statuses.length, 29);
    assert.ok(statuses.every((each, bit) => bit === 27 || each === 'started'));
  });
}

test('unknown rules: signals for a known deployment while it is open do not count', () => {
  const known = [...repeat(SILENT, 144), ...repeat(SIGNAL, 288)];
  const rules = new UnknownRules(regtest);
  assert.equal(rules.statuses(chainOf(known))[28], 'started');
  // After activation a signal by the same bit means another deployment.
  assert.equal(rules.statuses(chainOf([...known, ...repeat(SIGNAL, 144)]))[28], 'locked_in');
});

test('unknown rules: reading all blocks in advance gives the same statuses', () => {
  for (const { versions, status } of cases) {
    const rules = new UnknownRules(regtest);
    const tip = chainOf(versions);
    finish(rules.readAll(tip));
    assert.equal(rules.statuses(tip)[27], status);
    assert.deepEqual(rules.statuses(tip), new UnknownRules(regtest).statuses(tip));
  }
});

test('unknown rules: reading all blocks in steps of several windows gives the same statuses', () => {
  const params = { ...regtest, bip9: { ...regtest.bip9, window: 10, threshold: 9 } };
  const run = fc.record({ version: fc.constantFrom(SILENT, STRANGE, SIGNAL, 0x20000003), blocks: fc.integer({ min: 1, max: 150 }) });
  const property = fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
    const tip = chainOf(
      runs.flatMap(({ version, blocks }) => repeat(version, blocks)),
      params,
    );
    const rules = new UnknownRules(params);
    const noted: number[] = [];
    finish(rules.readAll(tip, { note: ({ end }) => noted.push(end.height) }));
    assert.deepEqual(rules.statuses(tip), new UnknownRules(params).statuses(tip));
    assert.deepEqual(rules.lastWindow(tip)?.end.height, noted.at(-1));
  });
  fc.assert(property, { numRuns: 200, seed: 11 });
});

test('unknown rules: statuses of a window are cached', () => {
  const rules = new UnknownRules(regtest);
  const tip = chainOf([...repeat(SILENT, 144), ...repeat(STRANGE, 144), ...repeat(SILENT, 10)]);
  assert.equal(rules.statuses(tip)[27], 'locked_in');
  let looked = 0;
  const end = tip.ancestor(287) as Ancestor;
  Object.defineProperty(end, 'version', {
    get: () => {
      looked += 1;
      return SILENT;
    },
  });
  assert.equal(rules.statuses(tip)[27], 'locked_in');
  assert.equal(looked, 0);
});

test('unknown active rules cause a warning once the chain is in sync, and one alert', () => {
  const events = new Emitter<ChainEvents>();
  const versions = [...repeat(SILENT, 144), ...repeat(STRANGE | 1, 144), ...repeat(SILENT, 144)];
  const active = chainOf(versions) as BlockIndexEntry;
  const before = active.parent as BlockIndexEntry;
  let catchingUp = true;
  const chain = { tip: before, params: regtest, on: events.on.bind(events), isInitialDownload: () => catchingUp };
  const alerts: string[] = [];
  const logged: string[] = [];
  const log: Logger = { ...silentLogger, warn: (text) => void logged.push(text) };
  const warnings = new Warnings(log, (text) => alerts.push(text));
  warnOfUnknownRules(chain as Parameters<typeof warnOfUnknownRules>[0], warnings, new AbortController().signal);
  events.emit('tip', active);
  assert.equal(warnings.text, '');
  catchingUp = false;
  events.emit('tip', before);
  assert.equal(warnings.text, '');
  events.emit('tip', active);
  const text = (bit: number) => `Warning: unknown new rules activated (versionbit ${bit})`;
  assert.equal(warnings.text, text(27));
  events.emit('tip', active);
  assert.deepEqual(logged, [text(0), text(27)]);
  assert.deepEqual(alerts, [text(0)]);
});

/** Queries of a chain whose hashes follow from the versions of its blocks. */
function queriesOf(tip: Ancestor, params = regtest) {
  const entryAt = (height: number) => {
    const entry = tip.ancestor(height);
    return entry && (Object.assign(entry, { hash: new Uint8Array(32).fill(entry.version >>> 24) }) as BlockIndexEntry);
  };
  return { params, entryAt };
}

test('unknown rules: stored statuses spare the next start the blocks below, unless they do not hold', () => {
  const versions = [...repeat(SILENT, 144), ...repeat(STRANGE, 144), ...repeat(SILENT, 144 * 8)];
  const tip = chainOf(versions);
  const store = new MemoryStore();
  const open = (queries: ReturnType<typeof queriesOf>) => new StoredRules(store, queries);
  const rules = new UnknownRules(regtest);
  finish(rules.readAll(tip));
  assert.equal(open(queriesOf(tip)).load(), undefined);
  open(queriesOf(tip)).note(rules.lastWindow(tip) ?? assert.fail());
  const later = chainOf([...versions, ...repeat(0x20000002, 144), ...repeat(SILENT, 150)]);
  const known = open(queriesOf(later)).load() ?? assert.fail();
  assert.equal(known.end.height, 144 * 10 - 1);
  const restarted = new UnknownRules(regtest);
  finish(restarted.readAll(later, { known }));
  assert.deepEqual(restarted.statuses(later), new UnknownRules(regtest).statuses(later));
  assert.deepEqual([restarted.statuses(later)[27], restarted.statuses(later)[1]], ['active', 'active']);
  assert.equal(open(queriesOf(chainOf(repeat(STRANGE, 2_000)))).load(), undefined, 'another chain');
  assert.equal(open(queriesOf(chainOf(repeat(SILENT, 500)))).load(), undefined, 'a shorter chain');
  const others = { ...regtest, bip9: { ...regtest.bip9, deployments: [] } };
  assert.equal(open(queriesOf(later, others)).load(), undefined, 'other known deployments');
});

test('unknown rules: a start that ends while blocks are read leaves statuses of those that were read', async () => {
  const tip = chainOf([...repeat(SILENT, 144), ...repeat(STRANGE, 144), ...repeat(SILENT, 144 * 40)]);
  const stopping = new AbortController();
  const interrupted = Object.create(tip, {
    ancestor: {
      value: (height: number) => {
        if (height < 4_000) return tip.ancestor(height);
        stopping.abort();
        throw new Error('the node stops');
      },
    },
  });
  const store = new MemoryStore();
  const versions = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => tip.ancestor(from + i)?.version);
  const chain = { tip: interrupted, params: regtest, on: () => () => {}, isInitialDownload: () => false, versions };
  const stored = new StoredRules(store, queriesOf(tip));
  warnOfUnknownRules(chain as never, new Warnings(silentLogger, () => {}), stopping.signal, stored);
  await until(() => stopping.signal.aborted, 'the chain was read');
  const known = new StoredRules(store, queriesOf(tip)).load() ?? assert.fail();
  assert.ok(known.end.height > 2_000 && known.end.height < 4_000, `stored at ${known.end.height}`);
  assert.equal(known.statuses[27], 'active');
});
