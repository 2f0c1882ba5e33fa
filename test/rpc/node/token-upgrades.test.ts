import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { updateToken, updateTokenAny } from '../../../src/dfi/tokens/updates.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const { mintable, tradeable, dat, deprecated } = TokenFlag;

interface Shown {
  readonly symbol: string;
  readonly isDAT: boolean;
  readonly collateralAddress: string;
}

const tokenOf = async ({ call }: FounderNode, key: string): Promise<Shown | undefined> =>
  Object.values((await call('gettoken', [key])) as Record<string, Shown>)[0];

describe('updatetoken before Bayfront', () => {
  let node: FounderNode;
  let creation = '';

  before(async () => {
    node = await startFounderNode({ amk: 0 }, ['stranger']);
    const { call, confirm } = node;
    const other = await call('getnewaddress', [], 'stranger');
    await call('sendtoaddress', [other, 5]);
    creation = await confirm('createtoken', [{ symbol: 'GOLD', collateralAddress: other }]);
  });
  after(() => node.end());

  for (const isDAT of [true, false]) {
    test(`a founder sets isDAT to ${isDAT}, and no other signer is required`, async () => {
      const sent = sentTx(node, await node.call('updatetoken', [isDAT ? 'GOLD#128' : 'GOLD', { isDAT }]), updateToken);
      assert.deepEqual(sent, {
        body: { tokenTx: creation, isDat: isDAT },
        outputs: ['0.00000000 message'],
        change: node.founder,
        spent: sent.spent,
      });
      await node.mint(1, node.founder);
      assert.equal((await tokenOf(node, '128'))?.isDAT, isDAT);
    });
  }

  const only = "-8 Only 'isDAT' flag modification allowed before Bayfront fork (<10000000)";
  testRefusals(
    () => node,
    [
      ['updatetoken', ['128', {}], only],
      ['updatetoken', ['128', { name: 'n' }], only],
      ['updatetoken', ['128', { isDAT: true, name: 'n' }], only],
      ['updatetoken', ['128', { isDAT: true }], tried('UpdateToken', 'tx not from foundation member'), 'stranger'],
      ['updatetoken', ['129', { isDAT: true }], '-8 Token 129 does not exist!'],
    ],
  );

  testLocked(() => node, [['updatetoken', ['128', { isDAT: true }]]]);
});

describe('updatetoken from DF24 on', () => {
  let node: FounderNode;
  let [owner, next] = ['', ''];
  const creations: string[] = [];

  before(async () => {
    const late = { grandCentralEpilogue: 0, metachain: 0, df23: 0, df24: 0 };
    node = await startFounderNode({ ...GRAND_CENTRAL, ...late }, ['stranger', 'poor']);
    const { call, confirm } = node;
    owner = String(await call('getnewaddress', ['', 'legacy'], 'stranger'));
    next = String(await call('getnewaddress', ['', 'legacy'], 'stranger'));
    for (const to of [owner, next]) await call('sendtoaddress', [to, 30]);
    creations.push(await confirm('createtoken', [{ symbol: 'GOLD', name: 'gold', collateralAddress: owner }]));
    creations.push(await confirm('createtoken', [{ symbol: 'TIN', name: 'tin', isDAT: true, collateralAddress: owner }]));
    const poor = await call('getnewaddress', ['', 'legacy'], 'poor');
    await confirm('createtoken', [{ symbol: 'RAGS', name: 'rags', collateralAddress: poor }]);
  });
  after(() => node.end());

  const fields = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: mintable | tradeable };

  test('the collateral moves to a new output 1, and with it the right to update', async () => {
    const call = (args: readonly unknown[]) => node.call('updatetoken', args, 'stranger');
    const sent = sentTx(node, await call(['GOLD#128', { collateralAddress: next, name: 'moved' }]), updateTokenAny);
    assert.deepEqual(sent.body, { tokenTx: creations[0], token: { ...fields, name: 'moved' }, newCollateral: true });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message', `10.00000000 ${next}`], owner]);
    await node.mint(1, node.founder);
    assert.equal((await tokenOf(node, '128'))?.collateralAddress, next);
    const again = sentTx(node, await call(['128', { name: 'gold' }]), updateTokenAny);
    assert.deepEqual(again.body, { tokenTx: creations[0], token: fields, newCollateral: false });
    assert.deepEqual([again.outputs, again.change], [['0.00000000 message'], next]);
    await node.mint(1, node.founder);
  });

  for (const deprecate of [true, false]) {
    test(`a member of the foundation ${deprecate ? 'deprecates' : 'reinstates'} the token of another owner`, async () => {
      const flags = mintable | tradeable | dat | (deprecate ? deprecated : 0);
      const key = deprecate ? 'TIN' : 'eol/TIN';
      const sent = sentTx(node, await node.call('updatetoken', [key, { deprecate }]), updateTokenAny);
      const token = { ...fields, symbol: key, name: 'tin', flags };
      assert.deepEqual([sent.body, sent.change], [{ tokenTx: creations[1], token, newCollateral: false }, node.founder]);
      await node.mint(1, node.founder);
      assert.equal((await tokenOf(node, deprecate ? 'eol/TIN' : 'TIN'))?.isDAT, true);
    });
  }

  testRefusals(
    () => node,
    [
      ['updatetoken', ['', { name: 'n' }], '-8 Token name cannot be empty'],
      ['updatetoken', ['NOPE', { name: 'n' }], '-8 Token NOPE does not exist!'],
      ['updatetoken', ['DFI', { name: 'n' }], "-8 Can't alter DFI token!"],
      ['updatetoken', ['128', { collateralAddress: 'nobody' }], '-5 recipient (nobody) does not refer to any valid address', 'stranger'],
      ['updatetoken', ['128', { name: 'n' }], () => `-5 Incorrect authorization for ${next}`],
      ['updatetoken', ['128', { isDAT: true }], tried('UpdateTokenAny', 'Cannot change isDAT flag after DF23Height'), 'stranger'],
      [
        'updatetoken',
        ['TIN', { deprecate: true, name: 'mine' }],
        tried('UpdateTokenAny', 'Only token deprecation toggle is allowed by governance'),
      ],
      ['updatetoken', ['RAGS#129', { name: 'n' }], '-4 Add-on auth TX failed: Insufficient funds', 'poor'],
      // An owner without coins is tried as a member, who needs none of his own.
      ['updatetoken', ['RAGS#129', { deprecate: true }], '-4 Insufficient funds', 'poor'],
      ['createtoken', () => [{ symbol: 'A', name: '', collateralAddress: owner }], '-8 Token name should not be empty'],
      [
        'createtoken',
        () => [{ symbol: '1A', name: 'a', collateralAddress: owner }],
        tried('CreateToken', 'Invalid token symbol. Valid: Start with an alphabet, non-empty, not contain # or /'),
      ],
    ],
  );
});

describe('updatetoken between Metachain and DF24', () => {
  let node: FounderNode;

  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, grandCentralEpilogue: 0, metachain: 0 });
    const owner = await node.call('getnewaddress', ['', 'legacy']);
    await node.confirm('createtoken', [{ symbol: 'GOLD', name: 'gold', collateralAddress: owner }]);
  });
  after(() => node.end());

  testRefusals(
    () => node,
    [
      ['updatetoken', ['128', { deprecate: true }], tried('UpdateTokenAny', 'Token cannot be deprecated below DF24Height')],
      ['updatetoken', ['128', { collateralAddress: 'nobody' }], '-8 Collateral address update is not allowed before DF24Height'],
      ['updatetoken', ['128', { isDAT: true }], tried('UpdateTokenAny', 'Foundation auth required to change isDAT flag')],
      ['updatetoken', ['DFI', {}], "-8 Can't alter DFI token!"],
    ],
  );
});
