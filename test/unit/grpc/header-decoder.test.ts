import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { END_HEADERS, FrameType, frameLength, PREFACE, readFrame } from '../../../src/grpc/plain/frames.js';
import { encodeFields, type Fields, HeaderDecoder } from '../../../src/grpc/plain/header-decoder.js';
import { decodeHuffman } from '../../../src/grpc/plain/huffman.js';
import { fc } from '../../property.js';

/** Header blocks that the client of Node.js sends for these requests, in order. */
async function blocksOf(requests: readonly Record<string, string>[]): Promise<Buffer[]> {
  let received = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.on('error', () => {});
  for (const headers of requests) session.request({ ':method': 'POST', ...headers }).on('error', () => {});
  const blocks = (): Buffer[] => readBlocks(received);
  for (let tries = 0; blocks().length < requests.length && tries < 500; tries++) await sleep(5);
  session.destroy();
  server.close();
  return blocks();
}

function readBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  let open: Buffer[] = [];
  for (let at = PREFACE.length; ; ) {
    const length = frameLength(bytes, at);
    if (typeof length !== 'number') return blocks;
    const { type, flags, payload } = readFrame(bytes, at, length);
    at += length;
    if (type !== FrameType.HEADERS && type !== FrameType.CONTINUATION) continue;
    open.push(payload);
    if ((flags & END_HEADERS) === 0) continue;
    blocks.push(Buffer.concat(open));
    open = [];
  }
}

const value = fc.oneof(
  fc.constantFrom('', 'a', 'application/grpc', 'Basic dXNlcjpwYXNz', '29987m', 'x'.repeat(3_000)),
  fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\x21-\x7e]/g, '~')),
  fc.string({ unit: fc.constantFrom('a', '~', '\xe9', '\xff', '{', '\t '), maxLength: 30 }).map((text) => `v${text}v`),
);
const headers = fc.dictionary(fc.constantFrom('x-a', 'x-b', 'authorization', 'grpc-timeout', 'user-agent', 'te-x', 'date'), value);
const requests = fc.array(headers, { minLength: 1, maxLength: 25 });

test('header blocks of the client of Node.js are decoded, with the state of compression that they share', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const decoder = new HeaderDecoder();
      const blocks = await blocksOf(sent);
      assert.equal(blocks.length, sent.length);
      for (const [i, block] of blocks.entries()) {
        const fields = decoder.decode(block);
        assert.ok(fields);
        assert.deepEqual(custom(fields), Object.entries(sent[i] ?? {}).sort(byName));
        assert.deepEqual(new HeaderDecoder().decode(encodeFields(fields)), fields);
      }
    }),
    { numRuns: 15 },
  );
});

function custom(fields: Fields): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < fields.length; i += 2) pairs.push([fields[i] as string, fields[i + 1] as string]);
  return pairs.filter(([name]) => !name.startsWith(':')).sort(byName);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

// RFC 7541 C.4 and C.6.1
const strings = [
  ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
  ['a8eb10649cbf', 'no-cache'],
  ['25a849e95bb8e8b4bf', 'custom-value'],
  ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
] as const;
for (const [hex, text] of strings) {
  test(`Huffman code of ${text}`, () => {
    const bytes = Buffer.from(hex, 'hex');
    assert.equal(decodeHuffman(bytes, 0, bytes.length), text);
    assert.equal(decodeHuffman(Buffer.concat([bytes, Buffer.of(0xff)]), 0, bytes.length + 1), undefined, 'too much padding');
  });
}

const malformed = [
  ['80', 'index 0'],
  ['be', 'an entry that does not exist'],
  ['ffffffffff7f', 'a long integer'],
  ['40', 'no name'],
  ['400161', 'no value'],
  ['40016105', 'a short value'],
  ['8220', 'a change of size after a field'],
  ['3fe21f', 'a table above the limit'],
  ['0001618100', 'wrong padding'],
] as const;
for (const [hex, fault] of malformed) {
  test(`a header block is refused: ${fault}`, () => assert.equal(new HeaderDecoder().decode(Buffer.from(hex, 'hex')), undefined));
}

test('random bytes are decoded or refused', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (blocks) => {
      const decoder = new HeaderDecoder();
      for (const block of blocks) if (!decoder.decode(block)) break;
    }),
    { numRuns: 2_000 },
  );
});

test('a block that refers to a long entry again and again is refused', () => {
  const decoder = new HeaderDecoder();
  const value = 'b'.repeat(2_000);
  const length = Buffer.of(0x7f, ((value.length - 0x7f) & 0x7f) | 0x80, (value.length - 0x7f) >>> 7);
  assert.deepEqual(decoder.decode(Buffer.concat([Buffer.of(0x40, 1, 0x61), length, Buffer.from(value)])), ['a', value]);
  assert.equal(decoder.decode(Buffer.alloc(20, 0xbe))?.length, 40);
  assert.equal(decoder.decode(Buffer.alloc(10_000, 0xbe)), undefined);
});
