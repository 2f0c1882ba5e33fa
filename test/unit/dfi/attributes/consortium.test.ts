import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeDraft } from '../../../../src/dfi/attributes/attributes.js';
import type { FieldJson } from '../../../../src/dfi/attributes/consortium-parser.js';
import { ATTRIBUTES_SINCE_METACHAIN } from '../../../../src/dfi/attributes/eras.js';
import type { AttributeJson } from '../../../../src/dfi/attributes/parsers.js';
import { parsePath } from '../../../../src/dfi/attributes/path.js';
import { attributeValue } from '../../../../src/dfi/attributes/value.js';
import { checkAttributes } from '../../../../src/dfi/governance/attribute-checks.js';
import { exportAttributes } from '../../../../src/dfi/governance/attribute-export.js';
import { importEntries, importGiven, noChanges } from '../../../../src/dfi/governance/attribute-import.js';
import { decode, encode } from '../../../../src/primitives/codec.js';
import { encodeDestination } from '../../../../src/script/address.js';
import { toHex } from '../../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { addAsset, emptyState } from '../governance-context.js';

const params = heights(GRAND_CENTRAL);
const at = { params, height: 100 };
const MEMBERS = 'v0/consortium/5/members';
const [first, second] = [1, 2].map((n) => encodeDestination({ type: 'wpkh', hash: new Uint8Array(20).fill(n) }, params.address)) as [
  string,
  string,
];

function member(change: Readonly<Record<string, FieldJson>> = {}): ReadonlyMap<string, FieldJson> {
  const all = { name: ' test ', ownerAddress: first, backingId: 'backing', mintLimit: '10', mintLimitDaily: '1.5', ...change };
  return new Map(Object.entries(all).filter(([, value]) => value !== undefined));
}

function members(...given: readonly (readonly [string, ReadonlyMap<string, FieldJson>])[]): AttributeJson {
  return new Map(given);
}

function imported(...given: readonly (readonly [string, AttributeJson])[]): AttributeDraft {
  const draft = AttributeDraft.of(emptyState());
  for (const each of given) importGiven(draft, [each], noChanges(), at);
  return draft;
}

const shownFirst = {
  fields: [
    ['name', 'test'],
    ['ownerAddress', first],
    ['backingId', 'backing'],
    ['mintLimit', { number: '10.00000000' }],
    ['mintLimitDaily', { number: '1.50000000' }],
    ['status', { number: '0' }],
  ],
};

test('consortium members have the expected bytes, and their display form equals the input', () => {
  const entries = imported([MEMBERS, members(['01', member()])]).entries();
  const value = entries[0]?.value;
  assert.ok(value);
  const bytes = encode(attributeValue, value);
  const text = (s: string) => Buffer.from(s).toString('hex');
  const owner = `160014${'01'.repeat(20)}`;
  const member01 = `02${text('01')}04${text('test')}${owner}07${text('backing')}00ca9a3b0000000080d1f0080000000000`;
  assert.equal(toHex(bytes), `0c00000001${member01}`);
  assert.deepEqual(decode(attributeValue, bytes), value);
  assert.deepEqual(exportAttributes(entries, params), [[MEMBERS, { fields: [['01', shownFirst]] }]]);
});

test('consortium totals survive a round trip and are listed one number per path', () => {
  const byMember = {
    kind: 'consortiumMemberTotals',
    value: [{ tokenId: 2, members: [{ id: '01', minted: 300n, burnt: 100n, day: 144, dailyMinted: 200n }] }],
  } as const;
  const bytes = `0d000000010201023031${'2c01000000000000'}${'6400000000000000'}90000000${'c800000000000000'}`;
  assert.equal(toHex(encode(attributeValue, byMember)), bytes);
  assert.deepEqual(decode(attributeValue, encode(attributeValue, byMember)), byMember);
  const total = { kind: 'consortiumTotals', value: [{ tokenId: 2, minted: 300n, burnt: 100n }] } as const;
  assert.equal(toHex(encode(attributeValue, total)), '0e00000001022c010000000000006400000000000000');
  const live = (key: string) => ({ type: 0x6c, id: 0x65, key: key.charCodeAt(0), keyId: 0 });
  const shown = exportAttributes(
    [
      { key: live('l'), value: total },
      { key: live('m'), value: byMember },
    ],
    params,
  );
  assert.deepEqual(shown, [
    ['v0/live/economy/consortium/2/minted', { number: '0.00000300' }],
    ['v0/live/economy/consortium/2/burnt', { number: '0.00000100' }],
    ['v0/live/economy/consortium/2/supply', { number: '0.00000200' }],
    ['v0/live/economy/consortium_members/2/01/minted', { number: '0.00000300' }],
    ['v0/live/economy/consortium_members/2/01/daily_minted', '144/0.00000200'],
    ['v0/live/economy/consortium_members/2/01/burnt', { number: '0.00000100' }],
    ['v0/live/economy/consortium_members/2/01/supply', { number: '0.00000200' }],
  ]);
});

test('members are added, or replaced by id; two with the same owner are rejected', () => {
  const start = [MEMBERS, members(['02', member({ ownerAddress: second })], ['01', member()])] as const;
  const ids = (draft: AttributeDraft) => {
    const value = draft.entries()[0]?.value;
    return value?.kind === 'consortiumMembers' ? value.value.map(({ id, status }) => [id, status]) : [];
  };
  assert.deepEqual(ids(imported(start)), [
    ['01', 0],
    ['02', 0],
  ]);
  assert.deepEqual(ids(imported(start, [MEMBERS, members(['01', member({ status: '1' })])])), [
    ['01', 1],
    ['02', 0],
  ]);
  const twice = 'Cannot add a member with an owner address of a existing consortium member!';
  assert.throws(() => imported(start, [MEMBERS, members(['03', member()])]), { message: twice });
  assert.throws(() => imported([MEMBERS, members(['01', member()], ['02', member()])]), { message: twice });
});

test('invalid member fields are rejected with the error texts of defid', () => {
  const cases: readonly (readonly [Readonly<Record<string, FieldJson>>, string])[] = [
    [{ name: ' ab ' }, 'Member name too short, must be at least 3 chars long'],
    [{ ownerAddress: undefined }, 'Empty ownerAddress in consortium member data!'],
    [{ ownerAddress: 'x' }, 'Invalid ownerAddress in consortium member data'],
    [{ mintLimit: '0' }, 'Mint limit is an invalid amount'],
    [{ mintLimit: true }, 'Mint limit is an invalid amount'],
    [{ mintLimitDaily: '-1' }, 'Daily mint limit is an invalid amount'],
    [{ status: '2' }, 'Status can be either 0 or 1'],
    [{ status: '-1' }, 'Status must be a positive number!'],
  ];
  for (const [change, message] of cases) assert.throws(() => imported([MEMBERS, members(['01', member(change)])]), { message });
  assert.throws(() => imported([MEMBERS, members()]), { message: 'Empty value' });
  assert.throws(() => imported([MEMBERS, 'text']), { name: 'WrongJsonType', message: 'JSON value is not an object as expected' });
  const limit = (text: string) => imported(['v0/consortium/5/mint_limit', text]);
  assert.throws(() => limit('-0.5'), { message: 'Amount must be positive or -1' });
  for (const text of ['-1', '0', '7']) assert.deepEqual(exportAttributes(limit(text).entries(), params)[0]?.[1], text);
});

test('member limits must not exceed those of the consortium, which are 0 by default', () => {
  const check = (limit: string, daily: string, context = at) => {
    const view = emptyState();
    addAsset(view, 5, 'BTC');
    const draft = imported(
      [MEMBERS, members(['01', member()])],
      ['v0/consortium/5/mint_limit', limit],
      ['v0/consortium/5/mint_limit_daily', daily],
    );
    checkAttributes(draft, noChanges(), { ...context, view, time: 0 });
  };
  check('10', '1.5');
  check('-1', '-1');
  assert.throws(() => check('9.99999999', '2'), { message: 'Mint limit higher than global mint limit' });
  assert.throws(() => check('10', '1.49999999'), { message: 'Daily mint limit higher than daily global mint limit' });
  const late = heights({ ...GRAND_CENTRAL, grandCentral: 100 });
  assert.throws(() => check('10', '2', { params: late, height: 100 }), { message: 'Cannot be set before GrandCentral' });
  check('10', '2', { params: late, height: 101 });
  const unknown = imported(['v0/consortium/5/mint_limit', '1']);
  assert.throws(() => checkAttributes(unknown, noChanges(), { ...at, view: emptyState(), time: 0 }), { message: 'No such token (5)' });
});

test('consortium paths are known before Metachain only', () => {
  const metachain = heights({ ...GRAND_CENTRAL, metachain: 200 });
  const draft = new AttributeDraft();
  const path = 'v0/params/feature/consortium';
  importGiven(draft, [[path, 'true']], noChanges(), { params: metachain, height: 199 });
  assert.throws(
    () => importGiven(draft, [[path, 'true']], noChanges(), { params: metachain, height: 200 }),
    /^TxRejected: Unrecognised key/,
  );
  assert.throws(() => parsePath(MEMBERS, ATTRIBUTES_SINCE_METACHAIN), {
    message: /^Unrecognised type argument provided, valid types are: evm, gov,/,
  });
  assert.throws(() => importGiven(draft, [['v0/nothing/block/finality_count', '1']], noChanges(), at), {
    message: 'Unrecognised type argument provided, valid types are: consortium, gov, locks, oracles, params, poolpairs, token,',
  });
  const after = new AttributeDraft();
  importEntries(after, draft.entries(), noChanges(), { params: metachain, height: 200 });
  assert.deepEqual(after.entries(), []);
});

test('attributes of later upgrades are read, and refused with the upgrade that they wait for', () => {
  const params = heights({ ...GRAND_CENTRAL, metachain: 200 });
  const cases: readonly (readonly [path: string, value: string, refusal: string])[] = [
    ['v0/params/feature/evm', 'true', 'Cannot be set before MetachainHeight'],
    ['v0/params/feature/transferdomain', 'true', 'Cannot be set before MetachainHeight'],
    ['v0/evm/block/finality_count', '100', 'Cannot be set before Metachain'],
    ['v0/rules/tx/core_op_return_max_size_bytes', '1024', 'Cannot be set before Metachain'],
  ];
  for (const [path, value, message] of cases) {
    const early = { params, height: 199 };
    const draft = new AttributeDraft();
    importGiven(draft, [[path, value]], noChanges(), early);
    assert.equal(draft.entries().length, 1);
    const changed = new AttributeDraft();
    assert.throws(() => importEntries(changed, draft.entries(), noChanges(), early), { name: 'TxRejected', message });
    assert.deepEqual(changed.entries(), []);
    importEntries(changed, draft.entries(), noChanges(), { params, height: 201 });
    assert.deepEqual(changed.entries(), draft.entries());
  }
  const unknown = 'Unrecognised type argument provided, valid types are: consortium, gov, locks, oracles, params, poolpairs, token,';
  const set = (path: string, value: string) => importGiven(new AttributeDraft(), [[path, value]], noChanges(), { params, height: 199 });
  assert.throws(() => set('v0/rules/tx/none', '1024'), { message: unknown });
  assert.throws(() => set('v0/params/feature/transferdomain', 'maybe'), { message: 'Boolean value must be either "true" or "false"' });
});
