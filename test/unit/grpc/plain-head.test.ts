import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainHeadOf } from '../../../src/grpc/plain/plain-head.js';

type Field = readonly [name: string, value: string];

const PSEUDO: readonly Field[] = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/a.B/C'],
  [':authority', 'localhost'],
];
const CONTENT: Field = ['content-type', 'application/grpc'];

const headOf = (...fields: readonly Field[]) => plainHeadOf(fields.flat());
/** A usual head with further fields. */
const withFields = (...fields: readonly Field[]) => headOf(...PSEUDO, CONTENT, ...fields);
/** A usual head with other fields in place of those of the same names. */
const changed = (...fields: readonly Field[]) => {
  const given = new Map(fields);
  return headOf(...[...PSEUDO, CONTENT].map(([name, value]): Field => [name, given.get(name) ?? value]));
};

test('the head of a plain call: path, time limit and the other fields', () => {
  const more: readonly Field[] = [
    ['te', 'trailers'],
    ['grpc-timeout', '250m'],
    ['x-wallet', ''],
    ['x_1.a-b', 'a b'],
  ];
  assert.deepEqual(withFields(...more), { path: '/a.B/C', headers: new Map([CONTENT, ...more]), timeoutMs: 250 });
  assert.deepEqual(withFields(), { path: '/a.B/C', headers: new Map([CONTENT]), timeoutMs: undefined });
  assert.ok(changed([':scheme', 'https'], ['content-type', 'application/grpc+proto']));
});

const unusual: readonly (readonly [string, ReturnType<typeof plainHeadOf>])[] = [
  ['another method', changed([':method', 'GET'])],
  ['another scheme', changed([':scheme', 'ftp'])],
  ['another content', changed(['content-type', 'application/grpc+json'])],
  ['no content', headOf(...PSEUDO)],
  ['no path', headOf(...PSEUDO.filter(([name]) => name !== ':path'), [':other', '1'], CONTENT)],
  ['no authority', headOf(...PSEUDO.filter(([name]) => name !== ':authority'), [':other', '1'], CONTENT)],
  ['a fifth field with a colon', headOf(...PSEUDO, [':protocol', 'websocket'], CONTENT)],
  ['a field with a colon after the others', headOf(CONTENT, ...PSEUDO)],
  ['a repeated field', withFields(['x-a', '1'], ['x-a', '2'])],
  ['a repeated path', headOf(...PSEUDO, [':path', '/a.B/C'], CONTENT)],
  ['an upper-case name', withFields(['X-a', '1'])],
  ['an empty name', withFields(['', '1'])],
  ['binary metadata', withFields(['x-bin', 'AA=='])],
  ['a field about the connection', withFields(['connection', 'close'])],
  ['a value with a blank at its start', withFields(['x-a', ' 1'])],
  ['a value with a blank at its end', withFields(['x-a', '1 '])],
  ['a value that is not ASCII', withFields(['x-a', 'é'])],
  ['a path with a line break', changed([':path', '/a\n'])],
  ['other trailers', withFields(['te', 'gzip'])],
  ['a timeout of 0', withFields(['grpc-timeout', '0S'])],
  ['a timeout in microseconds', withFields(['grpc-timeout', '100u'])],
  ['a timeout of nine digits', withFields(['grpc-timeout', '123456789m'])],
];
for (const [what, head] of unusual) test(`left to the library: ${what}`, () => assert.equal(head, undefined));

test('units of timeouts, up to the longest delay of a timer', () => {
  const ms = (text: string) => withFields(['grpc-timeout', text])?.timeoutMs;
  assert.deepEqual(['7m', '7S', '7M', '7H'].map(ms), [7, 7_000, 420_000, 25_200_000]);
  assert.deepEqual(['2147483S', '2147484S', '596H', '597H'].map(ms), [2_147_483_000, undefined, 2_145_600_000, undefined]);
});
