import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountToAccount } from '../../../../src/dfi/accounts/transactions.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { dailyRewards } from '../../../../src/dfi/governance/daily-rewards-event.js';
import { governedNumber } from '../../../../src/dfi/governance/governed-columns.js';
import { divideRewards, setDailyReward } from '../../../../src/dfi/governance/reward-shares.js';
import { setDexFee } from '../../../../src/dfi/pools/fee-columns.js';
import { addPoolLiquidity, removePoolLiquidity } from '../../../../src/dfi/pools/liquidity-transactions.js';
import { compositeSwap } from '../../../../src/dfi/pools/swap-transactions.js';
import { poolRewards } from '../../../../src/dfi/rewards/event.js';
import { materialiseRewards } from '../../../../src/dfi/rewards/owner-rewards.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { encode } from '../../../../src/primitives/codec.js';
import type { StateView } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, PoolFixture } from './pool-fixture.js';

/** The whole state as text. */
function digest(view: StateView): string {
  return dfiColumns
    .flatMap((column) =>
      [...view.entries(column)].map(([k, v]) => `${column.name} ${toHex(encode(column.key, k))} ${toHex(encode(column.value, v))}`),
    )
    .join('\n');
}

const TRADERS = [1, 2, 3].map(script);
/** GOLD-DFI, SILVER-DFI, GOLD-SILVER. */
const POOLS = [
  { id: 4, tokenA: 1, tokenB: 0 },
  { id: 5, tokenA: 2, tokenB: 0 },
  { id: 6, tokenA: 1, tokenB: 2 },
] as const;

type Step =
  | {
      readonly kind: 'swap';
      readonly who: number;
      readonly from: number;
      readonly to: number;
      readonly amount: bigint;
      readonly path: number[];
    }
  | { readonly kind: 'add' | 'remove'; readonly who: number; readonly pool: number; readonly amount: bigint }
  | { readonly kind: 'give'; readonly who: number; readonly to: number; readonly token: number; readonly amount: bigint };

const who = fc.nat({ max: TRADERS.length - 1 });
const amount = fc.bigInt({ min: 1n, max: 50n * COIN });
const token = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('swap' as const),
    who,
    from: token,
    to: token,
    amount,
    path: fc.array(fc.constantFrom(4, 5, 6), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const), who, pool: fc.nat({ max: 2 }), amount }),
  fc.record({ kind: fc.constant('give' as const), who, to: who, token: fc.nat({ max: 6 }), amount }),
);

function trade(fixture: PoolFixture, given: Step, height: number): void {
  const owner = TRADERS[given.who] as Uint8Array;
  const sent = { from: [owner], height };
  if (given.kind === 'swap') {
    const maxPrice = { integer: 2n ** 63n - 1n, fraction: 2n ** 63n - 1n };
    const swap = { from: owner, tokenFrom: given.from, amountFrom: given.amount, to: owner, tokenTo: given.to, maxPrice };
    fixture.send(compositeSwap, { ...swap, path: given.path }, sent);
  } else if (given.kind === 'give') {
    const to = [{ owner: TRADERS[given.to] as Uint8Array, balances: [{ tokenId: given.token, amount: given.amount }] }];
    fixture.send(accountToAccount, { from: owner, to }, sent);
  } else {
    const { id, tokenA, tokenB } = POOLS[given.pool] as (typeof POOLS)[number];
    if (given.kind === 'remove') fixture.send(removePoolLiquidity, { from: owner, amount: { tokenId: id, amount: given.amount } }, sent);
    else {
      const { reserveA, reserveB } = fixture.pool(id);
      const second = reserveA === 0n ? given.amount : (given.amount * reserveB) / reserveA;
      const balances = [
        { tokenId: tokenA, amount: given.amount },
        { tokenId: tokenB, amount: second },
      ].sort((a, b) => a.tokenId - b.tokenId);
      fixture.send(addPoolLiquidity, { from: [{ owner, balances }], shareAddress: owner }, sent);
    }
  }
}

function market(given: HeightOverrides): PoolFixture {
  const fixture = new PoolFixture(heights(given), 10);
  for (const { tokenA, tokenB } of POOLS) assert.equal(fixture.createPool({ tokenA, tokenB, commission: COIN / 100n }), undefined);
  setDexFee(fixture.view, { pool: 4, tokenId: 1 }, COIN / 50n);
  setDexFee(fixture.view, { way: 'out', tokenId: 2 }, COIN / 20n);
  for (const owner of TRADERS) for (const id of [0, 1, 2]) fixture.give(owner, id, 1_000n * COIN);
  const [first] = TRADERS as [Uint8Array];
  for (const { tokenA, tokenB } of POOLS) {
    const balances = [tokenA, tokenB].sort((a, b) => a - b).map((tokenId) => ({ tokenId, amount: 100n * COIN }));
    assert.equal(
      fixture.failure(addPoolLiquidity, { from: [{ owner: first, balances }], shareAddress: first }, { from: [first], height: 10 }),
      undefined,
    );
  }
  return fixture;
}

/** Blocks of steps, with the pool events at their ends. */
function run(fixture: PoolFixture, blocks: readonly (readonly Step[])[]): number {
  let height = 11;
  for (const steps of blocks) {
    for (const each of steps) trade(fixture, each, height);
    fixture.runEvent(poolRewards, height);
    height += 1;
  }
  return height;
}

const { bayfrontGardens: _gardens, ...beforeGardens } = GRAND_CENTRAL;
const eras: readonly { readonly name: string; readonly given: HeightOverrides }[] = [
  { name: 'Grand Central', given: GRAND_CENTRAL },
  { name: 'Fort Canning without the new curve', given: beforeGardens },
  { name: 'before Eunos', given: { amk: 0, bayfront: 0, bayfrontMarina: 0, bayfrontGardens: 0, clarkeQuay: 0, dakota: 0 } },
  { name: 'DF24 in the middle', given: { ...GRAND_CENTRAL, grandCentralEpilogue: 0, metachain: 0, df23: 12, df24: 14 } },
];
const blocks = fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 });

for (const { name, given } of eras) {
  describe(`pools, ${name}`, () => {
    test('neither create nor lose tokens', () => {
      fc.assert(
        fc.property(blocks, (traded) => {
          const fixture = market(given);
          const before = [0, 1, 2].map((id) => fixture.total(id));
          const end = run(fixture, traded);
          for (const owner of TRADERS) materialiseRewards(fixture.view, owner, { height: end, params: fixture.params });
          const after = [0, 1, 2].map((id) => fixture.total(id));
          // Rounding, and the part of the 1000 shares without an owner, are not credited.
          for (const [i, sum] of after.entries()) {
            const lost = (before[i] as bigint) - sum;
            assert.ok(lost >= 0n && lost < 100_000n, `token ${i} lost ${lost}`);
          }
        }),
        { numRuns: 12 },
      );
    });

    test('are restored by an undo of their blocks', () => {
      fc.assert(
        fc.property(blocks, (traded) => {
          const fixture = market(given);
          const before = digest(fixture.view);
          const undo = fixture.branch();
          run(fixture, traded);
          undo();
          assert.equal(digest(fixture.view), before);
        }),
        { numRuns: 5 },
      );
    });
  });
}

test("rewards are created tokens, and at most the pools' rewards", () => {
  const fixture = market(GRAND_CENTRAL);
  const at = { height: 11, params: fixture.params };
  setDailyReward(fixture.view, 'coinbase', 144n * COIN, at);
  const shares = [
    { pool: 4, share: COIN / 4n },
    { pool: 5, share: COIN / 2n },
  ];
  divideRewards(fixture.view, 'coinbase', shares, at);
  const before = fixture.total(0);
  const end = run(fixture, [[], [], [], []]);
  for (const owner of TRADERS) materialiseRewards(fixture.view, owner, { height: end, params: fixture.params });
  const paid = fixture.total(0) - before;
  // Four blocks of a quarter and a half of a coin, less the part of the shares without an owner.
  assert.ok(paid > 299n * (COIN / 100n) && paid < 3n * COIN, `${paid}`);
});

test('the daily rewards of loan tokens start at Fort Canning, whether or not Eunos came before', () => {
  const { eunos: _eunos, ...late } = GRAND_CENTRAL;
  const fixture = market(late);
  fixture.runEvent(dailyRewards, 11);
  assert.ok((governedNumber(fixture.view, 'dailyLoanReward') ?? 0n) > 0n);
  assert.equal(governedNumber(fixture.view, 'dailyReward'), undefined);
});
