import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { extend } from '../../chains/block-builder.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

test('setinterruptblock: stops at a height, and continues when the height is moved', async () => {
  const { ask, chain } = startServices(params);
  assert.equal(await ask('setinterruptblock', '[3]'), 'null');
  extend(chain, 4);
  assert.equal(chain.tip.height, 2);
  assert.equal(await ask('setinterruptblock', '[-1]'), 'null');
  assert.equal(chain.tip.height, 3);
});

test('setinterruptblock: above the tip of a chain that runs, nothing is reconsidered', async () => {
  const { ask, chain } = startServices(params);
  extend(chain, 2);
  chain.invalidate(chain.tip);
  assert.equal(await ask('setinterruptblock', '[9]'), 'null');
  assert.equal(chain.tip.height, 1, 'a block that was invalidated stays so');
  assert.match(await ask('setinterruptblock', '["9"]'), /^-3 Expected type number, got string/);
  assert.match(await ask('setinterruptblock', '[]'), /^-1 /);
});
