import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defidPath, withoutDefid } from '../fuzz/calls/defid.js';
import { compareChains } from '../fuzz/chains/compare.js';

const BLOCKS = 40;
const SEED = Number(process.env.DFI_SEED ?? 1);

for (const version of ['3.2.8', '4.2.5'] as const) {
  const reason = withoutDefid(version);
  if (reason) console.log(`skipped: ${reason}`);
  test(`a random chain with seed ${SEED} has the same states here and in defid ${version}`, { skip: reason }, async () => {
    const { report, difference } = await compareChains(String(defidPath(version)), { version, blocks: BLOCKS, seed: SEED });
    assert.equal(difference, undefined);
    assert.deepEqual(report.texts, []);
    assert.ok(report.accepted.size > 0);
  });
}
