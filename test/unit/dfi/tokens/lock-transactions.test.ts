import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Balances } from '../../../../src/dfi/kernel/amounts.js';
import { CONTRACT } from '../../../../src/dfi/kernel/contract-addresses.js';
import { lockedTokens, lockRatio, setLockRatio } from '../../../../src/dfi/tokens/lock-columns.js';
import { tokenLockRelease } from '../../../../src/dfi/tokens/lock-transactions.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../fixture.js';

const params = heights({ ...GRAND_CENTRAL, metachain: 0, df24: 0 });
const foundation = params.scripts.foundationMembers[0] as Uint8Array;
const COIN = 100_000_000n;

/** State in which nine tenths of the balances of two owners are locked. */
function lockedFixture(): DfiFixture {
  const fixture = new DfiFixture(params);
  lock(fixture, 1, [
    { tokenId: 5, amount: 900n },
    { tokenId: 6, amount: 1n },
  ]);
  lock(fixture, 2, [{ tokenId: 5, amount: 7n }]);
  setLockRatio(fixture.view, (COIN * 9n) / 10n);
  return fixture;
}

function lock(fixture: DfiFixture, owner: number, held: Balances): void {
  fixture.view.put(lockedTokens, script(owner), held);
  for (const { tokenId, amount } of held) fixture.give(CONTRACT.tokenLock, tokenId, amount);
}

function release(fixture: DfiFixture, part: bigint, from = foundation): string | undefined {
  return fixture.failure(tokenLockRelease, { part }, { from: [from] });
}

test('a release pays a part of the locked balances to every owner, rounded down, from the contract account', () => {
  const fixture = lockedFixture();
  const amounts = () => [fixture.balance(script(1), 5), fixture.balance(script(1), 6), fixture.balance(script(2), 5)];
  assert.equal(release(fixture, COIN / 10n), undefined);
  assert.deepEqual(amounts(), [100n, 0n, 0n]);
  assert.deepEqual(fixture.view.get(lockedTokens, script(1)), [
    { tokenId: 5, amount: 800n },
    { tokenId: 6, amount: 1n },
  ]);
  assert.deepEqual([fixture.balance(CONTRACT.tokenLock, 5), fixture.balance(CONTRACT.tokenLock, 6)], [807n, 1n]);
  assert.equal(lockRatio(fixture.view), (COIN * 8n) / 10n);
  assert.equal(release(fixture, (COIN * 4n) / 10n), undefined);
  assert.deepEqual(amounts(), [500n, 0n, 3n]);
  assert.equal(release(fixture, (COIN * 4n) / 10n), undefined);
  assert.deepEqual(amounts(), [900n, 1n, 7n], 'the last part leaves nothing');
  assert.deepEqual([...fixture.view.entries(lockedTokens)], []);
  assert.equal(fixture.balance(CONTRACT.tokenLock, 5), 0n);
  assert.equal(lockRatio(fixture.view), 0n);
});

test('a release is rejected without the foundation, for 0, and for more than is locked', () => {
  const fixture = lockedFixture();
  assert.equal(release(fixture, COIN / 10n, script(1)), 'TokenLockReleaseTx: tx not from foundation member');
  assert.equal(release(fixture, 0n), 'TokenLockReleaseTx: release ratio can not be 0');
  assert.equal(release(fixture, COIN), "TokenLockReleaseTx: can't release more than locked 0.90000000 vs 1.00000000");
  const early = new DfiFixture(heights({ ...GRAND_CENTRAL, metachain: 50, df24: 101 }));
  assert.equal(release(early, COIN), 'TokenLockReleaseTx: called before DF24 height');
});

test('a negative part is released as its amount overflows, as far as that is possible', () => {
  const fixture = lockedFixture();
  assert.equal(release(fixture, -COIN / 10n), undefined);
  // 2^64 less a tenth of 900, times 10^8, is divided by the ratio.
  assert.equal(fixture.balance(script(1), 5), 184_467_440_736_995n);
  assert.deepEqual([fixture.balance(CONTRACT.tokenLock, 5), fixture.view.get(lockedTokens, script(1))], [907n, undefined]);
  assert.equal(lockRatio(fixture.view), COIN);
});
