import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { Reflection } from '../../../src/grpc/reflection.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

test('reflection: questions wait while answers are not read', async () => {
  const answers: unknown[] = [];
  const unread: (() => void)[] = [];
  const stream = new Duplex({
    objectMode: true,
    highWaterMark: 2,
    read() {},
    write(answer, _, done) {
      answers.push(answer);
      unread.push(done);
    },
  });
  new Reflection(committedCatalogue()).serve(stream as unknown as Parameters<Reflection['serve']>[0]);
  for (let i = 0; i < 10; i++) stream.push({ host: '', messageRequest: { $case: 'listServices', value: '' } });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settle();
  assert.equal(stream.writableLength, 2);
  while (unread.length > 0) {
    unread.shift()?.();
    await settle();
    assert.ok(stream.writableLength <= 2);
  }
  assert.equal(answers.length, 10);
});
