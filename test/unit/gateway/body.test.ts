import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { bodyText, readBody } from '../../../src/gateway/body.js';

const LIMIT = 10;

function read(chunks: readonly string[], headers: Record<string, string> = {}): Promise<Uint8Array | undefined> {
  const stream = Object.assign(new PassThrough(), { headers });
  return new Promise((resolve) => {
    readBody(stream as unknown as IncomingMessage, LIMIT, resolve);
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
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
    assert.equal(body && bodyText(body), c.text);
  });
}

test('readBody: one byte over the limit', async () => assert.equal(await read(['abc', 'defg', 'hijk']), undefined));
test('readBody: announced over the limit', async () => assert.equal(await read([], { 'content-length': '11' }), undefined));
test('readBody: announced at the limit', async () => assert.equal((await read(['abcdefghij'], { 'content-length': '10' }))?.length, 10));
test('bodyText: UTF-8 or nothing', () => {
  assert.equal(bodyText(Buffer.from('ü€😀')), 'ü€😀');
  assert.equal(bodyText(Buffer.from('a\ufffdb')), 'a\ufffdb');
  assert.equal(bodyText(Uint8Array.of(0x22, 0xc3, 0x22)), undefined);
});
