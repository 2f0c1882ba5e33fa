import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyByOwner, historyCounts } from '../../../../src/dfi/accounts/history-columns.js';
import { storedAttributes, valueAs } from '../../../../src/dfi/attributes/attributes.js';
import { ATTRIBUTES_SINCE_METACHAIN } from '../../../../src/dfi/attributes/eras.js';
import { type AttributeKey, letter } from '../../../../src/dfi/attributes/key.js';
import { liveKey, storedTotals } from '../../../../src/dfi/attributes/live-totals.js';
import { parsePath } from '../../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../../src/dfi/attributes/value.js';
import { BalanceChanges, BlockHistory } from '../../../../src/dfi/context/history.js';
import { contractOf, type FutureKind, putFuture } from '../../../../src/dfi/futures/columns.js';
import { governanceByHeight } from '../../../../src/dfi/governance/by-height-event.js';
import { pendingRemovals, pendingVariables } from '../../../../src/dfi/governance/columns.js';
import {
  setGovVariable,
  setGovVariableHeight,
  unsetGovVariable,
  unsetGovVariableHeight,
} from '../../../../src/dfi/governance/transactions.js';
import { encodeVariable, storedVariable, storeVariable } from '../../../../src/dfi/governance/variables.js';
import { putNewPrice } from '../../../../src/dfi/oracles/fixed-prices.js';
import { dexFeeOf, setDexFee } from '../../../../src/dfi/pools/fee-columns.js';
import { setShareOf, shareOf } from '../../../../src/dfi/pools/reward-columns.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../fixture.js';
import { allActive } from '../governance-context.js';
import { COIN, PoolFixture } from '../pools/pool-fixture.js';

function member(fixture: DfiFixture) {
  return { from: [fixture.params.scripts.foundationMembers[0] as Uint8Array] };
}

test('a pending unset undoes the effects immediately and keeps the variable until its height', () => {
  const fixture = new PoolFixture(allActive);
  assert.equal(fixture.createPool({ tokenA: 1, tokenB: 3 }), undefined);
  const pool = 4;
  assert.equal(fixture.pool(pool).tokenA, 1);
  fixture.attribute('v0/params/feature/gov-unset', { kind: 'bool', value: true });
  fixture.attribute('v0/token/1/dex_in_fee_pct', { kind: 'amount', value: 5n });
  setDexFee(fixture.view, { way: 'in', tokenId: 1 }, 5n);
  storeVariable(fixture.view, { name: 'LP_SPLITS', value: [{ pool, share: COIN }] });
  setShareOf(fixture.view, pool, 'coinbase', COIN);
  const removals = [
    { name: 'ATTRIBUTES', keys: ['v0/token/1/dex_in_fee_pct'] },
    { name: 'LP_SPLITS', keys: [`${pool}`] },
  ];
  assert.equal(fixture.failure(unsetGovVariableHeight, { removals, unsetHeight: 200 }, member(fixture)), undefined);
  assert.equal(dexFeeOf(fixture.view, 'in', pool, 1), 0n);
  assert.equal(shareOf(fixture.view, pool, 'coinbase'), 0n);
  assert.deepEqual(storedVariable(fixture.view, 'LP_SPLITS')?.value, [{ pool, share: COIN }]);
  assert.equal([...fixture.view.entries(pendingRemovals)].length, 2);
  const again = { removals, unsetHeight: 201 };
  assert.equal(fixture.failure(unsetGovVariableHeight, again, member(fixture)), undefined);
});

describe('pending attributes before Fort Canning Crunch', () => {
  const later = { fortCanningCrunch: 1000, fortCanningSpring: 1000, fortCanningGreatWorld: 1000, fortCanningEpilogue: 1000 };
  const refusal = (given: HeightOverrides, path: string): string | undefined => {
    const fixture = new PoolFixture(heights({ ...GRAND_CENTRAL, ...later, grandCentral: 1000, ...given }));
    const key = parsePath(path, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    const variable = { name: 'ATTRIBUTES', value: [{ key, value: { kind: 'bool', value: true } }] } as const;
    return fixture.failure(setGovVariableHeight, { variable, startHeight: 200 }, member(fixture));
  };

  test('are rejected before Fort Canning Hill', () => {
    const given = { fortCanningHill: 100, fortCanningRoad: 1000 };
    assert.equal(refusal(given, 'v0/params/dfip2201/active'), 'SetGovVariableHeightTx: ATTRIBUTES: Cannot be set before FortCanningHill');
    assert.equal(refusal({}, 'v0/params/dfip2201/active'), undefined);
  });

  test('are checked without the attributes of the state', () => {
    assert.equal(refusal({}, 'v0/token/1/payback_dfi'), 'SetGovVariableHeightTx: ATTRIBUTES: No such loan token (1)');
  });

  // Type, id and key, and the answer of `defid` 3.2.8; undefined if it accepts the message.
  const unknown: readonly (readonly [type: string, id: number | string, key: string, text: string | undefined])[] = [
    ['t', 1, 'z', 'Unsupported key'],
    ['t', 1, 'm', undefined],
    ['p', 1, 'z', 'Unsupported key'],
    ['c', 1, 'z', 'Unsupported key'],
    ['a', 'z', 'a', 'Unrecognised param id'],
    ['a', 'a', 'z', undefined],
    ['a', 'b', 'z', undefined],
    ['a', 'a', 'i', 'Cannot be set before FortCanningSpringHeight'],
    ['a', 'z', 'i', 'Cannot be set before FortCanningSpringHeight'],
    ['a', 'z', 'p', 'Cannot be set before GrandCentralHeight'],
    ['a', 'g', 'z', 'Cannot be set before FortCanningSpringHeight'],
    ['a', 'k', 'a', 'Unrecognised param id'],
    ['a', 'l', 'p', 'Cannot be set before GrandCentralHeight'],
    ['a', 'h', 'v', 'Cannot be set before GrandCentralHeight'],
    ['L', 'z', 'a', 'Cannot be set before FortCanningCrunch'],
    ['o', 'z', 'a', 'Cannot be set before FortCanningCrunch'],
    ['g', 'z', 'z', 'Cannot be set before GrandCentral'],
    ['l', 'e', 'a', undefined],
    ['b', 'a', 'a', 'Unrecognised type (98)'],
    ['\0', 0, '\0', 'Unrecognised type (0)'],
  ];
  for (const [type, id, key, text] of unknown) {
    test(`with unknown keys are refused like those of defid 3.2.8: ${JSON.stringify([type, id, key])}`, () => {
      const fixture = new PoolFixture(heights({ ...GRAND_CENTRAL, ...later, grandCentral: 1000 }));
      const idCode = typeof id === 'string' ? letter(id) : id;
      const given = { type: letter(type), id: idCode, key: letter(key), keyId: 0 };
      const variable = { name: 'ATTRIBUTES', value: [{ key: given, value: { kind: 'bool', value: true } }] } as const;
      const found = fixture.failure(setGovVariableHeight, { variable, startHeight: 200 }, member(fixture));
      assert.equal(found, text && `SetGovVariableHeightTx: ATTRIBUTES: ${text}`);
    });
  }
});

describe('values of a message that have no form of their attribute', () => {
  const refusal = (params: typeof allActive, path: string, value: AttributeValue): string | undefined => {
    const fixture = new DfiFixture(params);
    const key = parsePath(path, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    return fixture.failure(setGovVariable, [{ name: 'ATTRIBUTES', value: [{ key, value }] }], member(fixture));
  };
  const yes: AttributeValue = { kind: 'bool', value: true };
  const nobody: AttributeValue = { kind: 'scripts', value: [] };
  const early = heights(GRAND_CENTRAL);

  test('fail the transaction', () => {
    const text = 'SetGovVariableTx: CustomTxVisit unexpected error';
    assert.equal(refusal(allActive, 'v0/params/foundation/members', yes), text);
    assert.equal(refusal(allActive, 'v0/params/feature/gov', nobody), 'SetGovVariableTx: ATTRIBUTES: Empty value');
    assert.equal(refusal(early, 'v0/params/foundation/members', yes), 'SetGovVariableTx: unexpected error');
    assert.equal(refusal(early, 'v0/params/feature/gov', nobody), 'SetGovVariableTx: unexpected error');
  });

  test('fail it also as totals that have several parts', () => {
    const totals: AttributeValue = { kind: 'payback', value: { fees: [], payback: [] } };
    assert.equal(refusal(allActive, 'v0/params/feature/gov', totals), 'SetGovVariableTx: ATTRIBUTES: Empty value');
    assert.equal(refusal(early, 'v0/params/feature/gov', totals), 'SetGovVariableTx: unexpected error');
  });
});

test('attributes keep bytes that are no UTF-8, and a slash at the end of a currency is dropped', () => {
  const fixture = new PoolFixture(allActive);
  const set = (pair: { readonly token: string; readonly currency: string }) => {
    putNewPrice(fixture.view, { ...pair, currency: 'USD' }, 0, 1n);
    const key = parsePath('v0/token/1/fixed_interval_price_id', ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    const given = [{ name: 'ATTRIBUTES', value: [{ key, value: { kind: 'pair', value: pair } }] }] as const;
    assert.equal(fixture.failure(setGovVariable, given, member(fixture)), undefined);
    return valueAs(storedAttributes(fixture.view), key, 'pair');
  };
  assert.deepEqual(set({ token: 'A\xff', currency: 'USD' }), { token: 'A\xff', currency: 'USD' });
  assert.deepEqual(set({ token: 'B', currency: 'USD/' }), { token: 'B', currency: 'USD' });
});

// Type, group and key, and the answer of `defid` 3.2.8; undefined if it leaves the attribute out.
const PARAMS_WORD =
  'Unrecognised param argument provided, valid params are: dfip2201, dfip2203, dfip2206a, dfip2206f, feature, foundation,';
const LOCKS_WORD = 'Unrecognised locks argument provided, valid lockss are: token,';
const displaced: readonly (readonly [type: string, group: string, key: string, text: string | undefined])[] = [
  ['a', 'c', 'm', PARAMS_WORD],
  ['a', 'e', 'm', PARAMS_WORD],
  ['a', 'i', 'm', PARAMS_WORD],
  ['a', 'i', 'Z', undefined],
  ['a', 'z', 'm', undefined],
  ['L', 'a', '\x01', LOCKS_WORD],
  ['L', 'i', '\x05', LOCKS_WORD],
  ['L', 'z', '\x01', undefined],
  ['l', 'c', 'i', 'Unrecognised type argument provided, valid types are: consortium, gov, locks, oracles, params, poolpairs, token,'],
];
for (const [type, group, key, text] of displaced) {
  test(`attributes in groups of other types are refused like those of defid 3.2.8: ${JSON.stringify([type, group, key])}`, () => {
    const fixture = new DfiFixture(heights(GRAND_CENTRAL));
    const given = { type: letter(type), id: letter(group), key: letter(key), keyId: 0 };
    const variable = { name: 'ATTRIBUTES', value: [{ key: given, value: { kind: 'bool', value: true } }] } as const;
    const found = fixture.failure(setGovVariable, [variable], member(fixture));
    assert.equal(found, text && `SetGovVariableTx: ATTRIBUTES: ${text}`);
  });
}

test('balances in place of a value are refused before Metachain and left out since then', () => {
  const refusal = (path: string, metachain: number): string | undefined => {
    const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, metachain }));
    const key = parsePath(path, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    const value = { kind: 'balances', value: [{ tokenId: 0, amount: 1n }] } as const;
    const yes = {
      key: parsePath('v0/params/feature/gov', ATTRIBUTES_SINCE_METACHAIN) as AttributeKey,
      value: { kind: 'bool', value: true },
    } as const;
    return fixture.failure(setGovVariable, [{ name: 'ATTRIBUTES', value: [yes, { key, value }] }], member(fixture));
  };
  assert.equal(refusal('v0/params/feature/gov-unset', 10_000), 'SetGovVariableTx: unexpected error');
  assert.equal(refusal('v0/params/feature/gov-unset', 0), undefined);
});

describe('gates before Metachain', () => {
  const refusal = (path: string, value: AttributeValue, given: HeightOverrides): string | undefined => {
    const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, ...given }));
    const key = parsePath(path, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    return fixture.failure(setGovVariable, [{ name: 'ATTRIBUTES', value: [{ key, value }] }], member(fixture));
  };

  test('are the last of several alone', () => {
    const mint = 'v0/params/feature/mint-tokens-to-address';
    const yes: AttributeValue = { kind: 'bool', value: true };
    const text = 'SetGovVariableTx: ATTRIBUTES: Cannot be set before';
    const none = { grandCentral: 1000, grandCentralEpilogue: 1000 };
    assert.equal(refusal(mint, yes, none), `${text} GrandCentralEpilogueHeight`);
    assert.equal(refusal(mint, yes, { ...none, metachain: 0 }), `${text} GrandCentralHeight`);
    const start = 'v0/params/dfip2203/start_block';
    const later = { fortCanningRoad: 1000, fortCanningSpring: 1000 };
    assert.equal(refusal(start, { kind: 'amount', value: 1n }, later), `${text} FortCanningSpringHeight`);
    assert.equal(refusal(start, { kind: 'amount', value: 1n }, { ...later, metachain: 0 }), `${text} FortCanningRoad`);
  });

  test('unsetting a text in the place of a number finds nothing', () => {
    const failure = (params: typeof allActive, key: string): string | undefined => {
      const fixture = new DfiFixture(params);
      fixture.attribute('v0/params/feature/gov-unset', { kind: 'bool', value: true });
      return fixture.failure(unsetGovVariable, [{ name: 'ATTRIBUTES', keys: [key] }], member(fixture));
    };
    const text = 'UnsetGovVariableTx: ATTRIBUTES:';
    for (const key of ['v0/locks/token/abc', 'v0/oracles/splits/-1', 'v0/oracles/splits/fractional_enabled']) {
      assert.equal(failure(heights(GRAND_CENTRAL), key), `${text} Attribute {0} not exists`);
    }
    assert.equal(failure(allActive, 'v0/locks/token/abc'), `${text} Token should be defined as numeric ID`);
  });
});

test('ids to unset are parsed in 64 bits and truncated to 32', () => {
  const failure = (key: string): string | undefined => {
    const fixture = new PoolFixture(allActive);
    assert.equal(fixture.createPool({ tokenA: 1, tokenB: 3 }), undefined);
    fixture.attribute('v0/params/feature/gov-unset', { kind: 'bool', value: true });
    storeVariable(fixture.view, { name: 'LP_SPLITS', value: [{ pool: 4, share: COIN }] });
    const failed = fixture.failure(unsetGovVariable, [{ name: 'LP_SPLITS', keys: [key] }], member(fixture));
    assert.equal(storedVariable(fixture.view, 'LP_SPLITS') === undefined, failed === undefined);
    return failed;
  };
  for (const key of ['4', ' +4x', '-4294967292', '4294967300']) assert.equal(failure(key), undefined, key);
  assert.equal(failure('-4'), 'UnsetGovVariableTx: LP_SPLITS: id {4294967292} does not exists');
  for (const key of ['', 'x', '- 4', '18446744073709551620']) {
    assert.equal(failure(key), 'UnsetGovVariableTx: LP_SPLITS: failed to deserialize DCT_ID: stoul', key);
  }
});

test('the minimum number of blocks before a change is added in 64 bits', () => {
  const failure = (blocks: bigint) => {
    const fixture = new DfiFixture(allActive);
    fixture.attribute('v0/params/governance/govheight_min_blocks', { kind: 'u64', value: blocks });
    const variable = { name: 'LOAN_LIQUIDATION_PENALTY', value: COIN } as const;
    const failed = fixture.failure(setGovVariableHeight, { variable, startHeight: 101 }, member(fixture));
    assert.equal([...fixture.view.entries(pendingVariables)].length, failed ? 0 : 1);
    return failed;
  };
  assert.equal(failure(1n), 'SetGovVariableHeightTx: Height must be 1 blocks above the current height');
  assert.equal(failure(2n ** 64n - 1n), undefined);
});

test('a pending change is tried together with earlier pending changes', () => {
  const fixture = new PoolFixture(allActive);
  const later = (startHeight: number, name: string, value: AttributeValue) => {
    const key = parsePath(`v0/params/${name}`, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    const variable = { name: 'ATTRIBUTES', value: [{ key, value }] } as const;
    return fixture.failure(setGovVariableHeight, { variable, startHeight }, member(fixture));
  };
  assert.equal(later(200, 'dfip2203/block_period', { kind: 'amount', value: 20n }), undefined);
  assert.equal(
    later(300, 'dfip2203/active', { kind: 'bool', value: true }),
    'SetGovVariableHeightTx: ATTRIBUTES: Cumulative application of Gov vars failed: Cannot set block period while DFIP2203 is active',
  );
  assert.equal(later(199, 'dfip2201/active', { kind: 'bool', value: true }), undefined);
});

test('the start of DUSD futures may change while they are active, unless a period is set', () => {
  const fixture = new PoolFixture(allActive);
  fixture.attribute('v0/params/dfip2206f/active', { kind: 'bool', value: true });
  const start = (height: bigint) => {
    const key = parsePath('v0/params/dfip2206f/start_block', ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    return fixture.failure(
      setGovVariable,
      [{ name: 'ATTRIBUTES', value: [{ key, value: { kind: 'amount', value: height } }] }],
      member(fixture),
    );
  };
  assert.equal(start(400n), undefined);
  fixture.attribute('v0/params/dfip2206f/block_period', { kind: 'amount', value: 20n });
  assert.equal(start(500n), 'SetGovVariableTx: ATTRIBUTES: Cannot set block period while DFIP2206F is active');
});

describe('refunds of future swaps that a change of attributes ends are recorded', () => {
  const depositor = script(3);
  /** Fixture with an open future swap of 1 DFI of a kind. */
  const waiting = (kind: FutureKind): PoolFixture => {
    const fixture = new PoolFixture(allActive);
    fixture.attribute(`v0/params/${kind}/active`, { kind: 'bool', value: true });
    fixture.attribute(`v0/params/${kind}/block_period`, { kind: 'amount', value: 10n });
    fixture.attribute(`v0/params/${kind}/reward_pct`, { kind: 'amount', value: 5n });
    const source = { tokenId: 0, amount: COIN };
    fixture.give(contractOf(kind), 0, COIN);
    storedTotals(fixture.view).set(liveKey(`${kind}_current`), { kind: 'balances', value: [source] });
    putFuture(fixture.view, kind, { height: 90, owner: depositor, txn: 1 }, { source, destination: 0 });
    return fixture;
  };
  const off = (kind: FutureKind) => {
    const key = parsePath(`v0/params/${kind}/active`, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    return { name: 'ATTRIBUTES', value: [{ key, value: { kind: 'bool', value: false } }] } as const;
  };
  const shown = (fixture: DfiFixture, height: number) => {
    fixture.history.write(fixture.view);
    return [...fixture.view.entries(historyByOwner)]
      .filter(([key]) => key.height === height && Buffer.from(key.owner).equals(depositor))
      .map(([{ txn }, { category }]) => [txn, String.fromCharCode(category)]);
  };

  for (const [kind, height] of [
    ['dfip2203', 100],
    ['dfip2206f', 200],
  ] as const) {
    test(`for ${kind} at height ${height}, already in the trial`, () => {
      const fixture = waiting(kind);
      assert.equal(fixture.failure(setGovVariableHeight, { variable: off(kind), startHeight: 200 }, member(fixture)), undefined);
      assert.deepEqual([fixture.balance(depositor), fixture.balance(contractOf(kind))], [0n, COIN]);
      assert.deepEqual(shown(fixture, height), [[0xfffffffe, 'w']]);
    });
  }

  test('even if the change fails', () => {
    const fixture = waiting('dfip2203');
    // The stored factor exceeds what loan schemes allow: it fails after the refunds, because the effects of all attributes are applied.
    fixture.attribute('v0/token/1/fixed_interval_price_id', { kind: 'pair', value: { token: 'GOLD', currency: 'USD' } });
    putNewPrice(fixture.view, { token: 'GOLD', currency: 'USD' }, 0);
    fixture.attribute('v0/token/1/loan_collateral_factor', { kind: 'amount', value: 2n * COIN });
    fixture.view.put(pendingVariables, { height: 100, name: 'ATTRIBUTES' }, encodeVariable(off('dfip2203')));
    fixture.runEvent(governanceByHeight, 100);
    assert.equal(fixture.balance(depositor), 0n);
    assert.deepEqual(shown(fixture, 100), [[0xfffffffe, 'w']]);
  });

  test('once, if an earlier block wrote the entry for this height', () => {
    const fixture = new DfiFixture(allActive, 200);
    const count = () => fixture.view.get(historyCounts, { owner: depositor, category: 0x77, tokenId: undefined });
    for (const height of [100, 200]) {
      const history = new BlockHistory(height, fixture.params, true);
      const changes = new BalanceChanges();
      changes.recordChange(depositor, 0, 5n);
      history.add(changes.entries(), { txid: NULL_HASH, category: 0x77, txn: history.takeEventTxn(), height: 200 });
      history.write(fixture.view);
      assert.equal(count(), 1);
    }
  });
});
