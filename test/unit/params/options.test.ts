import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpointFile } from '../../../src/params/checkpoints.js';
import { networkParams } from '../../../src/params/index.js';
import { heightsOfFlags, UPGRADE_FLAGS } from '../../../src/params/upgrade-heights.js';
import { NEVER, UPGRADES } from '../../../src/params/upgrades.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { addressesOf } from '../../../src/script/address.js';

function flags(values: Readonly<Record<string, number>>) {
  return heightsOfFlags((flag) => values[flag]);
}

test('every upgrade has a flag, except Kampung which follows Eunos', () => {
  const flagged = new Set(UPGRADE_FLAGS.map(({ upgrade }) => upgrade));
  assert.deepEqual(
    UPGRADES.filter((upgrade) => !flagged.has(upgrade)),
    ['eunosKampung'],
  );
  assert.equal(new Set(UPGRADE_FLAGS.map(({ flag }) => flag)).size, UPGRADE_FLAGS.length);
});

test('height flags move upgrades on regtest, -1 for ever', () => {
  const upgradeHeights = flags({ '-amkheight': 0, '-eunosheight': 6, '-df24height': -1, '-bayfrontheight': NEVER - 1 });
  const { upgrades } = networkParams({ network: 'regtest', upgradeHeights });
  assert.equal(upgrades.amk, 0);
  assert.equal(upgrades.bayfront, NEVER - 1);
  assert.equal(upgrades.eunos, 6);
  assert.equal(upgrades.eunosKampung, 6);
  assert.equal(upgrades.df24, NEVER);
  assert.equal(upgrades.dakota, 10_000_000);
});

test('of the two options for Great World the short one wins', () => {
  assert.deepEqual(flags({ '-fortcanninggreatworldheight': 14 }), { fortCanningGreatWorld: 14 });
  assert.deepEqual(flags({ '-greatworldheight': 15 }), { fortCanningGreatWorld: 15 });
  assert.deepEqual(flags({ '-greatworldheight': 15, '-fortcanninggreatworldheight': 14 }), { fortCanningGreatWorld: 15 });
});

const outOfRange = [
  {
    flag: '-nextnetworkupgradeheight',
    value: -2,
    text: 'Activation height -2 for Next Network Upgrade is out of valid range. Use -1 to disable -nextnetworkupgradeheight.',
  },
  { flag: '-amkheight', value: -2, text: 'Activation height -2 for AMK is out of valid range. Use -1 to disable -amkheight.' },
  {
    flag: '-fortcanningmuseumheight',
    value: NEVER,
    text: 'Activation height 2147483647 for Fort Canning Museum is out of valid range. Use -1 to disable -fortcanningmuseumheight.',
  },
  {
    flag: '-df23height',
    value: 5_000_000_000,
    text: 'Activation height 5000000000 for DF23 Upgrade Height is out of valid range. Use -1 to disable -df23height.',
  },
];
for (const { flag, value, text } of outOfRange) {
  test(`${flag}=${value} is rejected`, () => assert.throws(() => flags({ [flag]: value }), { message: text }));
}

test('heights given as numbers are checked too', () => {
  const text = 'Activation height -3 for Eunos is out of valid range. Use -1 to disable -eunosheight.';
  assert.throws(() => networkParams({ network: 'regtest', upgradeHeights: { eunos: -3 } }), { message: text });
  const segwit = 'Activation height -2 for Segwit is out of valid range. Use -1 to disable -segwitheight.';
  assert.throws(() => networkParams({ network: 'regtest', segwitHeight: -2 }), { message: segwit });
});

test('segwit height: given, never, default', () => {
  assert.equal(networkParams({ network: 'regtest', segwitHeight: 432 }).buried.segwit, 432);
  assert.equal(networkParams({ network: 'regtest', segwitHeight: -1 }).buried.segwit, NEVER);
  assert.equal(networkParams({ network: 'regtest' }).buried.segwit, 0);
});

test('height flags have no effect on live networks, unless mocked', () => {
  const upgradeHeights = { dakota: 5, eunos: 7 };
  assert.equal(networkParams({ network: 'main', upgradeHeights }).upgrades.eunos, 894_000);
  const mocked = networkParams({ network: 'main', upgradeHeights, mocknet: {} });
  assert.deepEqual([mocked.upgrades.dakota, mocked.upgrades.eunos, mocked.upgrades.eunosKampung], [5, 7, 7]);
  assert.deepEqual(
    [mocked.pos.targetSpacing, mocked.pos.targetTimespanV2, mocked.pos.fixedBits, mocked.mocknet],
    [30, 300, 0x1e0fffff, true],
  );
  assert.equal(networkParams({ network: 'main', mocknet: { blockTime: 60 } }).pos.targetTimespanV2, 600);
});

test('mocknet mints without peers, and may have an additional foundation member', () => {
  const foundationMember = '8PuErAcazqccCVzRcc8vJ3wFaZGm4vFbLe';
  const mocked = networkParams({ network: 'main', mocknet: { foundationMember } });
  assert.equal(mocked.mintWithoutPeers, true);
  const members = mocked.scripts.foundationMembers.flatMap((script) => addressesOf(script, mocked.address));
  assert.deepEqual([members.length, members.at(-1)], [4, foundationMember]);
  assert.equal(networkParams({ network: 'main', mocknet: { foundationMember: '' } }).scripts.foundationMembers.length, 3);
  assert.deepEqual(networkParams({ network: 'regtest', mocknet: {} }), networkParams({ network: 'regtest' }));
});

test('regtest switches', () => {
  const plain = networkParams({ network: 'regtest' });
  assert.deepEqual([plain.subsidy.base, plain.subsidy.halvingInterval, plain.subsidy.reductionPeriod], [5_000_000_000n, 150, 150]);
  assert.deepEqual([plain.subsidy.halves, plain.pos.dummy, plain.txFormat.tokenIds, plain.anchor.quorum], [true, false, true, 1]);
  const jellyfish = networkParams({ network: 'regtest', jellyfish: true });
  assert.deepEqual(
    [jellyfish.subsidy.base, jellyfish.subsidy.halvingInterval, jellyfish.subsidy.reductionPeriod],
    [10_000_000_000n, 210_000, 32_690],
  );
  const changed = networkParams({
    network: 'regtest',
    dummyPos: true,
    noTokens: true,
    subsidyTest: true,
    simulateMainnet: true,
    anchorQuorum: 2,
    maxTipAge: 60,
  });
  assert.deepEqual([changed.subsidy.halves, changed.pos.dummy, changed.txFormat.tokenIds, changed.anchor.quorum], [false, true, false, 2]);
  assert.deepEqual([changed.pos.targetTimespan, changed.pos.targetTimespanV2, changed.pos.targetSpacing], [300, 30_240, 30]);
  assert.equal(changed.pos.noRetargeting, true);
  assert.equal(changed.maxTipAge, 60);
  assert.equal(plain.maxTipAge, 36_000);
});

test('regtest switches have no effect elsewhere', () => {
  const main = networkParams({ network: 'main', dummyPos: true, noTokens: true, simulateMainnet: true, jellyfish: true });
  assert.deepEqual([main.pos.dummy, main.txFormat.tokenIds, main.subsidy.base], [false, true, 20_000_000_000n]);
});

test('deployments move by -vbparams', () => {
  const { bip9 } = networkParams({ network: 'regtest', vbParams: ['testdummy:5:10', 'testdummy:7:20'] });
  assert.deepEqual(bip9.deployments, [{ name: 'testdummy', bit: 28, startTime: 7n, timeout: 20n }]);
  const given = (text: string) => () => networkParams({ network: 'regtest', vbParams: [text] });
  assert.throws(given('testdummy:5'), { message: 'Version bits parameters malformed, expecting deployment:start:end' });
  assert.throws(given('testdummy:x:1'), { message: 'Invalid nStartTime (x)' });
  assert.throws(given('testdummy:1:'), { message: 'Invalid nTimeout ()' });
  assert.throws(given('segwit:1:2'), { message: 'Invalid deployment (segwit)' });
});

test('bootstrapping devnet joins the peers of the test network', () => {
  const devnet = networkParams({ network: 'devnet', bootstrap: true });
  assert.equal(devnet.p2pPort, 18555);
  assert.deepEqual(devnet.p2pMagic, networkParams({ network: 'test' }).p2pMagic);
  assert.deepEqual(devnet.defidFileMagic, networkParams({ network: 'devnet' }).p2pMagic);
  assert.deepEqual(networkParams({ network: 'test', bootstrap: true }), networkParams({ network: 'test' }));
  assert.equal(networkParams({ network: 'devnet', bootstrap: true, mocknet: {} }).p2pPort, 21555);
});

test('a checkpoints file replaces the table', () => {
  const a = '11'.repeat(32);
  const b = '22'.repeat(32);
  const checkpoints = parseCheckpointFile(`# heights\n200 ${a}\n\n 0\t${a} # the first\r\n+200 ${b}\n`);
  assert.deepEqual(
    checkpoints.map(({ height, hash }) => [height, formatHash(hash)]),
    [
      [0, a],
      [200, b],
    ],
  );
  assert.deepEqual(networkParams({ network: 'main', checkpoints }).checkpoints, checkpoints);
  const refused = [
    [`ten ${b}`, 'Invalid height: ten'],
    [`2147483648 ${b}`, 'Invalid height: 2147483648'],
    [`1 ${b}# the last`, `Invalid hash: ${b}#`],
    ['ten b', 'Invalid hash: b'],
    [' 1 ', 'Error parsing line 1'],
  ] as const;
  for (const [line, message] of refused) assert.throws(() => parseCheckpointFile(`0 ${a}\n${line}\n`), { message });
});
