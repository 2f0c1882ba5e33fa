import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type RefusalRow, testLocked, testRefusals } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const TXID = /^[0-9a-f]{64}$/;
let node: FounderNode;

before(async () => {
  node = await startFounderNode();
});
after(() => node.end());

test('variables are set, immediately and at a height, and unset', async () => {
  const { call, confirm, chain, mint, founder } = node;
  assert.match(await confirm('setgov', [{ ORACLE_DEVIATION: 0.07, ATTRIBUTES: { 'v0/params/feature/gov-unset': 'true' } }]), TXID);
  assert.deepEqual(await call('getgov', ['ORACLE_DEVIATION']), { ORACLE_DEVIATION: 0.07 });
  const height = chain.tip.height + 4;
  const pending = [{ ORACLE_DEVIATION: 0.07 }, { [height]: 0.05 }];
  assert.match(await confirm('setgovheight', [{ ORACLE_DEVIATION: '0.05', LP_SPLITS: 'not looked at' }, height]), TXID);
  assert.deepEqual(((await call('listgovs')) as unknown[])[7], pending);
  await mint(4, founder);
  assert.deepEqual(await call('getgov', ['ORACLE_DEVIATION']), { ORACLE_DEVIATION: 0.05 });
  assert.match(await confirm('unsetgov', [{ ORACLE_DEVIATION: '', ATTRIBUTES: ['v0/params/feature/gov-unset'] }]), TXID);
  assert.deepEqual(await call('getgov', ['ORACLE_DEVIATION']), { ORACLE_DEVIATION: 0 });
  const attributes = ((await call('getgov', ['ATTRIBUTES'])) as { ATTRIBUTES: Record<string, unknown> }).ATTRIBUTES;
  assert.equal(attributes['v0/params/feature/gov-unset'], undefined);
});

test('pending changes are cleared, and an unset at a height takes effect', async (t) => {
  const late = await startFounderNode({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
  t.after(() => late.end());
  const { call, confirm, chain, mint, founder } = late;
  await confirm('setgov', [{ ORACLE_DEVIATION: 0.07, ATTRIBUTES: { 'v0/params/feature/gov-unset': 'true' } }]);
  const height = chain.tip.height + 6;
  assert.match(await confirm('setgovheight', [{ ORACLE_DEVIATION: 0.05 }, height]), TXID);
  assert.match(await confirm('unsetgovheight', [{ ORACLE_DEVIATION: '' }, height]), TXID);
  assert.match(await confirm('cleargovheights', []), TXID);
  await mint(5, founder);
  assert.deepEqual(await call('getgov', ['ORACLE_DEVIATION']), { ORACLE_DEVIATION: 0.07 });
  assert.match(await confirm('unsetgovheight', [{ ORACLE_DEVIATION: '' }, chain.tip.height + 3]), TXID);
  await mint(3, founder);
  assert.deepEqual(await call('getgov', ['ORACLE_DEVIATION']), { ORACLE_DEVIATION: 0 });
});

test('unsetgov from Metachain on: null is no object of variables; unsetgovheight ignores inputs', async (t) => {
  const late = await startFounderNode({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
  t.after(() => late.end());
  const { call, confirm, chain } = late;
  for (const [method, ...more] of [['unsetgov'], ['unsetgovheight', 1000]] as const) {
    assert.equal(await call(method, [null, ...more]), '-1 JSON value is not an object as expected', method);
  }
  await confirm('setgov', [{ ATTRIBUTES: { 'v0/params/feature/gov-unset': 'true' } }]);
  const inputs = [{ txid: 'ab'.repeat(32), vout: 0 }];
  assert.match(await confirm('unsetgovheight', [{ ORACLE_DEVIATION: '' }, chain.tip.height + 3, inputs]), TXID);
});

test('of variables with equal names the first value counts; unsetgov adds its keys for each', async () => {
  const { ask, mint, founder } = node;
  const send = (method: string, params: string) => ask(method, params, { wallet: '' });
  const attribute = 'v0/params/feature/gov-unset';
  assert.match(await send('setgov', `[{"ATTRIBUTES":{"${attribute}":"true"},"ATTRIBUTES":{}}]`), /^"[0-9a-f]{64}"$/);
  await mint(1, founder);
  const twice = await send('unsetgov', `[{"ATTRIBUTES":["${attribute}"],"ATTRIBUTES":["other"]}]`);
  assert.equal(twice, '-32600 Test UnsetGovVariableTx execution failed:\nATTRIBUTES: Attribute {97} not exists');
});

test('of attributes with equal paths the last counts, and those of no number are sent', async () => {
  const { ask, mint, founder } = node;
  const send = (attributes: string) => ask('setgov', `[{"ATTRIBUTES":${attributes}}]`, { wallet: '' });
  const path = 'v0/params/feature/gov-payout';
  assert.match(await send(`{"${path}":"x","${path}":"true"}`), /^"[0-9a-f]{64}"$/);
  await mint(1, founder);
  assert.match(await send('{"v0/locks/token/abc":"true"}'), /^"[0-9a-f]{64}"$/);
  await mint(1, founder);
  assert.equal(await send(`{"${path}":"true","${path}":"x"}`), '-5 Boolean value must be either "true" or "false"');
});

const long = `v0/params/dfip2201/${'x'.repeat(110)}`;
const refused: readonly RefusalRow[] = [
  // Each variable is read before the name of the next is checked.
  ['setgov', [{ LP_SPLITS: 1, NOTHING: 1 }], '-5 object of {poolId: rate,... } expected'],
  ['unsetgov', [{ ATTRIBUTES: [-0.5], NOTHING: 1 }], '-1 JSON value is not a string as expected'],
  ['setgovheight', [null, 1000], '-1 JSON value is not an object as expected'],
  ['setgov', [{ ATTRIBUTES: { 'v0/token/0/payback_dfi': 'true', version: 1 } }], '-5 Unsupported version'],
  ['setgov', [{ ATTRIBUTES: { 'v0/token/0/payback_dfi': [] } }], '-1 JSON value is not a string as expected'],
  ['setgov', [{ NOTHING: 1 }], '-32600 Variable NOTHING not registered'],
  ['setgov', [{ LP_SPLITS: 1 }], '-5 object of {poolId: rate,... } expected'],
  ['setgov', [{ LP_SPLITS: { x: 1 } }], '-5 failed to deserialize DCT_ID: stoul'],
  ['setgov', [{ LP_SPLITS: { 2: 'x' } }], '-3 Invalid amount'],
  ['setgov', [{ ICX_TAKERFEE_PER_BTC: [] }], '-3 Amount is not a number or string'],
  ['setgov', [{ ORACLE_BLOCK_INTERVAL: '60' }], '-5 Block interval amount is not a number'],
  ['setgov', [{ ATTRIBUTES: [] }], '-5 Object of values expected'],
  ['setgov', [{ ATTRIBUTES: { 'v0/params/dfip2201/active': true } }], '-1 JSON value is not a string as expected'],
  [
    'setgov',
    [{ ATTRIBUTES: { 'v0/rules/tx/core_op_return_max_size_bytes': 1024 } }],
    '-32600 Test SetGovVariableTx execution failed:\nATTRIBUTES: Cannot be set before Metachain',
  ],
  ['setgov', [{ ATTRIBUTES: { [long]: 'true' } }], '-5 Identifier exceeds maximum length (128)'],
  [
    'setgov',
    [{ ORACLE_DEVIATION: 0.001 }],
    '-32600 Test SetGovVariableTx execution failed:\nORACLE_DEVIATION: Deviation cannot be less than 1 percent',
  ],
  ['setgov', [{ ATTRIBUTES: { 'v0/params/foundation/members': [5] } }], '-5 Invalid address provided'],
  ['setgov', [5], '-3 Expected type object, got number'],
  ['setgovheight', [{}, 1000], '-32600 No Governance variable provided.'],
  [
    'setgovheight',
    [{ ORACLE_DEVIATION: 0.05 }, 1],
    '-32600 Test SetGovVariableHeightTx execution failed:\nstartHeight must be above the current block height',
  ],
  ['unsetgovheight', [{ NOTHING: 1 }, 1000], '-32600 Variable NOTHING not registered'],
  [
    'unsetgovheight',
    [{ ORACLE_DEVIATION: '' }, 1000],
    '-32600 Test UnsetGovHeightVariableTx execution failed:\ncalled before Metachain height',
  ],
  ['cleargovheights', [5], '-3 Expected type array, got number'],
  ['unsetgov', [{ ATTRIBUTES: [1] }], '-1 JSON value is not a string as expected'],
];

testRefusals(() => node, refused);

testLocked(
  () => node,
  [
    ['setgov', [{ ORACLE_DEVIATION: 0.07 }]],
    ['setgovheight', [{ ORACLE_DEVIATION: 0.07 }, 1000]],
  ],
);
