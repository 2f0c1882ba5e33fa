import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { poolAverage, poolSamples } from '../../../../src/dfi/pools/average-columns.js';
import { samplePools } from '../../../../src/dfi/pools/averages-event.js';
import { poolOf, putHoldings, putNewPool } from '../../../../src/dfi/pools/columns.js';
import { putToken, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import type { NetworkName } from '../../../../src/params/network.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../fixture.js';

const DUSD = 1;
const TSLA = 2;
const POOL = 3;
const FORK = 10;

/** Pool of TSLA and DUSD; an average needs three samples, two blocks apart. */
function makeFixture(params = heights({ ...GRAND_CENTRAL, metachain: 0, df23: FORK })): DfiFixture {
  const fixture = new DfiFixture(params);
  for (const [id, symbol] of [
    [DUSD, 'DUSD'],
    [TSLA, 'TSLA'],
  ] as const) {
    const life = { creationTx: Buffer.alloc(32, id), destructionTx: NULL_HASH, creationHeight: 1, destructionHeight: -1 };
    putToken(fixture.view, id, { symbol, name: symbol, decimal: 8, limit: 0n, flags: TokenFlag.dat, minted: 0n, ...life });
  }
  const terms = { commission: 0n, owner: EMPTY_BYTES, status: true, creationTx: NULL_HASH, creationHeight: 1, rewards: [] };
  putNewPool(fixture.view, POOL, { tokenA: TSLA, tokenB: DUSD, ...terms });
  const set = (name: string, value: bigint) =>
    fixture.view.put(attributes, attributeAt(`v0/params/dfip2211f/${name}`), { kind: 'amount', value });
  fixture.view.put(attributes, attributeAt('v0/params/dfip2211f/active'), { kind: 'bool', value: true });
  set('liquidity_calc_sampling_period', 2n);
  set('block_period', 6n);
  return fixture;
}

function sample(fixture: DfiFixture, height: number, reserve: bigint, settles: boolean): void {
  const pool = poolOf(fixture.view, POOL);
  if (pool) putHoldings(fixture.view, POOL, height, { ...pool, reserveA: reserve, reserveB: 2n * reserve });
  const run = (context: Parameters<typeof samplePools>[0]) => samplePools(context, [DUSD, TSLA], settles);
  fixture.runEvent({ name: 'samples', isDue: () => true, run }, height);
}

const average = ({ view }: DfiFixture) => poolAverage(view, { source: TSLA, destination: DUSD });

test('a pool is sampled every other block from DF23 on, and a settlement block with three samples computes an average', () => {
  const fixture = makeFixture();
  sample(fixture, FORK - 2, 100n, true);
  sample(fixture, FORK + 1, 100n, true);
  assert.equal([...fixture.view.entries(poolSamples)].length, 0);
  sample(fixture, FORK, 100n, false);
  sample(fixture, FORK + 2, 200n, true);
  assert.equal(average(fixture), undefined, 'two samples are too few');
  sample(fixture, FORK + 4, 301n, false);
  assert.equal(average(fixture), undefined, 'no settlement');
  sample(fixture, FORK + 6, 400n, true);
  // The sample of the upgrade block is six blocks old and deleted: (200 + 301 + 400) / 3.
  assert.equal(average(fixture), 300n);
  assert.equal(poolAverage(fixture.view, { source: DUSD, destination: TSLA }), 600n);
});

test('an average is deleted if samples are missing', () => {
  const fixture = makeFixture();
  for (const height of [FORK, FORK + 2, FORK + 4]) sample(fixture, height, 100n, true);
  assert.equal(average(fixture), 100n);
  sample(fixture, FORK + 8, 100n, true);
  assert.equal(average(fixture), undefined);
});

test('the test network samples from its own height on, other networks from DF23', () => {
  const sampledOn = (name: NetworkName, height: number) => {
    const fixture = makeFixture({ ...heights({ ...GRAND_CENTRAL, metachain: 0, df23: 1_507_200 }), name });
    sample(fixture, height, 100n, false);
    return [...fixture.view.entries(poolSamples)].length > 0;
  };
  assert.deepEqual([sampledOn('test', 1_507_200), sampledOn('test', 1_519_998), sampledOn('test', 1_520_000)], [false, false, true]);
  for (const name of ['main', 'changi', 'devnet'] as const) assert.equal(sampledOn(name, 1_507_200), true, name);
});
