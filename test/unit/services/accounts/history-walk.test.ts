import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockHistory } from '../../../../src/dfi/context/history.js';
import type { PastRewards } from '../../../../src/dfi/rewards/queries.js';
import type { HistoryQuery } from '../../../../src/services/accounts/history/query.js';
import { Walk } from '../../../../src/services/accounts/history/walk.js';
import { UNBOUNDED } from '../../../../src/services/format/page.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { heights, script } from '../../dfi/fixture.js';

const TIP = 10;
const owners = [script(1), script(2)];

/** Steps of a walk over two blocks with a record of each owner, in order. */
function stepsOf(keepsReversed: boolean): string[] {
  const view = new Overlay(new MemoryStore());
  for (const height of [5, 7]) {
    const history = new BlockHistory(height, heights(), true);
    for (const [at, owner] of owners.entries())
      history.add([[owner, [{ tokenId: 0, amount: 1n }]]], { txid: Buffer.alloc(32, height), category: 66, txn: at + 1 });
    history.write(view);
  }
  const steps: string[] = [];
  const name = (owner: Uint8Array) => `owner ${owner.at(-1)}`;
  const rewards = {
    restart: () => steps.push('restart'),
    reverse: (owner: Uint8Array) => steps.push(`reverse ${name(owner)}`),
  } as unknown as PastRewards;
  const filter = { tokenId: undefined, categories: undefined } as HistoryQuery['filter'];
  const query: HistoryQuery = { view, selection: 'all', filter, rewards, keepsReversed, wallet: undefined, showsPayments: false };
  const page = { highest: TIP, lowest: 0, txn: UNBOUNDED, isPart: false, start: 0, limit: UNBOUNDED };
  for (const { window } of new Walk(query, undefined, page).steps())
    if (window) steps.push(`${name(window.owner)}: ${window.begin} to ${window.end}`);
  return steps;
}

test('the rewards of an owner are listed up to the tip again wherever the owner changes', () => {
  assert.deepEqual(stepsOf(false), [
    'restart',
    'owner 1: 7 to 10',
    'reverse owner 1',
    'restart',
    'owner 2: 7 to 10',
    'reverse owner 2',
    'restart',
    'owner 1: 5 to 10',
    'reverse owner 1',
    'restart',
    'owner 2: 5 to 10',
    'reverse owner 2',
  ]);
});

test('from Metachain on, records of an owner stay reversed while those of others are walked', () => {
  assert.deepEqual(
    stepsOf(true),
    stepsOf(false).filter((step) => step !== 'restart'),
  );
});
