import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Accounts } from '../../../../src/dfi/accounts/columns.js';
import { valueAs } from '../../../../src/dfi/attributes/attributes.js';
import { liveKey, storedTotals } from '../../../../src/dfi/attributes/live-totals.js';
import { DIRECTIONS } from '../../../../src/dfi/attributes/parsers.js';
import { setDexFee } from '../../../../src/dfi/pools/fee-columns.js';
import { addPoolLiquidity } from '../../../../src/dfi/pools/liquidity-transactions.js';
import { swapToBurnable } from '../../../../src/dfi/pools/swap.js';
import { compositeSwap } from '../../../../src/dfi/pools/swap-transactions.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, PoolFixture } from './pool-fixture.js';

const [me, you] = [script(1), script(2)];
const NO_LIMIT = { integer: 2n ** 63n - 1n, fraction: 2n ** 63n - 1n };
/** Ids of the tokens of the fixture, and of its first pools. */
const [DFI, GOLD, SILVER, DUSD, FIRST, SECOND] = [0, 1, 2, 3, 4, 5];
const METACHAIN = { ...GRAND_CENTRAL, grandCentralEpilogue: 0, metachain: 0 };

interface Reserves {
  readonly tokenA: number;
  readonly tokenB: number;
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly commission?: bigint;
}

/** Pools with the ids 4 and above. */
function market(pools: readonly Reserves[], params: NetworkParams = heights(GRAND_CENTRAL)): PoolFixture {
  const at = new PoolFixture(params);
  for (const { tokenA, tokenB, reserveA, reserveB, commission } of pools) {
    assert.equal(at.createPool({ tokenA, tokenB, ...(commission === undefined ? {} : { commission }) }), undefined);
    const balances = [
      { tokenId: tokenA, amount: reserveA },
      { tokenId: tokenB, amount: reserveB },
    ].sort((a, b) => a.tokenId - b.tokenId);
    new Accounts(at.view).addAll(script(3), balances);
    const added = { from: [{ owner: script(3), balances }], shareAddress: script(3) };
    assert.equal(at.failure(addPoolLiquidity, added, { from: [script(3)] }), undefined);
  }
  return at;
}

interface Order {
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
  readonly path?: number[];
  readonly maxPrice?: typeof NO_LIMIT;
}

/** Gives the amount to one owner, who swaps it for another. @returns error text, or undefined */
function swap(at: PoolFixture, { from, to, amount, path = [], maxPrice = NO_LIMIT }: Order): string | undefined {
  at.give(me, from, amount);
  const body = { from: me, tokenFrom: from, amountFrom: amount, to: you, tokenTo: to, maxPrice, path };
  return at.failure(compositeSwap, body, { from: [me] });
}

describe('fees of a swap', () => {
  const GOLD_SILVER = { tokenA: GOLD, tokenB: SILVER, reserveA: 400n * COIN, reserveB: 100n * COIN, commission: COIN / 100n };
  /** Fees: 2 % of GOLD, 5 % of SILVER. Ten coins are swapped, of which the commission takes 0.1. */
  const cases = [
    { gold: 'both', silver: 'both', sell: [224_965_951n, 19_800_000n, 11_840_313n], buy: [3_369_827_705n, 68_771_993n, 49_500_000n] },
    { gold: 'in', silver: 'in', sell: [236_806_264n, 19_800_000n, 0n], buy: [3_438_599_698n, 0n, 49_500_000n] },
    { gold: 'out', silver: 'out', sell: [229_446_206n, 0n, 12_076_116n], buy: [3_531_210_191n, 72_065_514n, 0n] },
    { gold: 'in', silver: 'out', sell: [224_965_951n, 19_800_000n, 11_840_313n], buy: [3_603_275_705n, 0n, 0n] },
    { gold: 'out', silver: 'in', sell: [241_522_322n, 0n, 0n], buy: [3_369_827_705n, 68_771_993n, 49_500_000n] },
  ] as const;

  for (const { gold, silver, sell, buy } of cases) {
    test(`in a pool that charges GOLD ${gold} and SILVER ${silver}`, () => {
      const results = ([sell, buy] as const).map((_, i) => {
        const at = market([GOLD_SILVER]);
        setDexFee(at.view, { pool: FIRST, tokenId: GOLD }, COIN / 50n);
        setDexFee(at.view, { pool: FIRST, tokenId: SILVER }, COIN / 20n);
        const direction = (name: string) => ({ kind: 'direction', value: DIRECTIONS.get(name) as number }) as const;
        at.attribute(`v0/poolpairs/${FIRST}/token_a_fee_direction`, direction(gold));
        at.attribute(`v0/poolpairs/${FIRST}/token_b_fee_direction`, direction(silver));
        const [from, to] = i === 0 ? [GOLD, SILVER] : [SILVER, GOLD];
        assert.equal(swap(at, { from, to, amount: 10n * COIN }), undefined);
        const { burn } = at.params.scripts;
        const { commissionA, commissionB } = at.pool(FIRST);
        assert.deepEqual([commissionA, commissionB], i === 0 ? [COIN / 10n, 0n] : [0n, COIN / 10n]);
        return [at.balance(you, to), at.balance(burn, GOLD), at.balance(burn, SILVER)];
      });
      assert.deepEqual(results, [sell, buy]);
    });
  }

  test('a token charges in all pools, each way on its own, unless the pool has a fee of its own', () => {
    const burnt = (fees: (at: PoolFixture) => void) => {
      const at = market([GOLD_SILVER]);
      fees(at);
      assert.equal(swap(at, { from: GOLD, to: SILVER, amount: 10n * COIN }), undefined);
      return [GOLD, SILVER].map((id) => at.balance(at.params.scripts.burn, id));
    };
    const inGold = (at: PoolFixture) => setDexFee(at.view, { way: 'in', tokenId: GOLD }, COIN / 10n);
    assert.deepEqual(burnt(inGold), [99_000_000n, 0n]);
    assert.deepEqual(
      burnt((at) => setDexFee(at.view, { way: 'out', tokenId: GOLD }, COIN / 10n)),
      [0n, 0n],
    );
    assert.deepEqual(
      burnt((at) => setDexFee(at.view, { way: 'out', tokenId: SILVER }, COIN / 20n)),
      [0n, 12_076_116n],
    );
    assert.deepEqual(
      burnt((at) => {
        inGold(at);
        setDexFee(at.view, { pool: FIRST, tokenId: GOLD }, COIN / 50n);
      }),
      [19_800_000n, 0n],
    );
  });

  test('and the amounts are counted if the option asks for totals', () => {
    for (const keepsSwapTotals of [true, false]) {
      const at = market([GOLD_SILVER], { ...heights(GRAND_CENTRAL), keepsSwapTotals });
      setDexFee(at.view, { pool: FIRST, tokenId: GOLD }, COIN / 50n);
      setDexFee(at.view, { pool: FIRST, tokenId: SILVER }, COIN / 20n);
      assert.equal(swap(at, { from: GOLD, to: SILVER, amount: 10n * COIN }), undefined);
      const counted = {
        pool: FIRST,
        a: { swaps: 970_200_000n, feeBurn: 19_800_000n, commissions: 10_000_000n },
        b: { swaps: 0n, feeBurn: 11_840_313n, commissions: 0n },
      };
      assert.deepEqual(valueAs(storedTotals(at.view), liveKey('dex'), 'dex'), keepsSwapTotals ? [counted] : undefined);
    }
  });
});

describe('the price limit of a swap', () => {
  /** Path with a price of about 2 * 10^11, although that of each pool is 10^6 at most. */
  const DEAR = [
    { tokenA: GOLD, tokenB: DFI, reserveA: 100_000n * COIN, reserveB: COIN },
    { tokenA: DFI, tokenB: SILVER, reserveA: 1_000_000n * COIN, reserveB: COIN },
  ];
  const order = { from: GOLD, to: SILVER, amount: 100_000n * COIN, path: [FIRST, SECOND] };
  const TOO_HIGH = 'PoolSwapTx: Price is higher than indicated.';
  const cases = [
    { era: 'before Metachain', upgrades: GRAND_CENTRAL, integer: 2n ** 63n - 1n, fraction: 2n ** 63n - 1n, text: undefined },
    { era: 'before Metachain', upgrades: GRAND_CENTRAL, integer: 0n, fraction: 2n ** 63n - 1n, text: TOO_HIGH },
    { era: 'before Metachain', upgrades: GRAND_CENTRAL, integer: 1_200_000_000n, fraction: 0n, text: TOO_HIGH },
    { era: 'from Metachain on', upgrades: METACHAIN, integer: 1_200_000_000n, fraction: 0n, text: undefined },
    { era: 'from Metachain on', upgrades: METACHAIN, integer: 1_200_000_001n, fraction: 0n, text: undefined },
    { era: 'from Metachain on', upgrades: METACHAIN, integer: 1_199_999_999n, fraction: 99_999_999n, text: TOO_HIGH },
  ];
  for (const { era, upgrades, integer, fraction, text } of cases) {
    test(`of ${integer} and ${fraction} satoshis, ${era}, ${text ? 'applies' : 'is none'}`, () => {
      assert.equal(swap(market(DEAR, heights(upgrades)), { ...order, maxPrice: { integer, fraction } }), text);
    });
  }

  test('is compared with the price that was paid, to the satoshi', () => {
    // 1 GOLD for 0.99009900 DFI is 1.01000001 for each, rounded down.
    const at = () => market([{ tokenA: GOLD, tokenB: DFI, reserveA: 100n * COIN, reserveB: 100n * COIN }]);
    const limited = (fraction: bigint) =>
      swap(at(), { from: GOLD, to: DFI, amount: COIN, path: [FIRST], maxPrice: { integer: 1n, fraction } });
    assert.deepEqual([limited(1_000_000n), limited(1_000_001n)], [TOO_HIGH, undefined]);
  });
});

describe('a swap of tokens to burn', () => {
  const POOLS = [
    { tokenA: GOLD, tokenB: DUSD, reserveA: 100n * COIN, reserveB: 100n * COIN },
    { tokenA: DUSD, tokenB: DFI, reserveA: 100n * COIN, reserveB: 100n * COIN },
  ];
  /** Balances of the recipient in DFI and DUSD after the swap of one coin. */
  function received(tokenId: number, burnsDusd: boolean, to: 'burn' | 'other', forced = false): readonly bigint[] {
    const at = market(POOLS);
    at.attribute('v0/params/dfip2206a/dusd_interest_burn', { kind: 'bool', value: burnsDusd });
    at.give(me, tokenId, COIN);
    const recipient = to === 'burn' ? at.params.scripts.burn : you;
    swapToBurnable(
      new Accounts(at.view),
      { tokenId, amount: COIN },
      { from: me, to: recipient, forced },
      { height: 100, params: at.params },
    );
    assert.equal(at.balance(me, tokenId), 0n);
    return [at.balance(recipient, DFI), at.balance(recipient, DUSD)];
  }

  test('ends with DFI', () => {
    assert.deepEqual(received(GOLD, false, 'burn'), [98_039_214n, 0n]);
    assert.deepEqual(received(DUSD, false, 'burn'), [99_009_900n, 0n]);
  });

  test('ends with DUSD at the burn address if an attribute says so', () => {
    assert.deepEqual(received(GOLD, true, 'burn'), [0n, 99_009_900n]);
    assert.deepEqual(received(DUSD, true, 'burn'), [0n, COIN]);
  });

  test('ends with DFI elsewhere, or if that is forced', () => {
    assert.deepEqual(received(GOLD, true, 'other'), [98_039_214n, 0n]);
    assert.deepEqual(received(DUSD, true, 'other'), [99_009_900n, 0n]);
    assert.deepEqual(received(GOLD, true, 'burn', true), [98_039_214n, 0n]);
    assert.deepEqual(received(DUSD, true, 'burn', true), [99_009_900n, 0n]);
  });
});
