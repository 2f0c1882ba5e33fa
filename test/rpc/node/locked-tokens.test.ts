import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockedTokens } from '../../../src/dfi/tokens/lock-columns.js';
import { getLockedTokens, listLockedTokens } from '../../../src/services/node/tokens/locked-tokens.js';
import { toHex } from '../../../src/util/bytes.js';
import { dataScript, GRAND_CENTRAL, heights, legacyScript, script } from '../../unit/dfi/fixture.js';
import { COIN, DUSD, LoanFixture, TSLA } from '../../unit/dfi/loan-fixture.js';
import { startFounderNode } from '../founder-node.js';
import { asker } from '../state-asker.js';

const LEGACY = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';
const SEGWIT = 'bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t';

test('locked tokens are listed by owner, or of one owner', async () => {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL));
  fixture.view.put(lockedTokens, legacyScript(0), [{ tokenId: TSLA, amount: 5n }]);
  fixture.view.put(lockedTokens, script(1), [
    { tokenId: DUSD, amount: 3n * COIN },
    { tokenId: TSLA, amount: 1n },
    { tokenId: 99, amount: 1n },
  ]);
  fixture.view.put(lockedTokens, dataScript('?', new Uint8Array()), [{ tokenId: DUSD, amount: 1n }]);
  const ask = asker(
    { getLockedTokens, listLockedTokens },
    { chain: { params: fixture.params, state: fixture.view, tip: { height: 100 } } as never },
  );
  const own = '["3.00000000@DUSD","0.00000001@TSLA"]';
  assert.equal(
    await ask('listlockedtokens'),
    `[{"owner":"${SEGWIT}","values":${own}},{"owner":"${LEGACY}","values":["0.00000005@TSLA"]}]`,
    'what is locked of a script without an address is not shown',
  );
  assert.equal(await ask('getlockedtokens', [SEGWIT]), own);
  assert.equal(await ask('getlockedtokens', { address: toHex(script(1)) }), own);
  assert.equal(await ask('getlockedtokens', [toHex(script(2))]), '[]');
  assert.equal(await ask('getlockedtokens', ['nobody']), '-5 recipient (nobody) does not refer to any valid address');
});

test('a release has its part in percent, signed by a member of the foundation', async () => {
  const node = await startFounderNode({ ...GRAND_CENTRAL, df24: 0 });
  const failed = 'Test TokenLockReleaseTx execution failed:\n';
  const release = (...args: readonly unknown[]) => node.call('releaselockedtokens', args);
  try {
    assert.equal(await release(1.23), `-32600 ${failed}can't release more than locked 0.00000000 vs 0.01230000`);
    assert.equal(await release(0.0000009), `-32600 ${failed}release ratio can not be 0`);
    assert.equal(await release('1'), '-3 Expected type number, got string');
    assert.equal(await release(true), '-3 Expected type number, got bool');
    assert.equal(await release({}), '-3 Expected type number, got object');
    assert.equal(await release(-1), '-3 Amount out of range');
    assert.equal(await release(null), '-3 Amount is not a number or string');
    assert.equal(await release(null, []), '-32600 Invalid releaseRatio');
    assert.equal(await release(null, null), '-32600 Invalid releaseRatio');
    assert.equal(await release('1', 'x'), '-3 Expected type number, got string');
    assert.equal(await release(null, 'x'), '-3 Expected type array, got string');
    assert.equal(await release(1, {}), '-3 Expected type array, got object');
    assert.equal(await release(), '-1 usage');
    const other = await node.call('getnewaddress');
    await node.mint(101, other);
    const coins = (await node.call('listunspent', [1, 9_999_999, [other]])) as readonly { txid: string; vout: number }[];
    const input = coins.slice(0, 1).map(({ txid, vout }) => ({ txid, vout }));
    assert.equal(await release(1, input), `-32600 ${failed}tx not from foundation member`);
  } finally {
    await node.end();
  }
});
