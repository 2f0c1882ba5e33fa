import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LATE_ATTRIBUTES } from '../../../../src/dfi/governance/attribute-eras.js';
import type { AttributeKey } from '../../../../src/dfi/governance/attribute-key.js';
import { parsePath } from '../../../../src/dfi/governance/attribute-path.js';
import { storedVariable, storeVariable } from '../../../../src/dfi/governance/variables.js';
import { dexFeeOf, setDexFee } from '../../../../src/dfi/state/dex-fees.js';
import { pendingRemovals, pendingVariables } from '../../../../src/dfi/state/governance.js';
import { setShareOf, shareOf } from '../../../../src/dfi/state/pool-rewards.js';
import { setGovVariableHeight, unsetGovVariableHeight } from '../../../../src/dfi/tx/governance.js';
import type { GivenHeights } from '../../../../src/params/upgrade-heights.js';
import { Desk, GRAND_CENTRAL, heights } from '../desk.js';
import { allActive } from '../governance-context.js';
import { COIN, PoolDesk } from '../pools/pool-desk.js';

function member(desk: Desk) {
  return { from: [desk.params.scripts.foundationMembers[0] as Uint8Array] };
}

test('an unset for a height to come takes effects back at once, and what has them at that height', () => {
  const desk = new PoolDesk(allActive);
  assert.equal(desk.createPool({ tokenA: 1, tokenB: 3 }), undefined);
  const pool = 4;
  assert.equal(desk.pool(pool).tokenA, 1);
  desk.attribute('v0/params/feature/gov-unset', { form: 'bool', value: true });
  desk.attribute('v0/token/1/dex_in_fee_pct', { form: 'amount', value: 5n });
  setDexFee(desk.view, { way: 'in', tokenId: 1 }, 5n);
  storeVariable(desk.view, { name: 'LP_SPLITS', value: [{ pool, share: COIN }] });
  setShareOf(desk.view, pool, 'coinbase', COIN);
  const removals = [
    { name: 'ATTRIBUTES', keys: ['v0/token/1/dex_in_fee_pct'] },
    { name: 'LP_SPLITS', keys: [`${pool}`] },
  ];
  assert.equal(desk.failure(unsetGovVariableHeight, { removals, unsetHeight: 200 }, member(desk)), undefined);
  assert.equal(dexFeeOf(desk.view, 'in', pool, 1), 0n);
  assert.equal(shareOf(desk.view, pool, 'coinbase'), 0n);
  assert.deepEqual(storedVariable(desk.view, 'LP_SPLITS')?.value, [{ pool, share: COIN }]);
  assert.equal([...desk.view.entries(pendingRemovals)].length, 2);
  const again = { removals, unsetHeight: 201 };
  assert.equal(desk.failure(unsetGovVariableHeight, again, member(desk)), undefined);
});

describe('attributes for a height to come, before Fort Canning Crunch,', () => {
  const later = { fortCanningCrunch: 1000, fortCanningSpring: 1000, fortCanningGreatWorld: 1000, fortCanningEpilogue: 1000 };
  const refusal = (given: GivenHeights, path: string): string | undefined => {
    const desk = new PoolDesk(heights({ ...GRAND_CENTRAL, ...later, grandCentral: 1000, ...given }));
    const key = parsePath(path, LATE_ATTRIBUTES) as AttributeKey;
    const variable = { name: 'ATTRIBUTES', value: [{ key, value: { form: 'bool', value: true } }] } as const;
    return desk.failure(setGovVariableHeight, { variable, startHeight: 200 }, member(desk));
  };

  test('wait for Fort Canning Hill', () => {
    const given = { fortCanningHill: 100, fortCanningRoad: 1000 };
    assert.equal(refusal(given, 'v0/params/dfip2201/active'), 'SetGovVariableHeightTx: ATTRIBUTES: Cannot be set before FortCanningHill');
    assert.equal(refusal({}, 'v0/params/dfip2201/active'), undefined);
  });

  test('are checked by themselves', () => {
    assert.equal(refusal({}, 'v0/token/1/payback_dfi'), 'SetGovVariableHeightTx: ATTRIBUTES: No such loan token (1)');
  });
});

test('the least number of blocks before a change counts in 64 bits', () => {
  const failure = (blocks: bigint) => {
    const desk = new Desk(allActive);
    desk.attribute('v0/params/governance/govheight_min_blocks', { form: 'u64', value: blocks });
    const variable = { name: 'LOAN_LIQUIDATION_PENALTY', value: COIN } as const;
    const failed = desk.failure(setGovVariableHeight, { variable, startHeight: 101 }, member(desk));
    assert.equal([...desk.view.entries(pendingVariables)].length, failed ? 0 : 1);
    return failed;
  };
  assert.equal(failure(1n), 'SetGovVariableHeightTx: Height must be 1 blocks above the current height');
  assert.equal(failure(2n ** 64n - 1n), undefined);
});
