import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheduledSubsidy, scheduledSupply } from '../../../src/ocean/pools/supply.js';
import { networkParams } from '../../../src/params/index.js';

/** Subsidy and supply in satoshis by height, of the package `@defichain/jellyfish-network` 4.0.7. */
const PUBLISHED = {
  main: [
    [0, 59_100_003_000_000_000n, 59_100_003_000_000_000n],
    [1, 20_000_000_000n, 59_100_023_000_000_000n],
    [893_999, 20_000_000_000n, 76_979_983_000_000_000n],
    [894_000, 40_504_000_000n, 50_120_734_196_170_954n],
    [926_690, 39_832_443_680n, 51_444_809_284_614_634n],
    [4_000_000, 8_273_825_765n, 113_671_131_897_529_869n],
  ],
  test: [
    [0, 30_400_004_000_000_000n, 30_400_004_000_000_000n],
    [1, 20_000_000_000n, 30_400_024_000_000_000n],
    [354_949, 20_000_000_000n, 37_498_984_000_000_000n],
    [354_950, 40_504_000_000n, 37_499_024_504_000_000n],
    [387_640, 39_832_443_680n, 38_823_099_592_443_680n],
    [4_000_000, 6_331_854_891n, 104_978_811_297_642_171n],
  ],
} as const;

// Regtest has the schedule of testnet, although its blocks pay another one.
for (const [network, published] of [
  ['main', PUBLISHED.main],
  ['test', PUBLISHED.test],
  ['regtest', PUBLISHED.test],
] as const) {
  test(`subsidy and supply of ${network} are the published ones`, () => {
    const params = networkParams({ network });
    for (const [height, subsidy, supply] of published) {
      assert.equal(scheduledSubsidy(height, params), subsidy, `subsidy of ${height}`);
      assert.equal(scheduledSupply(height, params), supply, `supply at ${height}`);
    }
  });
}

test('the supply grows by the subsidy of each block, also where a period ends', () => {
  const params = networkParams({ network: 'regtest' });
  for (const height of [1, 354_949, 354_950, 354_951, 387_639, 387_640, 387_641, 420_330]) {
    const grown = scheduledSupply(height, params) - scheduledSupply(height - 1, params);
    assert.equal(grown, scheduledSubsidy(height, params), `block ${height}`);
  }
});
