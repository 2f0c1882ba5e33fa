import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchBody } from '../../../src/gateway/envelope.js';
import { type Body, textOf } from '../../../src/gateway/reply.js';
import { fc } from '../../property.js';

const reply = (text: string): string => `${JSON.stringify(text)}\n`;

function bodyOf(replies: readonly Body[]): BatchBody {
  const body = new BatchBody();
  for (const each of replies) body.add(each);
  return body;
}

test('a batch is an array of its replies, whether they are text or bytes', () => {
  const part = fc.tuple(fc.string({ maxLength: 9_000 }), fc.boolean(), fc.nat(20));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const replies = parts.map(([text, isText, cut]): Body => {
        const bytes = Buffer.from(reply(text));
        return isText ? reply(text) : [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
      });
      const body = bodyOf(replies);
      assert.equal(body.isEmpty, parts.length === 0);
      assert.equal(textOf(body.finish()), `[${parts.map(([text]) => JSON.stringify(text)).join(',')}]\n`);
    }),
    { numRuns: 60 },
  );
});

test('the length of a batch grows with each reply', () => {
  const body = bodyOf([reply('ab'), [Buffer.from(reply('abc'))]]);
  assert.equal(body.length, 5 + 6);
});

test('text of more than 16 KiB becomes bytes as it grows', () => {
  const ofLength = (length: number) => bodyOf([reply('x'.repeat(length - '[""'.length))]).finish();
  assert.equal(typeof ofLength(16 * 1024), 'string');
  assert.equal(typeof ofLength(16 * 1024 + 1), 'object');
});
