import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { BodyBudget, type BodyRefusal, bodyText, CommaCounter, MAX_JSON_VALUES, RequestBody, readBody } from '../../../src/gateway/body.js';
import { JsonNumber, type JsonValue, writeJson } from '../../../src/util/json.js';
import { fc } from '../../property.js';

const LIMIT = 10;

const response = (): ServerResponse => new EventEmitter() as unknown as ServerResponse;

interface Sent {
  readonly headers?: Record<string, string>;
  readonly budget?: BodyBudget;
  readonly res?: ServerResponse;
}

function read(chunks: readonly string[], { headers = {}, budget = new BodyBudget(), res = response() }: Sent = {}) {
  const stream = Object.assign(new PassThrough(), { headers });
  return new Promise<RequestBody | BodyRefusal>((resolve) => {
    readBody(stream as unknown as IncomingMessage, res, LIMIT, budget, resolve);
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  });
}

const textOf = (body: RequestBody | BodyRefusal): string | undefined => (body instanceof RequestBody ? bodyText(body.bytes) : undefined);

const cases = [
  { name: 'nothing', chunks: [], text: '' },
  { name: 'one chunk', chunks: ['abc'], text: 'abc' },
  { name: 'several chunks up to the limit', chunks: ['abc', 'defg', 'hij'], text: 'abcdefghij' },
];
for (const c of cases) test(`readBody: ${c.name}`, async () => assert.equal(textOf(await read(c.chunks)), c.text));

test('readBody: one byte over the limit', async () => assert.equal(await read(['abc', 'defg', 'hijk']), 'too-large'));
test('readBody: announced over the limit', async () => assert.equal(await read([], { headers: { 'content-length': '11' } }), 'too-large'));
test('readBody: announced at the limit', async () =>
  assert.equal(textOf(await read(['abcdefghij'], { headers: { 'content-length': '10' } })), 'abcdefghij'));

test('readBody: bodies of several chunks share a budget until they are answered', async () => {
  const budget = new BodyBudget(12);
  const first = response();
  assert.ok((await read(['abcd', 'efgh'], { budget, res: first })) instanceof RequestBody);
  assert.equal(budget.used, 8);
  const refused = await read(['ijk', 'lm'], { budget });
  assert.equal(refused instanceof Error && 'kind' in refused && refused.kind, 'overloaded');
  first.emit('close');
  assert.equal(budget.used, 0);
  assert.ok((await read(['ijk', 'lm'], { budget })) instanceof RequestBody);
});

test('readBody: a single body may exceed the budget', async () => {
  const budget = new BodyBudget(4);
  assert.ok((await read(['abcd', 'efgh'], { budget })) instanceof RequestBody);
  const refused = await read(['ijk', 'lm'], { budget });
  assert.equal(refused instanceof Error && 'kind' in refused && refused.kind, 'overloaded');
});

test('readBody: a body of one chunk reserves nothing', async () => {
  const budget = new BodyBudget(0);
  assert.equal(textOf(await read(['abc'], { budget })), 'abc');
});

test('bodyText: undefined unless UTF-8', () => {
  assert.equal(bodyText(Buffer.from('ü€😀')), 'ü€😀');
  assert.equal(bodyText(Buffer.from('a\ufffdb')), 'a\ufffdb');
  assert.equal(bodyText(Uint8Array.of(0x22, 0xc3, 0x22)), undefined);
});

function receive(bytes: Uint8Array, { budget = new BodyBudget(), res = response() }: Sent = {}): Promise<RequestBody | BodyRefusal> {
  const stream = Object.assign(new PassThrough(), { headers: {} });
  return new Promise((resolve) => {
    readBody(stream as unknown as IncomingMessage, res, bytes.length, budget, resolve);
    for (let at = 0; at < bytes.length; at += 65_521) stream.write(bytes.subarray(at, at + 65_521));
    stream.end();
  });
}

/** A body as it comes from the network. */
async function received(bytes: Uint8Array, sent: Sent = {}): Promise<RequestBody> {
  const result = await receive(bytes, sent);
  assert.ok(result instanceof RequestBody);
  return result;
}

/** Parses while another task waits for its turn. @returns the value, and how often the other task had it */
async function parseBesides(body: RequestBody): Promise<{ value: JsonValue; turns: number }> {
  let turns = 0;
  let isOver = false;
  const tick = (): void => {
    turns += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    return { value: await body.parse(), turns };
  } finally {
    isOver = true;
  }
}

const long: { name: string; text: string }[] = [
  { name: 'many values', text: `[${'{"a":[1,"bbbbbbbbbbbbbbbb",true]},'.repeat(45_000)}null]` },
  { name: 'a string with escapes only', text: `["${'\\n\\u00e9\\ud83d\\ude00'.repeat(120_000)}"]` },
  { name: 'white space', text: `${' '.repeat(24_000_000)}1` },
  { name: 'characters of several bytes', text: `["${'ü€😀'.repeat(1_000_000)}"]` },
];
for (const { name, text } of long) {
  test(`RequestBody: a long body is parsed in slices: ${name}`, async () => {
    const { value, turns } = await parseBesides(await received(Buffer.from(text)));
    assert.equal(writeJson(value), JSON.stringify(JSON.parse(text)));
    assert.ok(turns > 0);
  });
}

test('RequestBody: a short body is parsed synchronously', async () => {
  const value = (await received(Buffer.from('1'))).parse();
  assert.ok(value instanceof JsonNumber);
});

const manyValues = (count: number): Uint8Array => Buffer.from(`[${'0,'.repeat(count - 2)}0]`);

test('RequestBody: at most 250,000 values', async () => {
  const value = await (await received(manyValues(MAX_JSON_VALUES))).parse();
  assert.equal(Array.isArray(value) && value.length, MAX_JSON_VALUES - 1);
  const body = await received(manyValues(MAX_JSON_VALUES + 1));
  await assert.rejects(async () => body.parse(), { kind: 'invalid-request', message: 'Request of more than 250000 JSON values' });
});

test('readBody: a body of too many values is refused while it arrives', async () => {
  const refused = await receive(Buffer.from(`["\\",",${'0,'.repeat(MAX_JSON_VALUES + 1)}`));
  assert.ok(refused instanceof Error && 'kind' in refused);
  assert.equal(refused.kind, 'invalid-request');
});

test('readBody: commas in strings are no values', async () => {
  const text = `["${'\\",'.repeat(MAX_JSON_VALUES)}"]`;
  const body = await received(Buffer.from(text));
  assert.equal(writeJson(await body.parse()), text);
});

test('CommaCounter: counts the commas outside strings, however the text is cut', () => {
  const pieces = ['"', '\\', '\\"', ',', 'a', '","', '"x,y"', '[]'].map((text) => fc.constant(text));
  fc.assert(
    fc.property(fc.array(fc.oneof(...pieces), { maxLength: 40 }), fc.array(fc.nat(60), { maxLength: 4 }), (parts, cuts) => {
      const text = parts.join('');
      const counter = new CommaCounter();
      const ends = [...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      ends.forEach((end, i) => {
        counter.add(Buffer.from(text.slice(ends[i - 1] ?? 0, end)));
      });
      assert.equal(counter.count, text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '').split(',').length - 1);
    }),
  );
});

test('RequestBody: values count towards the budget of all bodies until the answer is sent', async () => {
  const budget = new BodyBudget(50_000_000);
  const res = response();
  await (await received(manyValues(200_000), { budget, res })).parse();
  const second = await received(manyValues(200_000), { budget });
  await assert.rejects(async () => second.parse(), { kind: 'overloaded' });
  res.emit('close');
  await (await received(manyValues(200_000), { budget })).parse();
});

test('RequestBody: long bodies are parsed as strictly as short ones', async () => {
  for (const text of [
    `"${'\\u0041'.repeat(400_000)}\n"`,
    `"${'a'.repeat(2_000_000)}\\x"`,
    `${'[11111111],'.repeat(120_000)}`,
    `"${'\\n'.repeat(800_000)}`,
  ]) {
    const body = await received(Buffer.from(text));
    await assert.rejects(async () => body.parse(), { kind: 'parse-error' });
  }
  const notUtf8 = await received(Buffer.concat([Buffer.from(`"${'a'.repeat(2_000_000)}`), Buffer.of(0xc3, 0x22)]));
  await assert.rejects(async () => notUtf8.parse(), { kind: 'parse-error' });
});
