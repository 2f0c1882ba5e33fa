import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { KeyChanges, type KeyChangesParts } from '../../../../src/wallet/keys/key-changes.js';

const KEYS = 40;

/** Changes of a wallet whose key pool takes a few turns to fill. */
function slowChanges() {
  const failures: unknown[] = [];
  let made = 0;
  const topUpSteps = function* topUpSteps() {
    for (; made < KEYS; made++) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      yield;
    }
    return true;
  };
  const parts = { keyChain: { topUpSteps }, onFailedTopUp: (error: unknown) => failures.push(error) };
  return { changes: new KeyChanges(parts as unknown as KeyChangesParts), failures, made: () => made };
}

test('a change of keys does not wait for a top-up in the background, which continues after it', async () => {
  const { changes, failures, made } = slowChanges();
  const filling = changes.topUpSoon();
  const seen: number[] = [];
  for (let i = 0; i < 2; i++) {
    await wait(5);
    seen.push(await changes.run(() => made()));
  }
  assert.ok(
    seen.every((keys) => keys < KEYS),
    `changes ran at ${seen} keys`,
  );
  await filling;
  assert.equal(made(), KEYS);
  assert.deepEqual(failures, []);
});

test('a top-up in the background ends with the wallet', async () => {
  const { changes, failures, made } = slowChanges();
  const filling = changes.topUpSoon();
  await wait(5);
  changes.abort();
  await filling;
  assert.ok(made() < KEYS);
  assert.deepEqual(failures.map(String), ['NodeError: Requested wallet does not exist or is not loaded']);
});
