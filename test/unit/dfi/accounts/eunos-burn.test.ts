import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eunosBurn } from '../../../../src/dfi/accounts/eunos-burn.js';
import { burns } from '../../../../src/dfi/accounts/history-queries.js';
import { DfiFixture, heights, script } from '../fixture.js';

const params = heights({ eunos: 100 });
const { retiredBurn, burn, accountDestruction } = params.scripts;
const [destroyed] = accountDestruction as [Uint8Array];

function fixture(): DfiFixture {
  const made = new DfiFixture(params, 100);
  made.give(retiredBurn, 1, 7n);
  made.give(retiredBurn, 128, 8n);
  made.give(destroyed, 0, 9n);
  made.give(script(1), 0, 10n);
  return made;
}

test('at Eunos balances of the retired burn address move, and those of the old accounts are destroyed', () => {
  const at = fixture();
  at.runEvent(eunosBurn, 100);
  assert.deepEqual([at.balance(retiredBurn, 1), at.balance(burn, 1), at.balance(burn, 128)], [0n, 7n, 8n]);
  assert.deepEqual([at.balance(destroyed), at.balance(script(1))], [0n, 10n]);
  at.history.write(at.view);
  const shown = [...burns(at.view, 100)].map(({ key, record }) => [key.txn, record.category, record.differences[0]?.tokenId]);
  assert.deepEqual(shown, [
    [1, 66, 128],
    [0, 66, 1],
  ]);
});

test('nothing happens at other heights', () => {
  for (const height of [99, 101]) {
    const at = fixture();
    at.runEvent(eunosBurn, height);
    assert.deepEqual([at.balance(retiredBurn, 1), at.balance(destroyed)], [7n, 9n]);
  }
});
