import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreateRawTransactionRequest } from '../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { networkParams } from '../../../src/params/index.js';
import { decode } from '../../../src/primitives/codec.js';
import { transaction } from '../../../src/primitives/transaction.js';
import { createRawTransaction } from '../../../src/services/rawtransactions/transactions/create.js';
import { fromHex } from '../../../src/util/bytes.js';
import { documentCall } from '../json-rpc-call.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest', upgradeHeights: { amk: 0 } });
const { ask, chain } = startServices(params);
const before = startServices(networkParams({ network: 'regtest' }));

const TXID = '11'.repeat(32);
const INPUT = { txid: TXID, vout: 0 };
const A = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const B = 'bcrt1qyrfrpadwgw7p5eh3e9h3jmu4kwlz4prx73cqny';

async function outputsOf(outputs: unknown): Promise<unknown> {
  const hex = await ask('createrawtransaction', JSON.stringify([[INPUT], outputs]));
  if (!hex.startsWith('"')) return hex;
  const tx = decode(transaction(params.txFormat, { witness: false }), fromHex(JSON.parse(hex) as string));
  return tx.vout.map(({ value, tokenId }) => `${value}@${tokenId}`);
}

test('createrawtransaction: version 4 from the AMK height on, 2 before', async () => {
  const call = JSON.stringify([[INPUT], { [A]: 1 }]);
  assert.match(await ask('createrawtransaction', call), /^"04000000/);
  assert.match(await before.ask('createrawtransaction', call), /^"02000000/);
});

const outputs: readonly { readonly name: string; readonly given: unknown; readonly made: readonly string[] | string }[] = [
  {
    name: 'one output per token, by id',
    given: { [A]: ['3@7', '1', '2@DFI', '4@300', '5@7'] },
    made: ['300000000@0', '800000000@7', '400000000@300'],
  },
  { name: 'addresses in their order', given: [{ [B]: '1@5' }, { data: '00' }, { [A]: 2 }], made: ['100000000@5', '0@0', '200000000@0'] },
  { name: 'a token of any text after its number', given: { [A]: '1@12abc' }, made: ['100000000@12'] },
  { name: 'blanks before the number', given: { [A]: '1@ 12' }, made: ['100000000@12'] },
  { name: 'an empty token is DFI', given: { [A]: '1@' }, made: ['100000000@0'] },
  { name: 'the amount ends at the last @', given: { [A]: '1@2@3' }, made: `-3 ${A}: Invalid amount` },
  { name: 'no output for an empty list of amounts', given: { [A]: [] }, made: [] },
  { name: 'more than the maximum supply', given: { [A]: 1_300_000_000 }, made: ['130000000000000000@0'] },
  { name: 'an unknown token', given: { [A]: '1@NOPE' }, made: `0 ${A}: Invalid Defi token: NOPE` },
  { name: 'the text of an unknown token unchanged', given: { [A]: '1@ x ' }, made: `0 ${A}: Invalid Defi token:  x ` },
  { name: 'an array inside an array', given: { [A]: ['1', ['2']] }, made: `-22 ${A}: expected single amount` },
  { name: 'true is not an amount', given: { [A]: true }, made: '-1 JSON value is not a string as expected' },
  { name: 'null is not an amount', given: { [A]: null }, made: '-1 JSON value is not a string as expected' },
  { name: 'zero of a token', given: { [A]: '0@7' }, made: `-3 ${A}: Amount out of range` },
  { name: 'data as a number', given: { data: 1234 }, made: ['0@0'] },
  { name: 'data that is empty', given: { data: '' }, made: "-8 Data must be hexadecimal string (not '')" },
  { name: 'data of another type', given: { data: [] }, made: "-8 Data must be hexadecimal string (not '')" },
  { name: 'no member at all', given: [{}], made: '-8 Invalid parameter, key-value pair must contain exactly one key' },
  { name: 'an array for a pair', given: [[]], made: '-8 Invalid parameter, key-value pair not an object as expected' },
];
for (const { name, given, made } of outputs) {
  test(`createrawtransaction: ${name}`, async () => assert.deepEqual(await outputsOf(given), made));
}

test('createrawtransaction: members of one object with the same key are duplicates', async () => {
  const given = (object: string) => ask('createrawtransaction', `[[],${object}]`);
  assert.equal(await given(`{"${A}":1,"${A}":2}`), `-8 Invalid parameter, duplicated address: ${A}`);
  assert.equal(await given('{"data":"00","data":"01"}'), '-8 Invalid parameter, duplicate key: data');
});

const inputs: readonly { readonly input: unknown; readonly error: string }[] = [
  { input: {}, error: '-1 JSON value is not a string as expected' },
  { input: { txid: 5, vout: 0 }, error: '-1 JSON value is not a string as expected' },
  { input: { txid: TXID }, error: '-8 Invalid parameter, missing vout key' },
  { input: { txid: TXID, vout: null }, error: '-8 Invalid parameter, missing vout key' },
  { input: { txid: TXID, vout: 1.5 }, error: '-1 JSON integer out of range' },
  { input: { ...INPUT, sequence: 1.5 }, error: '-1 JSON integer out of range' },
  { input: null, error: '-1 JSON value is not an object as expected' },
];
for (const { input, error } of inputs) {
  test(`createrawtransaction: input ${JSON.stringify(input)}`, async () => {
    assert.equal(await ask('createrawtransaction', JSON.stringify([[input], {}])), error);
  });
}

test('createrawtransaction: a sequence that is not a number is ignored', async () => {
  const made = await ask('createrawtransaction', JSON.stringify([[{ ...INPUT, sequence: 'x' }], {}]));
  assert.equal(made, await ask('createrawtransaction', JSON.stringify([[INPUT], {}])));
});

test('createrawtransaction: gRPC messages make the same', async () => {
  const text = (value: string) => ({ form: { $case: 'text' as const, value } });
  const make = async (request: CreateRawTransactionRequest) =>
    JSON.stringify((await createRawTransaction({ chain }, request, documentCall)).hex);
  const list = {
    outputs: [
      { outputs: { [A]: { form: { $case: 'list' as const, value: { values: ['1', '2@7'] } } } } },
      { outputs: { data: text('beef') } },
    ],
  };
  assert.equal(
    await make({ inputs: [{ ...INPUT, sequence: 9n }], outputs: { form: { $case: 'list', value: list } }, locktime: 5n }),
    await ask('createrawtransaction', JSON.stringify([[{ ...INPUT, sequence: 9 }], [{ [A]: [1, '2@7'] }, { data: 'beef' }], 5])),
  );
  const object = { outputs: { [A]: text('1.5') } };
  assert.equal(
    await make({ inputs: [], outputs: { form: { $case: 'object', value: object } }, replaceable: true }),
    await ask('createrawtransaction', JSON.stringify([[], { [A]: '1.5' }, 0, true])),
  );
  await assert.rejects(() => make({ inputs: [], outputs: undefined }), {
    message: 'Invalid parameter, arguments 1 and 2 must be non-null',
  });
  const noVout = { inputs: [{ txid: TXID }], outputs: { form: { $case: 'list' as const, value: { outputs: [] } } } };
  await assert.rejects(() => make(noVout), { message: 'Invalid parameter, missing vout key' });
});
