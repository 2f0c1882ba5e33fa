import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCommunityBalance, communityBalance } from '../../../../src/dfi/accounts/community-columns.js';
import { communityFunds } from '../../../../src/dfi/accounts/community-funds.js';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { DfiFixture, heights } from '../fixture.js';

const params = heights({ grandCentral: 100 });
const { foundationShare } = params.scripts;

/** Balances of the foundation and of community development after a block; 3 and 5 before it. */
function after(height: number, governed: boolean): bigint[] {
  const fixture = new DfiFixture(params);
  fixture.give(foundationShare, 0, 3n);
  addCommunityBalance(fixture.view, 'communityDevelopment', 5n);
  if (governed) fixture.view.put(attributes, attributeAt('v0/params/feature/gov'), { kind: 'bool', value: true });
  fixture.runEvent(communityFunds, height);
  return [fixture.balance(foundationShare), communityBalance(fixture.view, 'communityDevelopment')];
}

test('the foundation account has the community funds while governance is off', () => assert.deepEqual(after(100, false), [8n, 0n]));
test('the community account has the community funds while governance is on', () => assert.deepEqual(after(100, true), [0n, 8n]));
test('community funds do not move before Grand Central', () => assert.deepEqual(after(99, true), [3n, 5n]));
