import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { burnToken, createToken, mintToken } from '../../../src/dfi/tokens/transactions.js';
import { updateTokenAny } from '../../../src/dfi/tokens/updates.js';
import { assertRefused, type RefusalRow, scriptHex, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const NOBODY = '(nobody) does not refer to any valid address';
const { mintable, tradeable, dat, finalized } = TokenFlag;

interface Shown {
  readonly symbol: string;
  readonly name: string;
  readonly mintable: boolean;
  readonly tradeable: boolean;
  readonly isDAT: boolean;
  readonly finalized: boolean;
  readonly minted: number;
  readonly creationTx: string;
  readonly collateralAddress: string;
}

async function shown(node: FounderNode, key: string): Promise<Shown> {
  const [found] = Object.values((await node.call('gettoken', [key])) as Record<string, Shown>);
  assert.ok(found);
  return found;
}

/** Node whose founder has a mintable token and a DAT; another wallet has only coins. */
async function start(): Promise<{ node: FounderNode; rich: string; other: string }> {
  const node = await startFounderNode(undefined, ['stranger']);
  const { call, confirm } = node;
  const rich = String(await call('getnewaddress', ['', 'legacy']));
  const other = String(await call('getnewaddress', ['', 'legacy'], 'stranger'));
  await call('sendtoaddress', [rich, 10]);
  await call('sendtoaddress', [other, 30]);
  await confirm('createtoken', [{ symbol: 'GOLD', name: 'gold', collateralAddress: rich }]);
  await confirm('createtoken', [{ symbol: 'DAT', name: 'asset', isDAT: true, collateralAddress: node.founder }]);
  return { node, rich, other };
}

describe('tokens', () => {
  let node: FounderNode;
  let [rich, other] = ['', ''];

  before(async () => {
    ({ node, rich, other } = await start());
  });
  after(() => node.end());

  describe('createtoken', () => {
    const rows = [
      {
        name: 'all of it by default',
        metadata: { symbol: ' GREEN ', name: ' g ' },
        symbol: 'GREEN',
        title: 'g',
        flags: mintable | tradeable,
      },
      {
        name: 'flags that are cleared',
        metadata: { symbol: 'RED', mintable: false, tradeable: false },
        symbol: 'RED',
        title: '',
        flags: 0,
      },
      {
        name: 'flags that are not booleans count as false',
        metadata: { symbol: 'BLUE', mintable: 'true', tradeable: 1, isDAT: 'true' },
        symbol: 'BLUE',
        title: '',
        flags: 0,
      },
      {
        name: 'texts that are too long',
        metadata: { symbol: 'ABCDEFGHIJ', name: 'n'.repeat(200) },
        symbol: 'ABCDEFGH',
        title: 'n'.repeat(128),
        flags: mintable | tradeable,
      },
    ];
    for (const { name, metadata, symbol, title, flags } of rows) {
      test(`${name}: the fee is burnt in output 0, the collateral is output 1`, async () => {
        const txid = await node.call('createtoken', [{ ...metadata, collateralAddress: rich }]);
        const sent = sentTx(node, txid, createToken);
        assert.deepEqual(sent.body, { symbol, name: title, decimal: 8, limit: 0n, flags });
        assert.deepEqual(sent.outputs, ['1.00000000 message', `10.00000000 ${rich}`]);
        await node.mint(1, node.founder);
        const tokens = Object.values((await node.call('listtokens')) as Record<string, Shown>);
        const made = tokens.find(({ creationTx }) => creationTx === txid);
        assert.deepEqual([made?.symbol, made?.name, made?.collateralAddress], [symbol, title, rich]);
        assert.deepEqual([made?.mintable, made?.tradeable], [Boolean(flags & mintable), Boolean(flags & tradeable)]);
      });
    }

    test('a DAT requires a founder, who gets the change', async () => {
      const sent = sentTx(node, await node.call('createtoken', [{ symbol: 'NEW', isDAT: true, collateralAddress: FOREIGN }]), createToken);
      assert.deepEqual(sent.body, { symbol: 'NEW', name: '', decimal: 8, limit: 0n, flags: mintable | tradeable | dat });
      assert.deepEqual([sent.outputs, sent.change], [['1.00000000 message', `10.00000000 ${FOREIGN}`], node.founder]);
      await node.mint(1, node.founder);
      assert.deepEqual((await shown(node, 'NEW')).isDAT, true);
    });
  });

  describe('updatetoken', () => {
    /** Steps that build on each other. */
    const rows: readonly {
      readonly change: Readonly<Record<string, unknown>>;
      readonly symbol?: string;
      readonly name?: string;
      readonly flags: number;
    }[] = [
      { change: { mintable: false }, flags: tradeable },
      { change: { tradeable: false }, flags: 0 },
      { change: { mintable: true, tradeable: true }, flags: mintable | tradeable },
      { change: { mintable: 'yes' }, flags: tradeable },
      { change: { mintable: null, name: 'renamed' }, name: 'renamed', flags: tradeable },
      { change: { symbol: 'SILVER' }, symbol: 'SILVER', name: 'renamed', flags: tradeable },
      // `defid` before Metachain ignores both members.
      { change: { deprecate: true, collateralAddress: 'nobody' }, symbol: 'SILVER', name: 'renamed', flags: tradeable },
      { change: { finalize: false }, symbol: 'SILVER', name: 'renamed', flags: tradeable },
      { change: { finalize: true }, symbol: 'SILVER', name: 'renamed', flags: tradeable | finalized },
    ];

    const idOf = async (txid: string): Promise<string> => {
      const tokens = Object.entries((await node.call('listtokens')) as Record<string, Shown>);
      return tokens.find(([, { creationTx }]) => creationTx === txid)?.[0] ?? '';
    };

    test('every flag, by the owner, who gets the change', async () => {
      const { call, mint } = node;
      const txid = String(await node.confirm('createtoken', [{ symbol: 'COPPER', name: 'copper', collateralAddress: rich }]));
      const id = await idOf(txid);
      for (const { change, symbol = 'COPPER', name = 'copper', flags } of rows) {
        const sent = sentTx(node, await call('updatetoken', [id, change]), updateTokenAny);
        const fields = { symbol, name, decimal: 8, limit: 0n, flags };
        assert.deepEqual(sent.body, { tokenTx: txid, token: fields, newCollateral: undefined }, JSON.stringify(change));
        assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], rich]);
        await mint(1, node.founder);
        const now = await shown(node, id);
        assert.deepEqual([now.symbol, now.mintable, now.tradeable], [symbol, Boolean(flags & mintable), Boolean(flags & tradeable)]);
      }
      assert.deepEqual([(await shown(node, id)).name, (await shown(node, id)).finalized], ['renamed', true]);
      await assertRefused(node, {
        method: 'updatetoken',
        args: [id, { name: 'again' }],
        answer: tried('UpdateTokenAny', "can't alter 'Finalized' tokens"),
      });
    });

    test('a founder turns the token of another owner into a DAT; its owner and the foundation authorise', async () => {
      const txid = await node.confirm('createtoken', [{ symbol: 'TIN', collateralAddress: node.founder }]);
      const id = await idOf(txid);
      const sent = sentTx(node, await node.call('updatetoken', [id, { isDAT: true }]), updateTokenAny);
      const fields = { symbol: 'TIN', name: '', decimal: 8, limit: 0n, flags: mintable | tradeable | dat };
      assert.deepEqual([sent.body, sent.change], [{ tokenTx: txid, token: fields, newCollateral: undefined }, node.founder]);
      await node.mint(1, node.founder);
      assert.equal((await shown(node, 'TIN')).isDAT, true);
    });
  });

  describe('minttokens', () => {
    test('mints to the owner of each token; both owners authorise', async () => {
      const sent = sentTx(node, await node.call('minttokens', [['5@GOLD#128', '2@DAT', '1@GOLD#128']]), mintToken);
      assert.deepEqual(sent.body, {
        balances: [
          { tokenId: 1, amount: 200_000_000n },
          { tokenId: 128, amount: 600_000_000n },
        ],
        to: '',
      });
      assert.deepEqual(sent.outputs, ['0.00000000 message']);
      await node.mint(1, node.founder);
      assert.deepEqual(await node.call('getaccount', [rich]), ['6.00000000@GOLD#128']);
      assert.deepEqual(await node.call('getaccount', [node.founder]), ['2.00000000@DAT']);
      assert.equal((await shown(node, '128')).minted, 6);
    });

    test('accepts its arguments as members of the first, too', async () => {
      const sent = sentTx(node, await node.call('minttokens', [{ amounts: ['1@128'] }]), mintToken);
      assert.deepEqual([sent.body, sent.change], [{ balances: [{ tokenId: 128, amount: 100_000_000n }], to: '' }, rich]);
      await node.mint(1, node.founder);
      assert.deepEqual(await node.call('getaccount', [rich]), ['7.00000000@GOLD#128']);
    });
  });

  test('burntokens moves an amount to the burn address, signed by its owner', async () => {
    const args = [{ amounts: '3@GOLD#128', from: rich, context: FOREIGN }];
    const sent = sentTx(node, await node.call('burntokens', args), burnToken);
    const amounts = [{ tokenId: 128, amount: 300_000_000n }];
    const [from, context] = [await scriptHex(node, rich), await scriptHex(node, FOREIGN)];
    assert.deepEqual(sent.body, { amounts, from, burnType: 0, context });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], rich]);
    await node.mint(1, node.founder);
    assert.deepEqual(await node.call('getaccount', [rich]), ['4.00000000@GOLD#128']);
    assert.deepEqual(await node.call('getburninfo').then((info) => (info as { tokens: unknown }).tokens), ['3.00000000@GOLD#128']);
  });

  test('listtokens: any value but a boolean counts as false for the flag of a page', async () => {
    const ids = async (page: object): Promise<readonly string[]> => Object.keys((await node.call('listtokens', [page, false])) as object);
    assert.deepEqual(await ids({ start: 1, including_start: true, limit: 1 }), ['1']);
    assert.deepEqual(await ids({ start: 1, including_start: 'true', limit: 1 }), await ids({ start: 1, limit: 1 }));
    assert.deepEqual(await ids({ including_start: 1, limit: 1 }), ['1'], 'the token behind the first');
  });

  const named = (metadata: object) => () => [{ symbol: 'X', collateralAddress: rich, ...metadata }];
  const change = (metadata: unknown, key = 'GOLD#128') => [key, metadata] as const;
  const shape = '-8 Invalid parameters, arguments 1 must be non-null and expected as object at least with {"symbol","collateralAddress"}';
  const rows: readonly RefusalRow[] = [
    ['createtoken', [], shape],
    ['createtoken', [null], shape],
    ['createtoken', ['X'], '-3 Expected type object, got string'],
    ['createtoken', [{ symbol: 'X' }], '-8 collateralAddress () does not refer to any valid address'],
    ['createtoken', named({ collateralAddress: 'nobody' }), `-8 collateralAddress ${NOBODY}`],
    ['createtoken', named({ symbol: '' }), tried('CreateToken', 'token symbol should be non-empty and starts with a letter')],
    ['createtoken', named({ symbol: '1X' }), tried('CreateToken', 'token symbol should be non-empty and starts with a letter')],
    ['createtoken', named({ symbol: 'A#1' }), tried('CreateToken', "token symbol should not contain '#'")],
    ['createtoken', named({ symbol: 'A/B' }), tried('CreateToken', "token symbol should not contain '/'")],
    ['createtoken', named({ symbol: 'DAT', isDAT: true }), tried('CreateToken', "token 'DAT' already exists!")],
    ['createtoken', named({ isDAT: true }), tried('CreateToken', 'tx not from foundation member'), 'stranger'],
    ['updatetoken', ['GOLD#128'], '-1 JSON value is not an object as expected'],
    ['updatetoken', change(null), '-1 JSON value is not an object as expected'],
    ['updatetoken', change({}, 'DFI'), "-8 Can't alter DFI token!"],
    // `defid` before Metachain takes an unknown token for token 0.
    ['updatetoken', change({}, 'NOPE'), "-8 Can't alter DFI token!"],
    // An unknown token is that of the number at the start of its name.
    ['updatetoken', change({}, '0@DFI'), "-8 Can't alter DFI token!"],
    ['updatetoken', change({}, '1@DFI'), '-8 Token 1@DFI does not exist!'],
    ['updatetoken', change({}, '4294967296x'), "-8 Can't alter DFI token!"],
    ['updatetoken', change({}, '+0'), "-8 Can't alter DFI token!"],
    ['updatetoken', change({ symbol: '' }, '+128'), tried('UpdateTokenAny', 'token symbol should be non-empty and starts with a letter')],
    ['updatetoken', change({}, '10000000000'), '-8 Token 10000000000 does not exist!'],
    ['updatetoken', change({}, '-1'), "-8 Can't alter DFI token!"],
    ['minttokens', [null], '-1 JSON value is not a string as expected'],
    ['minttokens', ['1@DFI', { DFI: '1@DFI' }], '-1 JSON value is not an object as expected'],
    ['updatetoken', change({ name: 'mine' }), () => `-5 Incorrect authorization for ${rich}`, 'stranger'],
    ['updatetoken', change({ name: 'mine' }, 'DAT'), tried('UpdateTokenAny', 'tx not from foundation member'), 'stranger'],
    ['updatetoken', change({ symbol: '' }), tried('UpdateTokenAny', 'token symbol should be non-empty and starts with a letter')],
    ['updatetoken', change({ isDAT: true }), tried('UpdateTokenAny', "can't set isDAT to true, tx not from foundation member")],
    ['updatetoken', change({ symbol: 'ZINC' }, 'NOPE#128'), "-8 Can't alter DFI token!"],
    ['minttokens', ['1@NOPE'], '0 : Invalid Defi token: NOPE'],
    ['minttokens', ['1@300'], '-8 Token 300 does not exist!'],
    ['minttokens', ['x@DAT'], '-3 : Invalid amount'],
    ['minttokens', ['0@DAT'], '-3 : Amount out of range'],
    ['minttokens', ['-1@DAT'], '-3 : Amount out of range'],
    ['minttokens', ['1@DFI'], tried('MintToken', "can't mint default DFI coin!")],
    ['minttokens', ['1@DAT', [], 'nobody'], `-5 recipient ${NOBODY}`],
    ['minttokens', () => ['1@DAT', [], rich], tried('MintToken', 'Mint tokens to address is not enabled')],
    ['minttokens', ['1@DAT', [], null], '-1 JSON value is not a string as expected'],
    ['burntokens', [{}], '-8 Invalid parameters, argument "amounts" must not be null'],
    // A list is not a string, and a string has one amount.
    ['burntokens', () => [{ amounts: ['1@DAT', '1@128'], from: rich }], '-3 : Invalid amount'],
    ['burntokens', () => [{ amounts: '1@DAT', context: rich }], '-8 Invalid parameters, argument "from" must not be null'],
    ['burntokens', [{ amounts: '1@DAT' }], '-8 No valid addresses could be found, use the "from" argument to set address to burn from'],
    ['burntokens', [{ amounts: '1@DAT', from: 'nobody' }], `-5 recipient ${NOBODY}`],
    ['burntokens', () => [{ amounts: '1@DAT', from: rich, context: 'nobody' }], `-5 recipient ${NOBODY}`],
    ['burntokens', () => [{ amounts: '1@NOPE', from: rich }], '0 : Invalid Defi token: NOPE'],
    ['burntokens', [{ amounts: '1@DAT', from: FOREIGN }], `-5 Incorrect authorization for ${FOREIGN}`],
    ['burntokens', () => [{ amounts: '100@GOLD#128', from: rich }], tried('BurnToken', 'amount 4.00000000 is less than 100.00000000')],
  ];
  testRefusals(() => node, rows);

  test('named inputs must belong to the owner', async () => {
    const [coin] = (await node.call('listunspent', [1, 9999999, [other]], 'stranger')) as { txid: string; vout: number }[];
    assert.ok(coin);
    const inputs = [{ txid: coin.txid, vout: coin.vout }];
    const owner = tried('UpdateTokenAny', 'tx must have at least one input from the owner');
    const rows = [
      { method: 'createtoken', args: [...named({ isDAT: true })(), inputs], answer: tried('CreateToken', 'tx not from foundation member') },
      { method: 'updatetoken', args: ['GOLD#128', { name: 'mine' }, inputs], answer: owner },
    ];
    for (const row of rows) await assertRefused(node, { ...row, wallet: 'stranger' });
  });

  testLocked(
    () => node,
    [
      ['createtoken', named({})],
      ['createtoken', named({ isDAT: true })],
      ['updatetoken', ['GOLD#128', { name: 'n' }]],
      ['minttokens', ['1@DAT']],
      ['burntokens', () => [{ amounts: '1@GOLD#128', from: rich }]],
    ],
  );
});
