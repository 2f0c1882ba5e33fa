import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareChains } from '../fuzz/chains/compare.js';
import type { DefidVersion } from '../fuzz/chains/pair.js';

const BLOCKS = 40;
const SEED = Number(process.env.DFI_SEED ?? 1);
const VARIABLES: Readonly<Record<DefidVersion, string>> = { '3.2.8': 'DFI_DEFID', '4.2.5': 'DFI_DEFID_425' };

for (const version of ['3.2.8', '4.2.5'] as const) {
  const defid = process.env[VARIABLES[version]];
  const reason = defid ? false : `${VARIABLES[version]} names no defid ${version}`;
  if (reason) console.log(`skipped: ${reason}`);
  test(`a random chain with seed ${SEED} has the same states here and in defid ${version}`, { skip: reason }, async () => {
    const { accepted, texts, difference } = await compareChains(String(defid), { version, blocks: BLOCKS, seed: SEED });
    assert.equal(difference, undefined);
    assert.deepEqual(texts, []);
    assert.ok(accepted.size > 0);
  });
}
