import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeDraft, type AttributeEntry, listAttributes, messageAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { ATTRIBUTES_BEFORE_METACHAIN, ATTRIBUTES_SINCE_METACHAIN } from '../../../../src/dfi/attributes/eras.js';
import { isFeatureOn } from '../../../../src/dfi/attributes/features.js';
import { type AttributeKey, wireAttributeKey } from '../../../../src/dfi/attributes/key.js';
import { rowOf } from '../../../../src/dfi/attributes/lookup.js';
import type { AttributeJson } from '../../../../src/dfi/attributes/parsers.js';
import { attributeAt, checkStructure, formatPath, parsePath } from '../../../../src/dfi/attributes/path.js';
import { ATTRIBUTE_TYPES } from '../../../../src/dfi/attributes/table.js';
import { attributeValue } from '../../../../src/dfi/attributes/value.js';
import type { BlockEventContext } from '../../../../src/dfi/context/block-event.js';
import { BlockHistory } from '../../../../src/dfi/context/history.js';
import { exportAttributes } from '../../../../src/dfi/governance/attribute-export.js';
import { importGiven, noChanges } from '../../../../src/dfi/governance/attribute-import.js';
import { governanceByHeight } from '../../../../src/dfi/governance/by-height-event.js';
import { pendingVariables } from '../../../../src/dfi/governance/columns.js';
import { governedNumber } from '../../../../src/dfi/governance/governed-columns.js';
import { setGovVariable, setGovVariableHeight, unsetGovVariable } from '../../../../src/dfi/governance/transactions.js';
import { TxRejected } from '../../../../src/dfi/kernel/rejected.js';
import { decode, encode } from '../../../../src/primitives/codec.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { protocolData } from '../../../shared.js';
import { heights } from '../fixture.js';
import { addAsset, allActive, emptyState, runTx } from '../governance-context.js';

function importOne(path: string, value: string | readonly string[]): AttributeEntry | undefined {
  const draft = AttributeDraft.of(emptyState());
  importGiven(draft, [[path, value]], noChanges(), { params: allActive, height: 100 });
  return draft.entries()[0];
}

/** Keys and values in wire form. */
function bytesOf(path: string, value: string | readonly string[]): string {
  const entry = importOne(path, value);
  assert.ok(entry);
  return `${toHex(encode(wireAttributeKey, entry.key))} ${toHex(encode(attributeValue, entry.value))}`;
}

function textOf(path: string, value: string | readonly string[]): unknown {
  const entry = importOne(path, value);
  return entry && exportAttributes([entry], allActive)[0]?.[1];
}

test('keys and values have the bytes of the protocol document', () => {
  assert.equal(bytesOf('v0/params/feature/gov', 'true'), '00000000616800000071 0000000001');
  assert.equal(bytesOf('v0/oracles/splits/1000000', '15/2'), '000000006f61000000bc8340 05000000010f00000002000000');
  assert.equal(bytesOf('v0/token/15/loan_payback/1', 'true'), '00000000740f0000006301000000 0000000001');
  assert.equal(bytesOf('v0/token/15/fixed_interval_price_id', 'TSLA/USD'), '00000000740f00000068 040000000454534c4103555344');
  assert.equal(bytesOf('v0/transferdomain/dvm-evm/src-formats', ['p2pkh', 'bech32']), '00000000626100000062 12000000020103');
});

test('an unknown version of a key and an unknown kind of a value have no content, in messages alone', () => {
  const read = { key: { type: 0, id: 0, key: 0, keyId: 0 }, value: { kind: 'bool', value: false } };
  assert.deepEqual(decode(messageAttributes, fromHex('01ab00000063000000')), [read]);
  assert.throws(() => decode(attributeValue, fromHex('63000000')), /unknown form/);
});

test('every attribute of the published table has its path, its code, its parser and its gate', () => {
  const { attributes: rows } = protocolData<{
    attributes: { path: string; typeCode: number; keyCode: number | null; parser: string | null; minForkError: string | null }[];
  }>('attributes.json');
  assert.equal(rows.length, 93);
  const names: Record<string, string> = { pct: 'percent', int64NonNegative: 'integer', int64MoreThanZero: 'positiveInteger' };
  const others: Record<string, string> = { uint32: 'u32', uint64: 'u64', uint64NonZero: 'u64NonZero', feeDir: 'direction' };
  const more: Record<string, string> = { addressFormats: 'formats', stringArray: 'texts' };
  for (const row of rows) {
    const concrete = row.path.replace(/<[^>]+>/g, '5');
    if (WRITTEN.has(concrete)) {
      assert.throws(() => parsePath(concrete, ATTRIBUTES_SINCE_METACHAIN), { message: /^Unrecognised key argument provided/ });
      assert.equal(formatPath({ type: row.typeCode, id: 5, key: row.keyCode ?? 0, keyId: 0 }), concrete);
      continue;
    }
    const key = parsePath(concrete, ATTRIBUTES_SINCE_METACHAIN) as AttributeKey;
    assert.equal(formatPath(key), concrete);
    assert.equal(key.type, row.typeCode, row.path);
    if (row.keyCode !== null) assert.equal(key.key, row.keyCode, row.path);
    const found = rowOf(key, ATTRIBUTE_TYPES);
    const parser = row.parser ?? undefined;
    assert.equal(found?.parser, parser && (names[parser] ?? others[parser] ?? more[parser] ?? parser), row.path);
    assert.equal(found?.gates.at(-1)?.refusal, row.minForkError ?? undefined, row.path);
  }
});

/** Attributes of split tokens that only the state machine writes: listed, but not accepted as input. */
const WRITTEN = new Set(['ascendant', 'descendant', 'epitaph'].map((name) => `v0/token/5/${name}`));

test('a path names a group by its lowest byte, and a key by the keys of all groups of its type', () => {
  const code = (text: string) => text.charCodeAt(0);
  const path = (type: string, id: number, key: number) => formatPath({ type: code(type), id, key, keyId: 0 });
  assert.equal(path('a', 0x3900_0000 + code('a'), code('a')), 'v0/params/dfip2201/active');
  assert.equal(path('a', code('a'), code('r')), 'v0/params/dfip2201/gov-payout');
  assert.equal(path('t', 0x100 + code('a'), 0x700 + code('g')), `v0/token/${0x100 + code('a')}/dfip2203`);
  assert.equal(path('l', code('h'), code('i')), 'v0/live/feature/dex');
  assert.equal(path('a', code('z'), code('a')), undefined);
  assert.equal(path('a', code('a'), code('z')), undefined);
  assert.equal(path('a', code('i'), code('z')), undefined);
});

test('params, locks and live attributes have paths in the groups of each other, which are refused when they are parsed', () => {
  const path = (type: string, id: string, key: number) =>
    formatPath({ type: type.charCodeAt(0), id: 0x700 + id.charCodeAt(0), key, keyId: 0 }, ATTRIBUTES_BEFORE_METACHAIN);
  const active = 'a'.charCodeAt(0);
  const found = [path('a', 'c', active), path('a', 'e', active), path('a', 'i', active), path('l', 'c', active), path('L', 'h', 5)];
  assert.deepEqual(found, [
    'v0/params/token/active',
    'v0/params/economy/active',
    'v0/params/auction/active',
    'v0/live/token/dfi_payback_tokens',
    'v0/locks/feature/5',
  ]);
  for (const text of found) assert.throws(() => parsePath(text ?? '', ATTRIBUTES_BEFORE_METACHAIN), /^TxRejected: Unrecognised /);
  assert.equal(path('L', 'k', 5), undefined);
});

test('of attributes with one path the last value is listed in the place of the first', () => {
  const key = (id: number) => ({ type: 'a'.charCodeAt(0), id, key: 'd'.charCodeAt(0), keyId: 0 });
  const entries = [1n, 2n].map((percent, i) => ({
    key: key('b'.charCodeAt(0) + i * 0x100),
    value: { kind: 'amount', value: percent * 1_000_000n } as const,
  }));
  assert.deepEqual(exportAttributes(entries, { address: allActive.address }), [
    ['v0/params/dfip2203/reward_pct', '0.02'],
    ['v0/params/dfip2203/fee_pct', '0.02'],
  ]);
});

test('values are parsed and formatted like defid does, with its error texts', () => {
  const reward = 'v0/params/dfip2203/reward_pct';
  assert.equal(textOf(reward, '0.05%'), '0.0005');
  assert.equal(textOf(reward, '1'), '1');
  assert.equal(textOf('v0/params/dfip2203/block_period', '20160'), '20160');
  assert.equal(textOf('v0/token/1/loan_minting_interest', '-0.50'), '-0.5');
  assert.throws(() => textOf(reward, '100.1%'), { message: 'Percentage exceeds 100%' });
  assert.throws(() => textOf('v0/params/feature/gov', 'True'), { message: 'Boolean value must be either "true" or "false"' });
  assert.throws(() => textOf('v0/params/dfip2203/block_period', '0'), { message: 'Value must be more than zero' });
  assert.equal(importOne('v0/token/3/loan_payback/0', 'true')?.key.key, 'a'.charCodeAt(0));
});

test('the kind of a split multiplier follows its text', () => {
  const kind = (text: string) => importOne('v0/oracles/splits/5000', text)?.value.kind;
  assert.deepEqual(['15/2', '15/-2', '15/2.5', '15/2.0'].map(kind), ['splits', 'splits', 'fractions', 'fractions']);
  assert.throws(() => kind('15/0'), { message: 'Mutliplier cannot be zero' });
  assert.throws(() => kind('15'), { message: 'Two int values expected for split in id/mutliplier' });
  for (const text of ['15/2,3', '15/x', '15/ 2', '15/1e99']) assert.throws(() => kind(text), { message: 'Value must be an integer' });
  assert.throws(() => kind('15/.5'), { message: 'Amount must be a valid number' });
});

test('a multiplier of a split is a number after the blanks of C only', () => {
  const refusal = (text: string) => () => importOne('v0/oracles/splits/5000', text);
  assert.throws(refusal('15/ 2.5'), { message: 'Amount must be a valid number' });
  assert.throws(refusal('15/\xa02.5'), { message: 'Value must be an integer' });
});

// Quadratic work on such a text would take hours.
const LONG = '1'.repeat(1_000_000);

test('parsing numbers takes linear time for long texts', () => {
  assert.throws(() => importOne('v0/oracles/splits/5000', `15/${LONG}x`), { message: 'Value must be an integer' });
  const period = (text: string) => importOne('v0/params/dfip2203/block_period', text)?.value;
  assert.throws(() => period(`0${LONG}`), { message: 'Value must be more than zero' });
  assert.deepEqual(period(`+${LONG.replaceAll('1', '0')}7`), { kind: 'amount', value: 7n });
  assert.throws(() => importOne('v0/params/dfip2203/block_period', '-7'), { message: 'Value must be more than zero' });
  assert.deepEqual(importOne('v0/params/dfip2203/start_block', '-0')?.value, { kind: 'amount', value: 0n });
});

test('a slash at the end of a pair or a split begins no further part', () => {
  assert.deepEqual(importOne('v0/token/1/fixed_interval_price_id', 'TSLA/USD/')?.value, {
    kind: 'pair',
    value: { token: 'TSLA', currency: 'USD' },
  });
  const two = { message: 'Exactly two entires expected for currency pair' };
  for (const text of ['TSLA/', '', 'TSLA//USD']) assert.throws(() => importOne('v0/token/1/fixed_interval_price_id', text), two);
  assert.throws(() => importOne('v0/token/1/fixed_interval_price_id', '/USD'), { message: 'Empty token / currency' });
  assert.equal(textOf('v0/oracles/splits/5000', '15/2/'), '15/2');
});

test('numbers without a sign have no minus, not even that of 0', () => {
  for (const path of ['v0/gov/proposals/voting_period', 'v0/evm/block/finality_count', 'v0/evm/block/gas_target_factor']) {
    assert.throws(() => importOne(path, '-0'), { message: 'Value must be an integer' });
  }
  assert.equal(textOf('v0/params/dfip2203/start_block', '-0'), '0');
});

test('values of a wrong JSON type have the texts of defid', () => {
  const set = (path: string, value: AttributeJson, height: number) => () =>
    importGiven(new AttributeDraft(), [[path, value]], noChanges(), { params: heights({ fortCanningCrunch: 0, metachain: 101 }), height });
  assert.throws(set('v0/oracles/splits/500', undefined, 101), { message: 'Two int values expected for split in id/mutliplier' });
  assert.throws(set('v0/params/dtoken_restart/500', [], 101), { message: 'Amount must be a positive value' });
  assert.throws(set('v0/params/feature/gov', new Map(), 101), { message: 'Empty value' });
  assert.throws(set('v0/params/feature/gov', '', 101), { message: 'Boolean value must be either "true" or "false"' });
  const wrong = { name: 'WrongJsonType', message: 'JSON value is not a string as expected' };
  for (const value of [undefined, [], new Map()]) assert.throws(set('v0/oracles/splits/500', value, 100), wrong);
  assert.throws(set('v0/oracles/splits/500', '', 100), { message: 'Empty value' });
  for (const height of [100, 101]) {
    assert.throws(set('v0/params/foundation/members', [undefined], height), { message: 'Invalid address provided' });
  }
});

test('unknown paths are rejected with the error texts of defid', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      'v0/params/none/active',
      'Unrecognised param argument provided, valid params are: dfip2201, dfip2203, dfip2206a, dfip2206f, dfip2211f, dtoken_restart, feature, foundation, governance,',
    ],
    [
      'v0/live/economy/dex',
      'Unrecognised type argument provided, valid types are: evm, gov, locks, oracles, params, poolpairs, rules, token, transferdomain, vaults,',
    ],
    ['v0/locks/none/1', 'Unrecognised locks argument provided, valid lockss are: token,'],
    ['v1/params/feature/gov', 'Unsupported version'],
    ['v0/params/feature/premium', 'Unsupported type for Feature {98}'],
    ['v0/token/x/dfip2203', 'Value must be an integer'],
    ['v0/token/1/loan_payback', 'Exact 5 keys are required {4}'],
    ['v0/params/feature/gov/x', 'Exact 4 keys are required {5}'],
    ['v0/'.padEnd(129, 'x'), 'Identifier exceeds maximum length (128)'],
  ];
  for (const [path, message] of cases) assert.throws(() => parsePath(path, ATTRIBUTES_SINCE_METACHAIN), { message });
  assert.equal(parsePath('v0/params/dfip2203/fee_pct', ATTRIBUTES_SINCE_METACHAIN), undefined);
});

test('from Metachain on, the lowest byte of a group is checked before all of it', () => {
  const check = (type: string, id: number, key: string) => () =>
    checkStructure({ type: type.charCodeAt(0), id, key: key.charCodeAt(0), keyId: 0 });
  assert.throws(check('e', 0x0200_0061, 'c'), new TxRejected('Unsupported Governance ID'));
  assert.throws(check('a', 0x0100_0061, 'a'), new TxRejected('Unsupported Param ID'));
  assert.throws(check('e', 0x62, 'c'), new TxRejected('Unrecognised evm argument provided, valid evms are: block,'));
  check('e', 0x61, 'c')();
  const wide = (id: number) => () => checkStructure({ type: 'a'.charCodeAt(0), id, key: 0x1234, keyId: 0 });
  check('L', 0x0100_0063, 'a')();
  check('o', 0x0100_0061, 'a')();
  assert.throws(check('L', 0x61, 'a'), new TxRejected('Unrecognised locks argument provided, valid lockss are: token,'));
  assert.throws(wide(0x61), new TxRejected('Unsupported type for DFIP2201 {4660}'));
  assert.throws(wide(0x68), new TxRejected('Unsupported type for Feature {52}'));
});

test('paths of rules have ids of 32 bits without a sign, those of messages with one', () => {
  const path = 'v0/consortium/4294967047/members';
  assert.equal(attributeAt(path).id, 4_294_967_047);
  assert.throws(() => parsePath(path, ATTRIBUTE_TYPES), /Value must be an integer/);
  assert.equal(parsePath('v0/consortium/-249/members', ATTRIBUTE_TYPES)?.id, 4_294_967_047);
});

const LOANS = 'loan_collateral_enabled, loan_collateral_factor, loan_minting_enabled, loan_minting_interest, loan_payback';
const TOKEN_KEYS = `dex_in_fee_pct, dex_out_fee_pct, dfip2203, fixed_interval_price_id, ${LOANS}, loan_payback_collateral, loan_payback_fee_pct, payback_dfi, payback_dfi_fee_pct`;

test('before Metachain later names are unknown and not listed as valid', () => {
  const early = (path: string) => parsePath(path, ATTRIBUTES_BEFORE_METACHAIN);
  const cases: readonly (readonly [string, string])[] = [
    ['v0/none/5/a', 'type argument provided, valid types are: consortium, gov, locks, oracles, params, poolpairs, token,'],
    [
      'v0/rules/tx/core_op_return_max_size_bytes',
      'type argument provided, valid types are: consortium, gov, locks, oracles, params, poolpairs, token,',
    ],
    [
      'v0/params/governance/members',
      'param argument provided, valid params are: dfip2201, dfip2203, dfip2206a, dfip2206f, feature, foundation,',
    ],
    ['v0/token/5/none', `key argument provided, valid keys are: ${TOKEN_KEYS},`],
    ['v0/token/5/ascendant', `key argument provided, valid keys are: ${TOKEN_KEYS},`],
  ];
  for (const [path, message] of cases) assert.throws(() => early(path), { message: `Unrecognised ${message}` });
  for (const name of ['feature/icx', 'feature/evm', 'foundation/govheight_min_blocks']) {
    assert.throws(() => early(`v0/params/${name}`), { message: /^Unrecognised key argument provided/ });
    assert.ok(parsePath(`v0/params/${name}`, ATTRIBUTES_SINCE_METACHAIN));
  }
  assert.ok(early('v0/params/feature/consortium'));
});

test('before Metachain periods may be 0, multipliers must be whole and member lists not empty', () => {
  const moment = { params: heights({ fortCanningCrunch: 0, metachain: 101 }), height: 100 };
  const given = (path: string, value: string | readonly string[]) => {
    const draft = new AttributeDraft();
    importGiven(draft, [[path, value]], noChanges(), moment);
    return [...draft.entries()][0]?.value;
  };
  assert.deepEqual(given('v0/params/dfip2203/block_period', '0'), { kind: 'amount', value: 0n });
  assert.equal(given('v0/oracles/splits/500', '5/-2')?.kind, 'splits');
  assert.throws(() => given('v0/oracles/splits/500', '5/2.0'), { message: 'Value must be an integer' });
  assert.throws(() => given('v0/oracles/splits/500', '5/0'), { message: 'Mutliplier cannot be zero' });
  assert.throws(() => given('v0/params/foundation/members', []), { message: 'Empty value' });
  assert.deepEqual(importOne('v0/params/foundation/members', [])?.value, { kind: 'scripts', value: [] });
});

test('before Metachain a text in the place of a number is accepted and sets nothing', () => {
  const at = { params: heights({ fortCanningCrunch: 0, metachain: 101 }), height: 100 };
  const given = (path: string, value: string) => {
    const draft = new AttributeDraft();
    importGiven(draft, [[path, value]], noChanges(), at);
    return draft.entries();
  };
  const nothing = { type: 0, id: 0, key: 0, keyId: 0 };
  assert.deepEqual(given('v0/locks/token/abc', 'true'), [{ key: nothing, value: { kind: 'bool', value: true } }]);
  assert.throws(() => given('v0/locks/token/abc', 'x'), { message: 'Boolean value must be either "true" or "false"' });
  assert.deepEqual(
    given('v0/oracles/splits/-5', '1/2').map(({ key }) => key),
    [nothing],
  );
  assert.throws(() => given('v0/oracles/splits/abc', '1'), { message: 'Two int values expected for split in id/mutliplier' });
  assert.throws(() => given('v0/locks/token/abc/5', 'true'), { message: 'Exact 4 keys are required {5}' });
  assert.deepEqual(parsePath('v0/locks/token/-5', ATTRIBUTES_BEFORE_METACHAIN)?.key, 0xffff_fffb);
  for (const [path, message] of [
    ['v0/locks/token/abc', 'Token should be defined as numeric ID'],
    ['v0/oracles/splits/abc', 'Unrecognised key, valid keys are either block height or: fractional_enabled,'],
  ] as const) {
    assert.throws(() => parsePath(path, ATTRIBUTES_SINCE_METACHAIN), { message });
  }
});

const GOV = '0a41545452494255544553';

test('attributes are set, tried for a later height, set at that height and unset', () => {
  const view = emptyState();
  runTx(setGovVariable, `${GOV}01000000006168000000710000000001`, { view });
  assert.ok(isFeatureOn(view, 'gov'));
  const gov = `15${Buffer.from('v0/params/feature/gov').toString('hex')}`;
  assert.throws(() => runTx(unsetGovVariable, `01${GOV}01${gov}`, { view }), {
    message: 'Unset Gov variables not currently enabled in attributes.',
  });
  // Feature gov-unset, for block 200.
  const later = `${GOV}010000000061680000006a0000000001`;
  assert.throws(() => runTx(setGovVariableHeight, `${later}64000000`, { view }), {
    message: 'startHeight must be above the current block height',
  });
  runTx(setGovVariableHeight, `${later}c8000000`, { view });
  assert.equal([...view.entries(pendingVariables)].length, 1);
  governanceByHeight.run({
    view,
    height: 199,
    time: 0,
    params: allActive,
    history: new BlockHistory(0, allActive, true),
  } as unknown as BlockEventContext);
  assert.equal(isFeatureOn(view, 'gov-unset'), false);
  governanceByHeight.run({
    view,
    height: 200,
    time: 0,
    params: allActive,
    history: new BlockHistory(0, allActive, true),
  } as unknown as BlockEventContext);
  assert.ok(isFeatureOn(view, 'gov-unset'));
  assert.equal([...view.entries(pendingVariables)].length, 0);
  runTx(unsetGovVariable, `01${GOV}01${gov}`, { view });
  assert.equal(isFeatureOn(view, 'gov'), false);
  assert.throws(() => runTx(unsetGovVariable, `01${GOV}01${gov}`, { view }), { message: 'ATTRIBUTES: Attribute {97} not exists' });
});

test('a later change without a known variable has height 0, and bytes after an unknown name are refused', () => {
  const run = (hex: string) => () => runTx(setGovVariableHeight, hex, { view: emptyState() });
  const early = { message: 'startHeight must be above the current block height' };
  assert.throws(run(''), early);
  assert.throws(run('0141'), early);
  assert.throws(run('0141c8000000'), { message: 'deserialization failed: excess 4 bytes' });
});

test('a change with one invalid attribute sets none of them', () => {
  const view = emptyState();
  addAsset(view, 1, 'TSLA');
  // A feature, and dfip2203 of token 1, which is not a loan token.
  const both = `${GOV}02000000006168000000710000000001${'0000000074010000006700000000'}00`;
  assert.throws(() => runTx(setGovVariable, both, { view }), { message: 'ATTRIBUTES: No such loan token (1)' });
  assert.deepEqual([...listAttributes(view)], []);
});

test('number and pool list variables are checked, stored and unset', () => {
  const view = emptyState();
  const name = (text: string) => `${text.length.toString(16).padStart(2, '0')}${Buffer.from(text).toString('hex')}`;
  runTx(setGovVariable, `${name('ORACLE_DEVIATION')}c0cf6a0000000000`, { view });
  assert.equal(governedNumber(view, 'oracleDeviation'), 7_000_000n);
  const shares = `${name('LP_SPLITS')}0202000000002d31010000000003000000${'00b4c40400000000'}`;
  assert.throws(() => runTx(setGovVariable, shares, { view }), { message: 'LP_SPLITS: pool with id=2 not found' });
  addAsset(view, 2, 'A-DFI', 0x08);
  addAsset(view, 3, 'B-DFI', 0x08);
  runTx(setGovVariable, shares, { view });
  assert.throws(() => runTx(setGovVariable, `${name('NOPE')}`, { view }), { message: "'NOPE': variable does not registered" });
  // A new interval takes effect at the next price block of the old one, which is six blocks on regtest.
  runTx(setGovVariable, `${name('ORACLE_BLOCK_INTERVAL')}1e000000`, { view, height: 100 });
  assert.equal(governedNumber(view, 'oracleInterval'), undefined);
  governanceByHeight.run({
    view,
    height: 102,
    time: 0,
    params: allActive,
    history: new BlockHistory(0, allActive, true),
  } as unknown as BlockEventContext);
  assert.equal(governedNumber(view, 'oracleInterval'), 30n);
});
