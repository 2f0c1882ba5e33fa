import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Probe, UpstreamCredentials } from '../../../src/gateway/upstream/upstream-credentials.js';
import { Role } from '../../../src/rpc/options.js';
import { type ErrorKind, NodeError } from '../../../src/util/errors.js';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

/** Credentials whose node answers with `answer`, and what it was asked. */
function upstream(answer: () => ReturnType<Probe>) {
  const asked: string[] = [];
  let nowMs = 0;
  const credentials = new UpstreamCredentials(
    ({ authorization }) => {
      asked.push(authorization);
      return answer();
    },
    () => nowMs,
  );
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { credentials, asked, pass };
}

const failing = (kind: ErrorKind) => () => Promise.reject(new NodeError(kind, kind));

test('UpstreamCredentials: accepted credentials are checked again after ten seconds', async () => {
  const { credentials, asked, pass } = upstream(() => Promise.resolve({}));
  assert.equal((await credentials.check(basic('alice:1')))?.user, 'alice');
  pass(9_999);
  assert.equal((await credentials.check(basic('alice:1')))?.user, 'alice');
  assert.equal(asked.length, 1);
  pass(1);
  await credentials.check(basic('alice:1'));
  assert.equal(asked.length, 2);
});

test('UpstreamCredentials: the caller has the rights in the answer of the node', async () => {
  const rights = { user: 'alice', role: 'spend', whitelisted: true, methods: ['getblockcount'] };
  const { credentials } = upstream(() => Promise.resolve(rights));
  const expected = { user: 'alice', role: Role.SPEND, methods: new Set(['getblockcount']) };
  assert.deepEqual(await credentials.check(basic('alice:1')), expected);
});

test('UpstreamCredentials: wrong credentials are checked each time', async () => {
  const { credentials, asked } = upstream(failing('unauthenticated'));
  assert.equal(await credentials.check(basic('alice:1')), undefined);
  assert.equal(await credentials.check(basic('alice:1')), undefined);
  assert.equal(asked.length, 2);
});

for (const kind of ['warmup', 'permission-denied', 'misc'] as const) {
  test(`UpstreamCredentials: an answer ${kind} accepts the credentials`, async () => {
    const { credentials } = upstream(failing(kind));
    assert.equal((await credentials.check(basic('alice:1')))?.user, 'alice');
  });
}

for (const kind of ['unavailable', 'resource-exhausted'] as const) {
  test(`UpstreamCredentials: an answer ${kind} neither accepts nor rejects`, async () => {
    const { credentials } = upstream(failing(kind));
    await assert.rejects(async () => credentials.check(basic('alice:1')), { kind });
  });
}

test('UpstreamCredentials: requests with the same credentials share a check, and the number of checks is limited', async () => {
  const answers: (() => void)[] = [];
  const { credentials, asked } = upstream(() => new Promise((resolve) => answers.push(() => resolve({}))));
  const first = credentials.check(basic('alice:1'));
  const second = credentials.check(basic('alice:1'));
  assert.equal(asked.length, 1);
  for (let i = 0; i < 99; i++) void credentials.check(basic(`guess:${i}`));
  assert.throws(() => credentials.check(basic('guess:99')), { kind: 'resource-exhausted' });
  for (const answer of answers) answer();
  assert.deepEqual([(await first)?.user, (await second)?.user], ['alice', 'alice']);
  await new Promise(setImmediate);
  assert.ok(credentials.check(basic('guess:99')));
});

test('UpstreamCredentials: malformed credentials are not sent to the node', () => {
  const { credentials, asked } = upstream(() => Promise.resolve({}));
  for (const text of ['Bearer x', `Basic ${Buffer.from('nocolon').toString('base64')}`]) assert.equal(credentials.check(text), undefined);
  assert.equal(asked.length, 0);
});
