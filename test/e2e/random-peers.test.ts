import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defidPath, withoutDefid } from '../fuzz/calls/defid.js';
import { comparePeers } from '../fuzz/peers/compare.js';
import { sharedPath } from '../shared.js';

const COUNT = 150;
const SEED = Number(process.env.DFI_SEED ?? 1);

for (const [version, name] of [
  ['3.2.8', 'base/rpc_txoutproof'],
  ['4.2.5', 'v4/feature_loan_auctions'],
] as const) {
  const reason = withoutDefid(version);
  if (reason) console.log(`skipped: ${reason}`);
  const recording = sharedPath('golden', `${name}.jsonl.gz`);
  test(`random messages with seed ${SEED} have the same effect here and in defid ${version}`, {
    skip: reason || recording === undefined,
  }, async () => {
    const { counts, different } = await comparePeers(String(defidPath(version)), {
      recording: String(recording),
      count: COUNT,
      seed: SEED,
    });
    assert.deepEqual(different, []);
    assert.ok(counts.size > 0);
  });
}
