import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlockTag } from '../../../src/ethereum/block-tag.js';
import { type CallRequest, inputOf } from '../../../src/ethereum/calls/call-request.js';
import { EthereumError } from '../../../src/ethereum/errors.js';
import { ETHEREUM_METHODS } from '../../../src/ethereum/methods.js';
import { optional, paramsOf, readParams, required } from '../../../src/ethereum/params.js';
import { debugText, formatFloat, Unreadable } from '../../../src/ethereum/unreadable.js';
import { parseBytes, parseQuantity, parseText } from '../../../src/ethereum/values.js';
import { parseJson } from '../../../src/util/json.js';
import { finish } from '../../../src/util/slicer.js';
import { vectorFile } from '../../vectors.js';

/** Method, JSON text of the parameters or null for none, and message of the error -32602 of `defid` 4.2.5. */
const recorded = vectorFile<readonly (readonly [string, string | null, string])[]>('ethereum-parameters.json');

const textOf = (text: string | null) => ({ value: text === null ? undefined : parseJson(text), text: () => text ?? '' });

/** Error of parameters, or their values. */
function outcome(method: string, params: string | null): unknown {
  const declared = ETHEREUM_METHODS.find(({ name }) => name === method)?.params ?? [];
  try {
    return finish(readParams(declared, textOf(params), true));
  } catch (error) {
    if (error instanceof EthereumError) return { code: error.code, message: error.message, data: error.data };
    throw error;
  }
}

test('parameters that cannot be read are refused with the text and place of defid', () => {
  for (const [method, params, message] of recorded) {
    assert.deepEqual(outcome(method, params), { code: -32602, message, data: undefined }, `${method} ${params}`);
  }
  assert.ok(recorded.length >= 900);
});

test('parameters by position and by name', () => {
  const declared = [required('first_one', parseText), optional('second', parseQuantity, 7n)] as const;
  const read = (text: string | null) => finish(readParams(declared, textOf(text), true));
  assert.deepEqual(read('["a"]'), ['a', 7n]);
  assert.deepEqual(read('["a", null, 5]'), ['a', 7n]);
  assert.deepEqual(read('{"first_one":"a"}'), ['a', 7n]);
  assert.deepEqual(read('{"second":"0x5","more":{},"firstOne":"a"}'), ['a', 5n]);
  assert.deepEqual(finish(readParams([], textOf('"anything"'), true)), []);
});

test('percentiles are integers of 64 bits', () => {
  const history = (percentile: string) => outcome('eth_feeHistory', `["0x1","latest",[${percentile}]]`) as readonly unknown[];
  assert.deepEqual(history('9223372036854775807')[2], [2 ** 63]);
  const message = 'invalid value: integer `9223372036854775808`, expected i64 at line 1 column 20';
  assert.deepEqual(history('9223372036854775808'), { code: -32602, message, data: undefined });
});

test('digits of a raw transaction that are not bytes', () => {
  const refused = (text: string) => (outcome('eth_sendRawTransaction', `["${text}"]`) as { message: string }).message;
  assert.equal(refused('0x123'), 'Custom error: Odd number of digits');
  assert.equal(refused('123'), 'Custom error: Odd number of digits');
  assert.equal(refused('0x12g4'), "Custom error: Invalid character 'g' at position 2");
});

test('lists of topics that mix hashes and lists are read, but not with -rpcstrict', () => {
  const params = textOf(`[{"topics":["${'11'.repeat(32)}",["${'22'.repeat(32)}"]]}]`);
  const declared = ETHEREUM_METHODS.find(({ name }) => name === 'eth_getLogs')?.params ?? [];
  const [lenient] = finish(readParams(declared, params, false)) as unknown as { topics: Iterable<bigint>[] }[];
  const topics = lenient?.topics.map((words) => [...words]);
  assert.deepEqual(topics, [[BigInt(`0x${'11'.repeat(32)}`)], [BigInt(`0x${'22'.repeat(32)}`)]]);
  assert.throws(() => finish(readParams(declared, params, true)), /untagged enum/);
});

test('an empty list of addresses is any address, but none with -rpcstrict', () => {
  const declared = ETHEREUM_METHODS.find(({ name }) => name === 'eth_getLogs')?.params ?? [];
  const addresses = (isStrict: boolean) =>
    (finish(readParams(declared, textOf('[{"address":[]}]'), isStrict)) as unknown as { addresses: ReadonlySet<bigint> }[])[0]?.addresses
      .size;
  assert.deepEqual([addresses(false), addresses(true)], [0, 1]);
});

test('without the source there is no place', () => {
  const params = { value: parseJson('["0x12"]'), text: () => '' };
  const declared = ETHEREUM_METHODS.find(({ name }) => name === 'eth_getCode')?.params ?? [];
  assert.throws(() => finish(readParams(declared, params, true)), { message: /containing 20 bytes$/ });
});

const numbers = [
  ['0x0', 0],
  ['0x+ff', 255],
  [`0x${'0'.repeat(1_000_000)}5`, 5],
  ['0x+', 'invalid digit found in string'],
  ['0x-5', 'invalid digit found in string'],
  ['0xffffffffffffffffg', 'invalid digit found in string'],
  ['0x10000000000000000g', 'number too large to fit in target type'],
  [`0x${'f'.repeat(1_000_000)}g`, 'number too large to fit in target type'],
] as const;
for (const [text, expected] of numbers) {
  test(`block number ${text.slice(0, 30)}`, () => {
    if (typeof expected === 'number') assert.deepEqual(parseBlockTag(text), { kind: 'number', number: expected });
    else assert.throws(() => parseBlockTag(text), { message: `Invalid block number: ${expected}` });
  });
}

test('blanks between digits are skipped, also millions of them', () => {
  assert.deepEqual([...parseBytes('0x 1 2\t\r\n A0')], [0x12, 0xa0]);
  assert.equal(parseBytes(`0x${' 7'.repeat(4_000_000)}`).length, 2_000_000);
  assert.throws(() => parseBytes('0x 1 2 3'), { message: 'Invalid hex: Invalid input length' });
});

test('long texts of a caller are cut', () => {
  assert.equal(debugText('x'.repeat(20_000)).length, 10_003);
  assert.ok(new Unreadable('x').describe('["y"]', 1).endsWith('at line 1 column 4'));
});

const floats = [
  ['1.5', '1.5'],
  ['0', '0.0'],
  ['-0', '-0.0'],
  ['1e15', '1000000000000000.0'],
  ['1e16', '1e16'],
  ['1.25e30', '1.25e30'],
  ['0.00001', '0.00001'],
  ['0.000001', '1e-6'],
  ['-12.5e-9', '-1.25e-8'],
] as const;
for (const [text, expected] of floats) test(`the number ${text} in an error`, () => assert.equal(formatFloat(Number(text)), expected));

test('Foundry: the chain in a call, its input under both names, and percentiles with a fraction', () => {
  const of = (method: string, text: string, isStrict: boolean) =>
    finish(readParams(ETHEREUM_METHODS.find(({ name }) => name === method)?.params ?? [], textOf(text), isStrict)) as unknown as unknown[];
  const call = '[{"chainId":"0x46d","data":"0x12","input":"0x12"}]';
  const [request] = of('eth_estimateGas', call, false) as [CallRequest];
  assert.deepEqual([request.chainId, [...inputOf(request)]], [1133n, [0x12]]);
  assert.throws(() => of('eth_estimateGas', call, true), /^EthereumError: unknown field `chainId`, expected one of `from`/);
  assert.throws(() => inputOf({ ...request, chainId: undefined }), /mutually exclusive/);
  assert.throws(() => inputOf({ ...request, data: Uint8Array.of(1) }), /mutually exclusive/);
  assert.deepEqual(of('eth_feeHistory', '["0x1","latest",[20.0,99.5]]', false)[2], [20, 99.5]);
  assert.throws(() => of('eth_feeHistory', '["0x1","latest",[20.0]]', true), /floating point `20\.0`, expected i64/);
  assert.throws(() => of('eth_getCode', '["0x12"]', false), /invalid length 2/);
});

const [address, word] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(32)}`];

test('lists of any parameter are read with interruptions', () => {
  const list = (item: unknown) => Array.from({ length: 1000 }, () => item);
  const slots = mapping(1000, 64, word);
  const long: readonly [string, ...unknown[]][] = [
    ['eth_getLogs', { address: list(address) }],
    ['eth_getLogs', { address: [...list(address), 'no address'] }],
    ['eth_newFilter', { topics: list(word) }],
    ['eth_getLogs', { topics: [list(word)] }],
    ['eth_call', { accessList: [{ address, storageKeys: list(word) }] }],
    ['eth_estimateGas', { accessList: list({ address, storageKeys: [] }) }],
    ['eth_call', {}, 'latest', { [address]: { state: slots } }],
    ['debug_traceCall', {}, 'latest', null, mapping(1000, 40, {})],
    ['eth_feeHistory', '0x1', 'latest', list(1)],
  ];
  for (const [method, ...given] of long) assert.ok(interruptionsOf(method, given) >= 15, method);
});

test('many short lists in a list are read with as many interruptions as a long one', () => {
  const short = Array.from({ length: 63 }, () => word);
  const many = (item: unknown) => Array.from({ length: 64 }, () => item);
  const nested: readonly [string, ...unknown[]][] = [
    ['eth_call', { accessList: many({ address, storageKeys: short }) }],
    ['eth_call', { accessList: many([address, short]) }],
    ['eth_getLogs', { topics: many(short) }],
    ['eth_call', {}, 'latest', mapping(64, 40, { state: mapping(63, 64, word) })],
    ['eth_call', {}, 'latest', mapping(64, 40, { state: mapping(31, 64, word), stateDiff: mapping(32, 64, word) })],
  ];
  for (const [method, ...given] of nested) assert.ok(interruptionsOf(method, given) >= 63, `${method} ${interruptionsOf(method, given)}`);
});

/** Object whose names are numbers in hex. @param digits of each name */
function mapping(count: number, digits: number, value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`0x${i.toString(16).padStart(digits, '0')}`, value]));
}

/** Points of interruption in the reading of parameters. */
function interruptionsOf(method: string, given: readonly unknown[]): number {
  const declared = ETHEREUM_METHODS.find(({ name }) => name === method)?.params ?? [];
  const steps = readParams(declared, paramsOf(parseJson(JSON.stringify(given))), false);
  let interruptions = 0;
  try {
    while (!steps.next().done) interruptions += 1;
  } catch (error) {
    assert.match(String(error), /OneOrMany/);
  }
  return interruptions;
}
