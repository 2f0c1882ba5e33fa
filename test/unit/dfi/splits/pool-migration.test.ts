import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeDraft } from '../../../../src/dfi/attributes/attributes.js';
import { liveKey, liveTotal } from '../../../../src/dfi/attributes/live-totals.js';
import { EventRecords } from '../../../../src/dfi/context/event-records.js';
import type { PoolPair } from '../../../../src/dfi/pools/columns.js';
import { convertTotals } from '../../../../src/dfi/splits/attributes.js';
import type { SuccessionContext } from '../../../../src/dfi/splits/context.js';
import { PoolMigration } from '../../../../src/dfi/splits/pool-migration.js';
import { DfiFixture, script } from '../fixture.js';
import { allActive } from '../governance-context.js';

test('an amount that overflows in the new token is dropped from a live total', () => {
  const draft = new AttributeDraft();
  const current = liveKey('dfip2203_current');
  const other = { tokenId: 3, amount: 4n };
  draft.set(current, { kind: 'balances', value: [other, { tokenId: 5, amount: 2n ** 62n }] });
  convertTotals(draft, { oldId: 5, newId: 7 }, { value: 2n, isFraction: false });
  assert.deepEqual(liveTotal(draft, current), [other]);
});

const MAX = 0x7fff_ffff_ffff_ffffn;

test('an amount that overflows the balance of a holder is lost, and the migration continues', () => {
  const fixture = new DfiFixture(allActive);
  const [full, next, small] = [script(1), script(2), script(3)];
  fixture.give(full, 5, 10n);
  fixture.give(full, 6, MAX);
  fixture.give(next, 5, 4_981n);
  fixture.give(small, 5, 9n);
  const old = { tokenA: 1, tokenB: 0, reserveA: 600_000n, reserveB: 600n, totalLiquidity: 6_000n } as PoolPair;
  const successor = { ...old, tokenA: 6, reserveA: 0n, reserveB: 0n, totalLiquidity: 0n };
  const context = {
    ...fixture,
    view: fixture.view,
    eventRecords: new EventRecords(),
    blockHash: Buffer.alloc(32, 1),
  } as unknown as SuccessionContext;
  const moves = { pools: [], multiplier: { value: 2n, isFraction: false }, successors: new Map([[1, 6]]) };
  const migration = new PoolMigration(context, moves, { oldId: 5, newId: 7 }, old, successor);
  // The holder's part of token 0 is 0.9 satoshis, which rounds to 0 and buys no share of the new pool.
  migration.move({ owner: full, shares: 9n });
  assert.deepEqual([fixture.balance(full, 5), fixture.balance(full, 6), fixture.balance(full, 0)], [1n, MAX, 0n]);
  migration.move({ owner: small, shares: 9n });
  assert.deepEqual(
    [5, 6, 7, 0].map((id) => fixture.balance(small, id)),
    [0n, 1_800n, 0n, 0n],
    'nine of 5,991 parts of 599,100, doubled',
  );
  migration.move({ owner: next, shares: 4_981n });
  assert.equal(migration.old.totalLiquidity, 1_001n);
  assert.ok(fixture.balance(next, 7) > 0n);
});
