import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPoolPair, updatePoolPair } from '../../../src/dfi/pools/transactions.js';
import { type RefusalRow, scriptHex, sentTx, TXID, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const OTHER = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
let node: FounderNode;
let founder: string;
let creationTx: string;
let lone: string;

/**
 * Tokens 1 GOLD, 2 SILVER and 3 COPPER. Pool 4 of GOLD and SILVER has 1 % commission and reserves of 100 and 400, pool 5 of
 * SILVER and COPPER no commission and reserves of 100 and 100; pool 6 of GOLD and DFI is empty.
 */
before(async () => {
  node = await startFounderNode();
  const { call, confirm, mint } = node;
  founder = node.founder;
  for (const symbol of ['GOLD', 'SILVER', 'COPPER']) {
    await confirm('createtoken', [{ symbol, name: symbol.toLowerCase(), isDAT: true, collateralAddress: founder }]);
  }
  await confirm('minttokens', [['1000@GOLD', '1000@SILVER', '1000@COPPER']]);
  await confirm('utxostoaccount', [{ [founder]: '50@DFI' }]);
  const pair = { tokenA: 'GOLD', tokenB: 'SILVER', commission: 0.01, status: true, ownerAddress: founder };
  creationTx = await confirm('createpoolpair', [{ ...pair, customRewards: ['2@DFI', '99@COPPER'] }]);
  await confirm('createpoolpair', [{ tokenA: 'SILVER', tokenB: 'COPPER', ownerAddress: OTHER, pairSymbol: 'SC' }]);
  await confirm('createpoolpair', [{ tokenA: 'GOLD', tokenB: 'DFI', ownerAddress: OTHER }]);
  lone = String(await call('getnewaddress'));
  await mint(1, founder);
  assert.match(await confirm('addpoolliquidity', [{ [founder]: ['100@GOLD', '400@SILVER'] }, founder]), TXID);
  assert.match(await confirm('addpoolliquidity', [{ '*': ['100@SILVER', '100@COPPER'] }, OTHER]), TXID);
});
after(() => node.end());

type Shown = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const summaries = {
  4: { symbol: 'GOLD-SILVER', name: 'gold-silver', status: true, idTokenA: '1', idTokenB: '2' },
  5: { symbol: 'SC', name: 'silver-copper', status: true, idTokenA: '2', idTokenB: '3' },
  6: { symbol: 'GOLD-DFI', name: 'gold-Default Defi token', status: true, idTokenA: '1', idTokenB: '0' },
};

describe('queries on pools', () => {
  test('by symbol, id or creation, with reserves; rewards that the owner cannot pay are left out', async () => {
    const shown = (await node.call('getpoolpair', ['GOLD-SILVER'])) as Shown;
    const expected = {
      ...summaries[4],
      reserveA: 100,
      reserveB: 400,
      commission: 0.01,
      totalLiquidity: 200,
      'reserveA/reserveB': 0.25,
      'reserveB/reserveA': 4,
      tradeEnabled: true,
      ownerAddress: founder,
      blockCommissionA: 0,
      blockCommissionB: 0,
      rewardPct: 0,
      rewardLoanPct: 0,
      customRewards: ['2.00000000@0', '99.00000000@3'],
      creationTx,
    };
    const { creationHeight, ...rest } = shown[4] ?? {};
    assert.deepEqual([Object.keys(shown), rest, typeof creationHeight], [['4'], expected, 'number']);
    assert.deepEqual(Object.keys(rest), Object.keys(expected), 'in this order');
    assert.deepEqual(await node.call('getpoolpair', [4]), shown);
    assert.deepEqual(await node.call('getpoolpair', [creationTx, false]), { 4: summaries[4] });
  });

  test('empty ones without a price, as a string', async () => {
    const shown = ((await node.call('getpoolpair', ['GOLD-DFI'])) as Shown)[6] ?? {};
    assert.deepEqual([shown['reserveA/reserveB'], shown['reserveB/reserveA'], shown.tradeEnabled], ['0', '0', false]);
    assert.ok(!('customRewards' in shown));
  });

  test('page by page', async () => {
    const list = async (...args: readonly unknown[]) => node.call('listpoolpairs', args);
    assert.deepEqual(await list({}, false), summaries);
    assert.deepEqual(await list({ limit: 1 }, false), { 4: summaries[4] });
    assert.deepEqual(await list({ start: 4 }, false), { 5: summaries[5], 6: summaries[6] });
    assert.deepEqual(await list({ start: 5, including_start: true, limit: 1 }, false), { 5: summaries[5] });
    assert.deepEqual(await list({ start: 6 }), {});
    assert.deepEqual(((await list()) as Shown)[4], ((await node.call('getpoolpair', ['4'])) as Shown)[4]);
  });

  test('shares by owner', async () => {
    const list = async (...args: readonly unknown[]) => node.call('listpoolshares', args);
    const own = { poolID: '4', owner: founder, '%': 99.999995, amount: 199.99999, totalLiquidity: 200 };
    const others = { poolID: '5', owner: OTHER, '%': 99.99999, amount: 99.99999, totalLiquidity: 100 };
    assert.deepEqual(await list(), { [`4@${founder}`]: own, [`5@${OTHER}`]: others });
    assert.deepEqual(await list({ start: 4 }), { [`5@${OTHER}`]: others });
    assert.deepEqual(await list({ limit: 1 }, false), { [`4@${founder}`]: { poolID: '4', owner: founder, '%': 99.999995 } });
    assert.deepEqual(await list({}, true, true), { [`4@${founder}`]: own });
  });
});

describe('testpoolswap', () => {
  const ask = async (change: object, ...more: readonly unknown[]) =>
    node.call('testpoolswap', [{ from: founder, tokenFrom: 'GOLD', amountFrom: 100, to: founder, tokenTo: 'SILVER', ...change }, ...more]);
  // 99 of 100 are swapped: 400 - 400 * 100 / 199, and one satoshi less.
  const direct = '198.99497487@2';
  const composite = { path: 'custom', pools: ['4', '5'], amount: '66.55462184@3' };

  test('returns the amount and the path of a swap', async () => {
    assert.equal(await ask({}), direct);
    assert.deepEqual(await ask({}, 'direct', true), { path: 'direct', pools: ['4'], amount: direct });
    assert.deepEqual(await ask({}, 'auto', true), { path: 'direct', pools: ['4'], amount: direct });
    assert.deepEqual(await ask({ tokenTo: 'COPPER' }, 'auto', true), { ...composite, path: 'auto' });
    assert.deepEqual(await ask({ tokenTo: 'COPPER' }, 'composite', true), { ...composite, path: 'composite' });
    assert.deepEqual(await ask({ tokenTo: 'COPPER' }, ['4', '5'], true), composite);
    assert.deepEqual(await ask({ tokenTo: 'COPPER' }, '["4","5"]', true), composite);
    assert.equal(await ask({ from: OTHER, amountFrom: 100 }), direct, 'whatever the recipient');
  });

  const none = '-32600 Cannot find usable pool pair. Details: ';
  const lacking = '"GOLD-DFI":"Lack of liquidity."';
  const refused: readonly (readonly [change: object, path: unknown, answer: string])[] = [
    [{ tokenTo: 'COPPER' }, 'direct', "-32600 Direct pool pair not found. Use 'auto' mode to use composite swap."],
    [{ tokenTo: 'COPPER' }, ['5'], `${none}Error, input token ID (1) doesn't match pool tokens (2,3)`],
    [{ tokenTo: 'COPPER' }, ['4', '9'], `${none}Cannot find the pool pair.`],
    [{ tokenTo: 'COPPER' }, ['4'], `${none}Final swap pool should have idTokenTo, incorrect final pool ID provided`],
    [{ tokenTo: 'COPPER' }, ['4', '5', '5', '5'], `${none}Too many pool IDs provided, max 3 allowed, 4 provided`],
    [{ tokenTo: 'DFI' }, 'auto', `${none}Lack of liquidity.`],
    // One path with one pool and two paths with three end at the empty one.
    [{ tokenTo: 'DFI' }, 'composite', `${none}(${lacking},${lacking},${lacking})`],
    [{ maxPrice: 0.2499 }, 'direct', `${none}Price is higher than indicated.`],
    [{ amountFrom: 0 }, 'direct', `${none}Input amount should be positive`],
    [{ tokenFrom: '' }, 'direct', '-8 tokenFrom is empty'],
    [{ tokenTo: '' }, 'direct', '-8 tokenTo is empty'],
    [{ tokenFrom: 'X' }, 'direct', '-8 TokenFrom was not found'],
    [{ tokenTo: 'X' }, 'direct', '-8 TokenTo was not found'],
    [{ from: 'x' }, 'direct', '-5 recipient (x) does not refer to any valid address'],
  ];
  for (const [change, path, answer] of refused) {
    test(`refuses ${JSON.stringify(change)} ${JSON.stringify(path)}`, async () => assert.equal(await ask(change, path), answer));
  }
});

describe('refusals', () => {
  const pair = { tokenA: 'COPPER', tokenB: 'DFI', ownerAddress: OTHER };
  const swap = () => ({ from: founder, tokenFrom: 'GOLD', amountFrom: 100, to: founder, tokenTo: 'SILVER' });
  const none = '-32600 Cannot find usable pool pair. Details: ';
  const calls: readonly RefusalRow[] = [
    ['poolswap', [], '-1 usage'],
    ['compositeswap', [], '-1 usage'],
    ['compositeswap', [5, 5], '-3 Expected type object, got number'],
    ['compositeswap', [null], '-1 JSON value is not an object as expected'],
    ['compositeswap', [{}, 5], '-3 Expected type array, got number'],
    ['compositeswap', [{}, null], '-8 tokenFrom is empty'],
    ['getpoolpair', () => ['GOLD'], '-5 Pool not found'],
    ['getpoolpair', () => ['NO'], '-5 Pool not found'],
    ['createpoolpair', () => [{ ...pair, tokenA: 'X' }], '-5 TokenA was not found'],
    ['createpoolpair', () => [{ ...pair, tokenB: 'X' }], '-5 TokenB was not found'],
    ['createpoolpair', () => [{ ...pair, pairSymbol: 'S'.repeat(17) }], '-5 pairSymbol is larger than 16'],
    ['createpoolpair', () => [{ ...pair, ownerAddress: 'x' }], '-5 recipient (x) does not refer to any valid address'],
    ['createpoolpair', () => [{ ...pair, commission: -1 }], '-3 Amount out of range'],
    ['createpoolpair', () => [{ ...pair, commission: 1.00000001 }], tried('CreatePoolPair', 'wrong commission')],
    ['createpoolpair', () => [{ ...pair, customRewards: ['1@X'] }], '0 : Invalid Defi token: X'],
    [
      'createpoolpair',
      () => [{ ...pair, tokenA: 'SILVER', tokenB: 'GOLD' }],
      tried('CreatePoolPair', 'Error, there is already a poolpair with same tokens, but different poolId'),
    ],
    ['createpoolpair', () => ['x'], '-3 Expected type object, got string'],
    ['createpoolpair', [], '-1 JSON value is not an object as expected'],
    ['updatepoolpair', [], '-1 JSON value is not an object as expected'],
    ['testpoolswap', [], '-1 JSON value is not an object as expected'],
    ['testpoolswap', () => [swap(), 'direct', null], '-1 JSON value is not a boolean as expected'],
    ['testpoolswap', () => [swap(), null], '-1 JSON value is not an object or array as expected'],
    ['testpoolswap', () => [swap(), 'x'], '-1 JSON value is not an object or array as expected'],
    ['testpoolswap', () => [swap(), { pool: 1 }], '-1 JSON value is not an object or array as expected'],
    [
      'addpoolliquidity',
      () => [{ '*': [] }, founder],
      '-32600 Not enough balance on wallet accounts, call utxostoaccount to increase it.\n',
    ],
    ['updatepoolpair', () => [{ pool: 'GOLD' }], '-8 Pool GOLD does not exist!'],
    ['updatepoolpair', () => [{ pool: ' 77 ' }], '-8 Pool 77 does not exist!'],
    ['updatepoolpair', () => [{ pool: '4', commission: 2 }], tried('UpdatePoolPair', 'commission > 100%')],
    ['poolswap', () => [{ ...swap(), maxPrice: 0.50251889 }], tried('PoolSwap', 'Price is higher than indicated.')],
    ['poolswap', () => [{ ...swap(), amountFrom: 5000 }], tried('PoolSwap', 'amount 900.00000000 is less than 5000.00000000')],
    ['poolswap', () => [{ ...swap(), tokenTo: 'COPPER' }], tried('PoolSwap', 'Cannot find the pool pair.')],
    ['poolswap', () => [{ ...swap(), from: OTHER }], `-5 Incorrect authorization for ${OTHER}`],
    ['poolswap', () => [{ ...swap(), tokenFrom: 'X' }], '-8 TokenFrom was not found'],
    ['compositeswap', () => [{ ...swap(), tokenTo: 'COPPER', maxPrice: 0.1 }], `${none}("SC":"Price is higher than indicated.")`],
    [
      'compositeswap',
      () => [{ ...swap(), tokenTo: 'COPPER', from: lone }],
      `${none}("GOLD-SILVER":"amount 0.00000000 is less than 100.00000000")`,
    ],
    ['compositeswap', () => [{ ...swap(), tokenFrom: 'DFI', tokenTo: 'COPPER' }], `${none}("GOLD-DFI":"Lack of liquidity.")`],
    ['compositeswap', () => [{ ...swap(), tokenTo: 'COPPER', amountFrom: 0 }], '-32600 Cannot find usable pool pair.'],
    ['compositeswap', () => [{ ...swap(), amountFrom: -1 }], '-3 Amount out of range'],
    ['addpoolliquidity', () => [{ [founder]: ['100@GOLD'] }, founder], tried('AddPoolLiquidity', 'the pool pair requires two tokens')],
    ['addpoolliquidity', () => [{ [founder]: ['1@GOLD', '1@COPPER'] }, founder], tried('AddPoolLiquidity', 'there is no such pool pair')],
    [
      'addpoolliquidity',
      () => [{ [founder]: ['10@GOLD', '41.2@SILVER'] }, founder],
      tried('AddPoolLiquidity', 'Exceeds max ratio slippage protection of 3%'),
    ],
    [
      'addpoolliquidity',
      () => [{ [founder]: ['1000@GOLD', '1@SILVER'] }, founder],
      tried('AddPoolLiquidity', 'amount 900.00000000 is less than 1000.00000000'),
    ],
    [
      'addpoolliquidity',
      () => [{ [founder]: ['0.00001@GOLD', '0.00000001@DFI'] }, founder],
      tried('AddPoolLiquidity', 'liquidity too low'),
    ],
    [
      'addpoolliquidity',
      () => [{ '*': ['1000@GOLD', '1@SILVER'] }, founder],
      '-32600 Not enough balance on wallet accounts, call utxostoaccount to increase it.\n',
    ],
    ['addpoolliquidity', () => [{ [OTHER]: ['1@GOLD', '4@SILVER'] }, founder], `-5 Incorrect authorization for ${OTHER}`],
    ['removepoolliquidity', () => [founder, '1@GOLD'], tried('RemovePoolLiquidity', 'there is no such pool pair')],
    [
      'removepoolliquidity',
      () => [founder, '200@GOLD-SILVER'],
      "-32600 Test RemovePoolLiquidityTx execution failed: not enough balance on owner's account, call utxostoaccount to increase it.\n" +
        'amount 199.99999000 is less than 200.00000000',
    ],
    ['removepoolliquidity', () => [OTHER, '1@SC'], `-5 Incorrect authorization for ${OTHER}`],
    ['removepoolliquidity', () => [founder, 1], '-3 Expected type string, got number'],
  ];
  testRefusals(() => node, calls);
});

/** These change the pools, so they run after the tests above. */
describe('swaps and withdrawals', () => {
  const poolOf = async (id: number) => ((await node.call('getpoolpair', [id])) as Shown)[id] ?? {};

  test('compositeswap goes through two pools', async () => {
    const swap = { from: founder, tokenFrom: 'GOLD', amountFrom: 100, to: lone, tokenTo: 'COPPER', maxPrice: 1.51 };
    assert.match(await node.confirm('compositeswap', [swap]), TXID);
    assert.deepEqual(await node.call('getaccount', [lone]), ['66.55462184@COPPER']);
    const [first, second] = [await poolOf(4), await poolOf(5)];
    assert.deepEqual([first.reserveA, first.reserveB], [199, 201.00502513]);
    assert.deepEqual([second.reserveA, second.reserveB], [298.99497487, 33.44537816]);
  });

  test('removepoolliquidity pays a part of both reserves', async () => {
    assert.match(await node.confirm('removepoolliquidity', [founder, '100@GOLD-SILVER']), TXID);
    const pool = await poolOf(4);
    assert.deepEqual([pool.reserveA, pool.reserveB, pool.totalLiquidity], [99.5, 100.50251257, 100]);
  });

  test('poolswap pays the named recipient, and updatepoolpair ends trading', async () => {
    const to = String(await node.call('getnewaddress'));
    const swap = { from: founder, tokenFrom: 'SILVER', amountFrom: 1, to, tokenTo: 'COPPER' };
    assert.match(await node.confirm('poolswap', [swap]), TXID);
    // 33.44537816 - 33.44537816 * 298.99497487 / 299.99497487, and one satoshi less.
    assert.deepEqual(await node.call('getaccount', [to]), ['0.11148646@COPPER']);
    assert.match(await node.confirm('updatepoolpair', [{ pool: 'SC', status: false, commission: 0.5, ownerAddress: lone }]), TXID);
    const pool = await poolOf(5);
    assert.deepEqual([pool.status, pool.commission, pool.ownerAddress], [false, 0.5, lone]);
    assert.equal(await node.call('poolswap', [swap]), '-32600 Test PoolSwapTx execution failed:\nPool trading is turned off!');
    // The direct pool, and for each pool of SILVER there and back.
    const ways = Array.from({ length: 3 }, () => '"SC":"Pool trading is turned off!"').join(',');
    assert.equal(await node.call('compositeswap', [swap]), `-32600 Cannot find usable pool pair. Details: (${ways})`);
  });
});

describe('sent transactions', () => {
  const pair = { tokenA: 'COPPER', tokenB: 'GOLD', ownerAddress: OTHER };
  const rows = [
    { status: undefined, expected: true },
    { status: false, expected: false },
    // Any value but a boolean counts as false.
    { status: 'true', expected: false },
  ];
  for (const { status, expected } of rows) {
    test(`createpoolpair with status ${JSON.stringify(status)}: a founder authorises and gets the change`, async () => {
      const sent = sentTx(node, await node.call('createpoolpair', [{ ...pair, status, commission: '0.5' }]), createPoolPair);
      const terms = { tokenA: 3, tokenB: 1, commission: 50_000_000n, owner: await scriptHex(node, OTHER), status: expected };
      assert.deepEqual(sent.body, { ...terms, symbol: '', rewards: [] });
      assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], founder]);
      await node.call('clearmempool');
    });
  }

  test('createpoolpair: the message ends with a list of rewards, also without any', async () => {
    const txid = String(await node.call('createpoolpair', [{ ...pair, pairSymbol: 'CG' }]));
    const { vout } = (await node.call('getrawtransaction', [txid, true])) as { vout: { scriptPubKey: { hex: string } }[] };
    // The symbol with its length, and the number of rewards.
    assert.match(String(vout[0]?.scriptPubKey.hex), /02434700$/);
    await node.call('clearmempool');
  });

  test('poolswap: an input that is not in a block authorises nothing, not even an empty sender', async () => {
    await node.call('sendtoaddress', [lone, 1]);
    const coins = (await node.call('listunspent', [0, 0, [lone]])) as { txid: string; vout: number }[];
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout }));
    assert.equal(inputs.length, 1);
    const swap = { tokenFrom: 'GOLD', amountFrom: 1, to: founder, tokenTo: 'SILVER' };
    assert.equal(
      await node.call('poolswap', [swap, inputs]),
      '-32600 Test PoolSwapTx execution failed:\ntx must have at least one input from account owner',
    );
    await node.call('clearmempool');
  });

  test('updatepoolpair: missing members stay empty, empty rewards are removed', async () => {
    const change = { pool: 'GOLD-SILVER', status: 1, customRewards: [] };
    const sent = sentTx(node, await node.call('updatepoolpair', [change]), updatePoolPair);
    const none = [{ tokenId: 0xffff_ffff, amount: 0x7fff_ffff_ffff_ffffn }];
    assert.deepEqual(sent.body, { pool: 4, status: false, commission: -1n, owner: '', rewards: none, names: undefined });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], founder]);
    await node.call('clearmempool');
  });

  test('updatepoolpair: names of any type are ignored below Metachain, as by defid 3.2.8', async () => {
    const named = sentTx(node, await node.call('updatepoolpair', [{ pool: '4', symbol: 'X', name: 5 }]), updatePoolPair);
    assert.deepEqual(named.body, { pool: 4, status: true, commission: -1n, owner: '', rewards: [], names: undefined });
    await node.call('clearmempool');
  });
});

testLocked(
  () => node,
  [
    ['poolswap', () => [{ from: founder, tokenFrom: 'GOLD', amountFrom: 1, to: founder, tokenTo: 'SILVER' }]],
    ['compositeswap', () => [{ from: founder, tokenFrom: 'GOLD', amountFrom: 1, to: founder, tokenTo: 'SILVER' }]],
    ['addpoolliquidity', () => [{ [founder]: ['0.99@GOLD', '1@SILVER'] }, founder]],
    ['removepoolliquidity', () => [founder, '1@GOLD-SILVER']],
    ['updatepoolpair', [{ pool: 'GOLD-SILVER', commission: 0.02 }]],
  ],
);
