import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  blockSubsidy,
  communityAccountShares,
  foundationShare,
  legacyShare,
  type RewardShare,
  rewardShare,
} from '../../../src/consensus/subsidy.js';
import { networkParams } from '../../../src/params/index.js';

const main = networkParams({ network: 'main' });
const regtest = networkParams({ network: 'regtest' });
const jellyfish = networkParams({ network: 'regtest', jellyfish: true });
const emission = networkParams({ network: 'regtest', subsidyTest: true, upgradeHeights: { eunos: 10 } });

const cases = [
  { name: 'main, last block before Eunos', height: 893_999, params: main, expected: 20_000_000_000n },
  { name: 'main, first block of Eunos', height: 894_000, params: main, expected: 40_504_000_000n },
  { name: 'main, last full block', height: 926_689, params: main, expected: 40_504_000_000n },
  { name: 'main, first reduced block', height: 926_690, params: main, expected: 39_832_443_680n },
  { name: 'main, second reduction', height: 894_000 + 2 * 32_690, params: main, expected: 39_172_021_764n },
  { name: 'main, fifth reduction', height: 894_000 + 5 * 32_690, params: main, expected: 37_255_731_609n },
  { name: 'main, last reward', height: 894_000 + 1_251 * 32_690, params: main, expected: 60n },
  { name: 'main, after the last reward', height: 894_000 + 1_252 * 32_690, params: main, expected: 0n },
  { name: 'regtest, before the first halving', height: 149, params: regtest, expected: 5_000_000_000n },
  { name: 'regtest, first halving', height: 150, params: regtest, expected: 2_500_000_000n },
  { name: 'regtest, last halving', height: 150 * 64, params: regtest, expected: 0n },
  { name: 'jellyfish regtest', height: 150, params: jellyfish, expected: 10_000_000_000n },
  { name: 'regtest with -subsidytest, before Eunos', height: 9, params: emission, expected: 5_000_000_000n },
  { name: 'regtest with -subsidytest, Eunos', height: 10, params: emission, expected: 40_504_000_000n },
  { name: 'regtest with -subsidytest, first reduction', height: 160, params: emission, expected: 39_832_443_680n },
];
for (const c of cases) test(`blockSubsidy: ${c.name}`, () => assert.equal(blockSubsidy(c.height, c.params), c.expected));

test('shares of a full block from Eunos on sum to it', () => {
  const expected: Record<RewardShare, bigint> = {
    masternode: 13_499_983_200n,
    communityDevelopment: 1_988_746_400n,
    anchor: 8_100_800n,
    incentive: 10_308_268_000n,
    loan: 9_996_387_200n,
    options: 4_001_795_200n,
    unallocated: 700_719_200n,
  };
  let sum = 0n;
  for (const [share, amount] of Object.entries(expected)) {
    assert.equal(rewardShare(40_504_000_000n, share as RewardShare, main), amount, share);
    sum += amount;
  }
  assert.equal(sum, 40_504_000_000n);
});

test('legacy shares on main: 45 DFI, 0.1 DFI, 19.9 DFI', () => {
  assert.equal(legacyShare(20_000_000_000n, 'incentive', main), 4_500_000_000n);
  assert.equal(legacyShare(20_000_000_000n, 'anchor', main), 10_000_000n);
  assert.equal(legacyShare(20_000_000_000n, 'foundation', main), 1_990_000_000n);
});

const edges = [
  { name: 'before AMK', height: 356_499, foundation: 0n, withheld: 0n },
  { name: 'AMK', height: 356_500, foundation: 1_990_000_000n, withheld: 4_510_000_000n },
  { name: 'Eunos', height: 894_000, foundation: 1_988_746_400n, withheld: 25_015_270_400n },
];
for (const { name, height, foundation, withheld } of edges) {
  test(`coinbase limits: ${name}`, () => {
    const reward = blockSubsidy(height, main);
    assert.equal(foundationShare(reward, height, main), foundation);
    assert.equal(communityAccountShares(reward, height, main), withheld);
  });
}

test('from Grand Central on the foundation share is credited to an account, not an output', () => {
  const reward = 40_504_000_000n;
  assert.ok(foundationShare(reward, 2_478_999, main) > 0n);
  assert.equal(foundationShare(reward, 2_479_000, main), 0n);
  assert.equal(communityAccountShares(reward, 2_479_000, main) - communityAccountShares(reward, 2_478_999, main), 1_988_746_400n);
});
