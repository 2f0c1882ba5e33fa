import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { fc } from '../property.js';
import { basic, type FakeHandlers, startGateway } from './gateway-fixture.js';

/*
 * The same bytes are sent to two gateways, of which one reads every request by the parser of node:http. All that the client receives
 * until the end of the connection must be equal, apart from the time of day.
 */

const AUTH = `Authorization: ${basic('user:secret')}`;

const handlers: FakeHandlers = {
  getblockcount: () => 7,
  getbestblockhash: async () => {
    await turn();
    return '00'.repeat(32);
  },
};

const call = (method: string, id = 1): string => JSON.stringify({ id, method, params: [] });

/** A request as clients send it. */
function post(body: string, { path = '/', headers = ['Host: 127.0.0.1', AUTH], version = '1.1' } = {}): string {
  const lines = [`POST ${path} HTTP/${version}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Answered only if the connection is open and nothing before it waits for more bytes. */
const LAST = post(call('getblockcount', 99));

interface Pair {
  readonly plain: number;
  readonly parsed: number;
}

async function startPair(t: TestContext): Promise<Pair> {
  const options = { authDelayMs: 0, connections: { total: 1000, perAddress: 1000 } };
  const [plain, parsed] = [await startGateway(t, handlers, options), await startGateway(t, handlers, { ...options, plainRequests: false })];
  return { plain: plain.port, parsed: parsed.port };
}

/** Turns of the event loop, which serves both ends, until all that was sent is answered. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 12; i++) await turn();
  // Refusals of wrong credentials wait for a timer.
  await wait(3);
  for (let i = 0; i < 4; i++) await turn();
}

/** Sends chunks, each read by the server before the next, then ends. @returns all that the server sent */
async function exchange(port: number, chunks: readonly Buffer[]): Promise<string> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  for (const chunk of chunks) {
    if (socket.writable) socket.write(chunk);
    await quiet();
  }
  socket.end();
  await closed;
  return Buffer.concat(received)
    .toString('latin1')
    .replaceAll(/\r\nDate: [^\r]*/g, '\r\nDate: now');
}

/** Sent by node:http for bytes that are no request. */
const REFUSAL = /HTTP\/1\.1 (?:400 Bad Request|501 Not Implemented)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n$/;

/**
 * For a malformed request after others in one chunk: node:http refuses it when it reads it, and drops the replies of which it has not
 * sent the head by then, or drops the refusal. That depends on the way in which the bytes reached its parser.
 */
function isSameUpToRefusal(ours: string, expected: string): boolean {
  if (!REFUSAL.test(ours) && !REFUSAL.test(expected)) return false;
  const [replies, expectedReplies] = [ours.replace(REFUSAL, ''), expected.replace(REFUSAL, '')];
  return replies.startsWith(expectedReplies) || expectedReplies.startsWith(replies);
}

async function assertEqual({ plain, parsed }: Pair, chunks: readonly (string | Buffer)[]): Promise<string> {
  const bytes = [...chunks, LAST].map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk));
  const [ours, expected] = await Promise.all([exchange(plain, bytes), exchange(parsed, bytes)]);
  if (!isSameUpToRefusal(ours, expected)) assert.equal(ours, expected);
  return ours;
}

const one = post(call('getblockcount'));
const late = post(call('getbestblockhash', 2));
const HOST = 'Host: 127.0.0.1';
const withHeaders = (...headers: string[]): string => post(call('getblockcount'), { headers: [HOST, AUTH, ...headers] });
const chunked = `${call('getblockcount').length.toString(16)}\r\n${call('getblockcount')}\r\n0\r\n\r\n`;

const seeds: readonly { readonly name: string; readonly chunks: readonly string[] }[] = [
  { name: 'one request', chunks: [one] },
  { name: 'requests one after the other', chunks: [one, late, one] },
  { name: 'pipelined requests', chunks: [one + late + one + late] },
  { name: 'a request behind a late reply', chunks: [late + one, one] },
  { name: 'a batch', chunks: [post(`[${call('getblockcount')},${call('getbestblockhash')}]`)] },
  {
    name: 'wallet paths',
    chunks: ['/wallet/', '/wallet/a%20b', '/wallet/a/b', '/wallet/a?b', '/wallets'].map((path) => post('{}', { path })),
  },
  { name: 'no credentials', chunks: [post('{}', { headers: [HOST] }), one] },
  { name: 'wrong credentials', chunks: [post('{}', { headers: [HOST, `Authorization: ${basic('user:wrong')}`] }), one] },
  { name: 'credentials that change', chunks: [one, post('{}', { headers: [HOST, `Authorization: ${basic('user:wrong')}`] })] },
  { name: 'a body that is not UTF-8', chunks: [post('{"id":"\xff"}').replace('Content-Length: 11', 'Content-Length: 10')] },
  { name: 'a body of characters of several bytes', chunks: [Buffer.from(post('{"id":"\u00fc\u20ac"}')).toString('latin1')] },
  { name: 'no body', chunks: [post('')] },
  { name: 'a body that is no JSON', chunks: [post('no')] },
  { name: 'unknown method', chunks: [post(call('nosuch'))] },
  { name: 'a foreign host', chunks: [post('{}', { headers: ['Host: example.org', AUTH] }), one] },
  { name: 'no host', chunks: [post('{}', { headers: [AUTH] }), one] },
  { name: 'two hosts', chunks: [withHeaders('Host: example.org')] },
  { name: 'a foreign origin', chunks: [withHeaders('Origin: http://example.org')] },
  { name: 'HTTP/1.0', chunks: [post('{}', { version: '1.0' })] },
  { name: 'HTTP/1.2', chunks: [post('{}', { version: '1.2' })] },
  { name: 'HTTP/2.0', chunks: [post('{}', { version: '2.0' })] },
  { name: 'the end of the connection', chunks: [withHeaders('Connection: close'), one] },
  { name: 'the end of the connection, after a body in another chunk', chunks: withHeaders('Connection: Close').split(/(?<=\r\n\r\n)/) },
  {
    name: 'the end of the connection, with a late reply',
    chunks: [post(call('getbestblockhash'), { headers: [HOST, AUTH, 'Connection: close'] })],
  },
  { name: 'a request behind the last one', chunks: [withHeaders('Connection: close') + one] },
  { name: 'keep-alive', chunks: [withHeaders('Connection: Keep-Alive'), one] },
  { name: 'several connection options', chunks: [withHeaders('Connection: keep-alive, close'), one] },
  { name: 'an upgrade', chunks: [withHeaders('Connection: upgrade', 'Upgrade: h2c'), one] },
  { name: 'an expectation', chunks: [withHeaders('Expect: 100-continue')] },
  { name: 'another expectation', chunks: [withHeaders('Expect: more')] },
  { name: 'two equal lengths', chunks: [withHeaders(`Content-Length: ${call('getblockcount').length}`)] },
  { name: 'two different lengths', chunks: [withHeaders('Content-Length: 5')] },
  { name: 'a length with a sign', chunks: [one.replace('Content-Length: ', 'Content-Length: +')] },
  { name: 'a length with zeros before it', chunks: [one.replace('Content-Length: ', 'Content-Length: 00')] },
  { name: 'a length with blanks after it', chunks: [one.replace('\r\n\r\n', ' \t\r\n\r\n')] },
  { name: 'a length in hex', chunks: [one.replace('Content-Length: ', 'Content-Length: 0x')] },
  { name: 'a list of lengths', chunks: [one.replace(/Content-Length: (\d+)/, 'Content-Length: $1, $1')] },
  { name: 'a blank before the colon', chunks: [one.replace('Content-Length:', 'Content-Length :')] },
  { name: 'no blank after the colon', chunks: [one.replace('Content-Length: ', 'Content-Length:')] },
  { name: 'chunked', chunks: [`POST / HTTP/1.1\r\n${HOST}\r\n${AUTH}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`] },
  { name: 'chunked and a length', chunks: [withHeaders('Transfer-Encoding: chunked')] },
  { name: 'chunked under a wrong name', chunks: [withHeaders('Transfer-Encoding : chunked')] },
  { name: 'another encoding', chunks: [withHeaders('Transfer-Encoding: xchunked')] },
  { name: 'a folded line', chunks: [withHeaders('X-A: 1\r\n Content-Length: 0')] },
  { name: 'a line feed alone', chunks: [withHeaders('X-A: 1\nContent-Length: 0')] },
  { name: 'line feeds only', chunks: [one.replaceAll('\r\n', '\n')] },
  { name: 'a carriage return alone', chunks: [withHeaders('X-A: 1\rContent-Length: 0')] },
  { name: 'a zero byte', chunks: [withHeaders('X-A: 1\0')] },
  { name: 'a byte above ASCII', chunks: [withHeaders('X-A: \xe4')] },
  { name: 'a header without a value', chunks: [withHeaders('X-A:')] },
  { name: 'a header without a name', chunks: [withHeaders(': 1')] },
  { name: 'a line without a colon', chunks: [withHeaders('X-A')] },
  { name: 'a name with an underscore', chunks: [withHeaders('content_length: 0')] },
  { name: 'names of object members', chunks: [withHeaders('constructor: 1', 'toString: 2', '__proto__: 3')] },
  { name: 'a blank before the first header', chunks: [one.replace('\r\nHost', '\r\n Host')] },
  { name: 'line ends before the request', chunks: [`\r\n\r\n${one}`] },
  { name: 'line ends between requests', chunks: [`${one}\r\n\r\n${one}`] },
  { name: 'a longer body than announced', chunks: [`${one}GET /nosuch HTTP/1.1\r\n${HOST}\r\n\r\n`] },
  { name: 'a request within a body', chunks: [post(one), post(`{}\r\n${one}`)] },
  { name: 'an absolute target', chunks: [one.replace('POST /', 'POST http://127.0.0.1/')] },
  { name: 'two blanks in the request line', chunks: [one.replace('POST /', 'POST  /')] },
  { name: 'a method in lower case', chunks: [one.replace('POST', 'post')] },
  { name: 'other methods', chunks: ['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'NOSUCH'].map((method) => one.replace('POST', method)) },
  { name: 'other paths', chunks: ['/livez', '/v1/nosuch', '/rest/x', '*', '//'].map((path) => post('{}', { path })) },
  { name: 'a long head', chunks: [withHeaders(`X-A: ${'a'.repeat(5000)}`)] },
  { name: 'too long a head', chunks: [withHeaders(`X-A: ${'a'.repeat(9000)}`)] },
  { name: 'a long body', chunks: [post(JSON.stringify({ id: 'i'.repeat(20_000), method: 'getblockcount' })), one] },
  { name: 'a body at the limit of a short one', chunks: [post(`{"method":"getblockcount"}${' '.repeat(16 * 1024 - 26)}`)] },
  { name: 'a body at the limit of a plain one', chunks: [post(`{"method":"getblockcount"}${' '.repeat(256 * 1024 - 26)}`), one] },
  { name: 'a body beyond a plain one', chunks: [post(`{"method":"getblockcount"}${' '.repeat(256 * 1024 - 25)}`), one] },
  { name: 'a long body with a late reply', chunks: [post(`{"method":"getbestblockhash"}${' '.repeat(100_000)}`) + one, late] },
  { name: 'a long body that is no JSON', chunks: [post('n'.repeat(100_000)), one] },
  { name: 'a long body that is not UTF-8', chunks: [post(`{"id":"\xff"}${' '.repeat(100_000)}`).replace('100011', '100010'), one] },
  { name: 'a long body of too many values', chunks: [post(`[${'[],'.repeat(80_000)}[]]`), one] },
  {
    name: 'a long body in a few chunks',
    chunks: [...(post(`{"method":"getblockcount"}${' '.repeat(60_000)}`).match(/[\s\S]{1,20000}/g) ?? []), one],
  },
  {
    name: 'a long body in many chunks',
    chunks: [...(post(`{"method":"getblockcount"}${' '.repeat(60_000)}`).match(/[\s\S]{1,7000}/g) ?? []), one],
  },
  { name: 'head and body in two chunks', chunks: one.split(/(?<=\r\n\r\n)/) },
  { name: 'head and body in two chunks, twice', chunks: [...one.split(/(?<=\r\n\r\n)/), ...late.split(/(?<=\r\n\r\n)/)] },
  { name: 'a body in two chunks', chunks: [one.slice(0, -10), one.slice(-10, -5), one.slice(-5)] },
  { name: 'a body and the next request in one chunk', chunks: [one.slice(0, -10), one.slice(-10) + late.slice(0, -10), late.slice(-10)] },
  { name: 'a head without credentials before its body', chunks: [post('{}', { headers: [HOST] }).slice(0, -2), '{}'] },
  {
    name: 'a head with wrong credentials before its body',
    chunks: [post('{}', { headers: [HOST, `Authorization: ${basic('user:wrong')}`] }).slice(0, -2), '{}'],
  },
  { name: 'a chunk that ends within the next head', chunks: [one + one.slice(0, 20), one.slice(20)] },
  { name: 'a chunk that ends within the next body', chunks: [late + one.slice(0, -5), one.slice(-5)] },
];
test('plain requests: the same outcome as by node:http', async (t) => {
  const pair = await startPair(t);
  for (const { name, chunks } of seeds) await t.test(name, async () => void (await assertEqual(pair, chunks)));
});

for (const cut of [1, one.length - 1, one.indexOf('{')]) {
  test(`plain requests: a connection that ends within a request, after ${cut} bytes`, async (t) => {
    const { plain, parsed } = await startPair(t);
    const part = [Buffer.from(one.slice(0, cut))];
    assert.equal(await exchange(plain, part), await exchange(parsed, part));
  });
}

test('plain requests: answers are those of the handlers', async (t) => {
  const received = await assertEqual(await startPair(t), [one + late]);
  const bodies = received.split('\r\n').filter((line) => line.startsWith('{'));
  assert.deepEqual(
    bodies.map((body) => JSON.parse(body.split('\n')[0] ?? '').id),
    [1, 2, 99],
  );
});

const bodies = fc.oneof(
  fc.constantFrom(call('getblockcount'), call('getbestblockhash'), call('nosuch'), '{}', '[]', '', 'x', '{"id":"\u20ac","method":1}'),
  fc.string({ maxLength: 20 }),
);
const headerLines = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'Content-Type: application/json',
      'Accept: */*',
      'User-Agent: a',
      'X-Request-Id: b',
      'Connection: keep-alive',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Connection: close',
      'Expect: 100-continue',
      'Content-Length: 2',
      'Transfer-Encoding: chunked',
      'Host: a',
      'X-A:',
      ' X',
    ),
  },
);
const requests = fc
  .tuple(bodies, fc.constantFrom('/', '/', '/wallet/a', '/x'), fc.array(headerLines, { maxLength: 4 }))
  .map(([body, path, headers]) => Buffer.from(post(body, { path, headers: [HOST, AUTH, ...headers] })));

interface Mutation {
  readonly at: number;
  readonly drop: number;
  readonly insert: Uint8Array;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(600),
  drop: fc.nat(2),
  insert: fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', ' ', '\t', ':', ',', '0', '\0', '\x80', '\r\n\r\n').map((text) => Buffer.from(text, 'latin1')),
    fc.uint8Array({ maxLength: 2 }),
  ),
});

/** Bytes of several requests, perhaps mutated, cut into chunks. */
const streams = fc
  .record({
    sent: fc.array(requests, { minLength: 1, maxLength: 4 }),
    mutations: fc.array(mutation, { maxLength: 2 }),
    whole: fc.boolean(),
    cuts: fc.array(fc.nat(1200), { maxLength: 3 }),
  })
  .map(({ sent, mutations, whole, cuts }) => {
    let bytes: Buffer = Buffer.concat(sent);
    for (const { at, drop, insert } of mutations) {
      const from = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(from + drop)]);
    }
    if (whole && mutations.length === 0) return sent;
    const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
    return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)).filter((chunk) => chunk.length > 0);
  });

test('plain requests: any bytes have the same outcome as by node:http', async (t) => {
  const pair = await startPair(t);
  await fc.assert(
    fc.asyncProperty(streams, async (chunks) => void (await assertEqual(pair, chunks))),
    { numRuns: Number(process.env.FC_RUNS ?? 300) },
  );
});
