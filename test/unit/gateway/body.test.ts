import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { type Body, bodyText, readBody } from '../../../src/gateway/body.js';

const LIMIT = 10;

function read(chunks: readonly string[], headers: Record<string, string> = {}, end = true): Promise<Body> {
  const stream = Object.assign(new PassThrough(), { headers });
  return new Promise((resolve) => {
    readBody(stream as unknown as IncomingMessage, LIMIT, resolve);
    for (const chunk of chunks) stream.write(chunk);
    if (end) stream.end();
    else stream.destroy();
  });
}

const cases = [
  { name: 'nothing', chunks: [], text: '' },
  { name: 'one chunk', chunks: ['abc'], text: 'abc' },
  { name: 'several chunks up to the limit', chunks: ['abc', 'defg', 'hij'], text: 'abcdefghij' },
];
for (const c of cases) {
  test(`readBody: ${c.name}`, async () => {
    const body = await read(c.chunks);
    assert.equal(body.status === 'read' && bodyText(body.bytes), c.text);
  });
}

test('readBody: one byte over the limit', async () => assert.equal((await read(['abc', 'defg', 'hijk'])).status, 'too-large'));
test('readBody: announced over the limit', async () => assert.equal((await read([], { 'content-length': '11' })).status, 'too-large'));
test('readBody: announced at the limit', async () => assert.equal((await read(['abcdefghij'], { 'content-length': '10' })).status, 'read'));
test('readBody: a client that leaves', async () => assert.equal((await read(['abc'], {}, false)).status, 'gone'));
test('bodyText: UTF-8 or nothing', () => {
  assert.equal(bodyText(Buffer.from('ü€😀')), 'ü€😀');
  assert.equal(bodyText(Uint8Array.of(0x22, 0xc3, 0x22)), undefined);
});
