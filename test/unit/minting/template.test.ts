import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coinbaseOutputs } from '../../../src/minting/template.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { equalBytes } from '../../../src/util/bytes.js';

const main = networkParams({ network: 'main' });
const regtest = networkParams({ network: 'regtest' });
const SCRIPT = Uint8Array.of(0x51);
const FEES = 1_000n;

/** Shares of docs/protocol/chain.md 1.4 and 6.1, written out. */
const cases: readonly { name: string; params: NetworkParams; height: number; minter: bigint; foundation?: bigint }[] = [
  {
    name: 'before AMK a tenth of reward and fees goes to the foundation',
    params: main,
    height: 356_499,
    minter: 18_000_000_900n,
    foundation: 2_000_000_100n,
  },
  { name: 'before AMK regtest gives nothing away', params: regtest, height: 1, minter: 5_000_001_000n },
  {
    name: 'AMK takes the incentive, the anchor and the foundation share',
    params: main,
    height: 356_500,
    minter: 13_500_001_000n,
    foundation: 1_990_000_000n,
  },
  {
    name: 'Eunos gives the minter a third and loses the fees',
    params: main,
    height: 894_000,
    minter: 13_499_983_200n,
    foundation: 1_988_746_400n,
  },
  { name: 'last block that loses its fees', params: main, height: 1_366_999, minter: 10_682_668_145n, foundation: 1_573_714_389n },
  { name: 'Fort Canning pays the fees again', params: main, height: 1_367_000, minter: 10_682_669_145n, foundation: 1_573_714_389n },
  {
    name: 'Grand Central before Eunos, which only tests do, leaves the share of AMK',
    params: networkParams({ network: 'regtest', upgradeHeights: { amk: 1, grandCentral: 1 } }),
    height: 10,
    minter: 3_800_001_000n,
    foundation: 190_000_000n,
  },
  { name: 'Grand Central has no output for the foundation', params: main, height: 2_479_000, minter: 6_050_719_860n },
];

for (const { name, params, height, minter, foundation } of cases) {
  test(`coinbaseOutputs: ${name}`, () => {
    const outputs = coinbaseOutputs(SCRIPT, height, FEES, params);
    assert.deepEqual(
      outputs.map((out) => out.value),
      foundation === undefined ? [minter] : [minter, foundation],
    );
    const [first, second] = outputs;
    assert.ok(first && equalBytes(first.scriptPubKey, SCRIPT));
    if (second) assert.ok(equalBytes(second.scriptPubKey, params.scripts.foundationShare));
  });
}
