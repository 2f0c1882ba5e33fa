import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../../src/params/index.js';
import { expandScanObjects } from '../../../../src/services/format/scan-objects.js';

const params = networkParams({ network: 'regtest' });
const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';

/** Scripts of ranged descriptors, which end at these indexes. An aborted scan derives none of them. */
async function scripts(ends: readonly bigint[], aborted = true): Promise<number> {
  const entries = ends.map((end) => ({
    form: { $case: 'ranged' as const, value: { desc: `wpkh(${TPUB}/*)`, range: { form: { $case: 'end' as const, value: end } } } },
  }));
  let count = 0;
  for await (const { scripts } of expandScanObjects({ entries, json: undefined }, params, { aborted })) count += scripts.length;
  return count;
}

test('scan objects: the total number of indexes is bounded', async () => {
  assert.equal(await scripts([999_999n]), 0);
  assert.equal(await scripts([499_999n, 499_999n]), 0);
  await assert.rejects(scripts([499_999n, 500_000n]), /^NodeError: Range is too large$|Range is too large/);
  assert.equal(await scripts([3n, 4n], false), 9);
});
