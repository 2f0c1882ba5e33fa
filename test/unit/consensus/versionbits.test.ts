import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockVersion, deploymentSince, deploymentStatistics, deploymentStatus } from '../../../src/consensus/versionbits.js';
import { networkParams } from '../../../src/params/index.js';
import { chainOf, repeat, SIGNAL, SILENT } from './version-chain.js';

const regtest = networkParams({ network: 'regtest' });
const [testdummy] = regtest.bip9.deployments;
if (!testdummy) throw new Error('regtest has no deployment');

const cases = [
  { name: 'no block', versions: [], status: 'defined', since: 0, next: SILENT },
  { name: 'last block of the first window is missing', versions: repeat(SILENT, 143), status: 'defined', since: 0, next: SILENT },
  { name: 'the first window is over', versions: repeat(SILENT, 144), status: 'started', since: 144, next: SIGNAL },
  {
    name: '107 of 144 signal',
    versions: [...repeat(SILENT, 144), ...repeat(SIGNAL, 107), ...repeat(SILENT, 37)],
    status: 'started',
    since: 144,
    next: SIGNAL,
  },
  {
    name: '108 of 144 signal',
    versions: [...repeat(SILENT, 144), ...repeat(SIGNAL, 108), ...repeat(SILENT, 36)],
    status: 'locked_in',
    since: 288,
    next: SIGNAL,
  },
  {
    name: 'a window later',
    versions: [...repeat(SILENT, 144), ...repeat(SIGNAL, 144), ...repeat(SILENT, 144)],
    status: 'active',
    since: 432,
    next: SILENT,
  },
  {
    name: 'signals without the top bits do not count',
    versions: [...repeat(SILENT, 144), ...repeat(0x10000000, 144)],
    status: 'started',
    since: 144,
    next: SIGNAL,
  },
] as const;

for (const { name, versions, status, since, next } of cases) {
  test(`deployment: ${name}`, () => {
    const tip = versions.length > 0 ? chainOf(versions) : undefined;
    assert.equal(deploymentStatus(tip, testdummy, regtest), status);
    assert.equal(deploymentSince(tip, testdummy, regtest), since);
    if (tip) assert.equal(blockVersion(tip, regtest), next);
  });
}

test('a deployment whose timeout has passed fails', () => {
  const expired = { ...testdummy, timeout: 1_600_000_000n };
  assert.equal(deploymentStatus(chainOf(repeat(SILENT, 144)), expired, regtest), 'failed');
});

test('statistics count the signals of the current window', () => {
  const tip = chainOf([...repeat(SILENT, 144), SIGNAL, SILENT, SIGNAL]);
  assert.deepEqual(deploymentStatistics(tip, testdummy, regtest), { period: 144, threshold: 108, elapsed: 3, count: 2, possible: true });
});

test('statistics: 37 silent blocks make the threshold impossible, 36 do not', () => {
  const after = (silent: number) =>
    deploymentStatistics(chainOf([...repeat(SILENT, 144), ...repeat(SILENT, silent)]), testdummy, regtest).possible;
  assert.equal(after(36), true);
  assert.equal(after(37), false);
});

test('medianTimePast: the ninth of eleven from Fort Canning on, the sixth before, fewer times near genesis', () => {
  const forked = networkParams({ network: 'regtest', upgradeHeights: { fortCanning: 20 } });
  const tip = chainOf(repeat(SILENT, 21), forked);
  assert.equal(tip.medianTimePast(), 1_600_000_018);
  assert.equal(tip.parent?.medianTimePast(), 1_600_000_014);
  assert.equal(tip.ancestor(3)?.medianTimePast(), 1_600_000_002);
});

test('a deployment that was decided early on a long chain, asked for at any height in any order', () => {
  const versions = [...repeat(SILENT, 144), ...repeat(SIGNAL, 144), ...repeat(SILENT, 144 * 80)];
  const tip = chainOf(versions);
  const asked = (height: number) => {
    const parent = tip.ancestor(height);
    return [deploymentStatus(parent, testdummy, regtest), deploymentSince(parent, testdummy, regtest)];
  };
  assert.deepEqual(asked(versions.length - 1), ['active', 432]);
  assert.deepEqual([142, 143, 287, 431, 432].map(asked), [
    ['defined', 0],
    ['started', 144],
    ['locked_in', 288],
    ['active', 432],
    ['active', 432],
  ]);
  // Another chain on which no block signals.
  const silent = chainOf(repeat(SILENT, 144 * 80));
  assert.deepEqual([deploymentStatus(silent, testdummy, regtest), deploymentSince(silent, testdummy, regtest)], ['started', 144]);
});
