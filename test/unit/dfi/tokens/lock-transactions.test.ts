import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Balances } from '../../../../src/dfi/kernel/amounts.js';
import { CONTRACT } from '../../../../src/dfi/kernel/contract-addresses.js';
import { lockedTokens, lockRatio, setLockRatio } from '../../../../src/dfi/tokens/lock-columns.js';
import { tokenLockRelease } from '../../../../src/dfi/tokens/lock-transactions.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../fixture.js';

const params = heights({ ...GRAND_CENTRAL, df24: 0 });
const foundation = params.scripts.foundationMembers[0] as Uint8Array;
const COIN = 100_000_000n;

/** State in which nine tenths of the balances of two owners are locked. */
function lockedDesk(): DfiFixture {
  const desk = new DfiFixture(params);
  lock(desk, 1, [
    { tokenId: 5, amount: 900n },
    { tokenId: 6, amount: 1n },
  ]);
  lock(desk, 2, [{ tokenId: 5, amount: 7n }]);
  setLockRatio(desk.view, (COIN * 9n) / 10n);
  return desk;
}

function lock(desk: DfiFixture, owner: number, held: Balances): void {
  desk.view.put(lockedTokens, script(owner), held);
  for (const { tokenId, amount } of held) desk.give(CONTRACT.tokenLock, tokenId, amount);
}

function release(desk: DfiFixture, part: bigint, from = foundation): string | undefined {
  return desk.failure(tokenLockRelease, { part }, { from: [from] });
}

test('a release pays a part of the locked balances to every owner, rounded down, from the contract account', () => {
  const desk = lockedDesk();
  const amounts = () => [desk.balance(script(1), 5), desk.balance(script(1), 6), desk.balance(script(2), 5)];
  assert.equal(release(desk, COIN / 10n), undefined);
  assert.deepEqual(amounts(), [100n, 0n, 0n]);
  assert.deepEqual(desk.view.get(lockedTokens, script(1)), [
    { tokenId: 5, amount: 800n },
    { tokenId: 6, amount: 1n },
  ]);
  assert.deepEqual([desk.balance(CONTRACT.tokenLock, 5), desk.balance(CONTRACT.tokenLock, 6)], [807n, 1n]);
  assert.equal(lockRatio(desk.view), (COIN * 8n) / 10n);
  assert.equal(release(desk, (COIN * 4n) / 10n), undefined);
  assert.deepEqual(amounts(), [500n, 0n, 3n]);
  assert.equal(release(desk, (COIN * 4n) / 10n), undefined);
  assert.deepEqual(amounts(), [900n, 1n, 7n], 'the last part leaves nothing');
  assert.deepEqual([...desk.view.entries(lockedTokens)], []);
  assert.equal(desk.balance(CONTRACT.tokenLock, 5), 0n);
  assert.equal(lockRatio(desk.view), 0n);
});

test('a release is rejected without the foundation, for 0, and for more than is locked', () => {
  const desk = lockedDesk();
  assert.equal(release(desk, COIN / 10n, script(1)), 'TokenLockReleaseTx: tx not from foundation member');
  assert.equal(release(desk, 0n), 'TokenLockReleaseTx: release ratio can not be 0');
  assert.equal(release(desk, COIN), "TokenLockReleaseTx: can't release more than locked 0.90000000 vs 1.00000000");
  const early = new DfiFixture(heights({ ...GRAND_CENTRAL, df24: 101 }));
  assert.equal(release(early, COIN), 'TokenLockReleaseTx: called before DF24 height');
});
