import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyByOwner } from '../../../../src/dfi/accounts/history-columns.js';
import { storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { liveKey, liveTotal } from '../../../../src/dfi/attributes/live-totals.js';
import { auctionBatches, auctionBids, auctionsEndingAt, auctionWins, openAuction } from '../../../../src/dfi/auctions/columns.js';
import { vaultAuctions } from '../../../../src/dfi/auctions/event.js';
import { LAST_EVENT_TXN } from '../../../../src/dfi/context/history.js';
import { loansOf } from '../../../../src/dfi/loans/columns.js';
import { economyTotal } from '../../../../src/dfi/loans/totals.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { addMinted } from '../../../../src/dfi/tokens/minted.js';
import { collateralOf, getVault, putVault } from '../../../../src/dfi/vaults/columns.js';
import { vaultRecords } from '../../../../src/dfi/vaults/history-queries.js';
import { type Hash256, NULL_HASH } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const [POOL, HEIGHT] = [3, 105];
const bidder = script(8);

test('the history includes pool rewards of the winner in the result of the auction', () => {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL), HEIGHT);
  const { view } = fixture;
  fixture.openEarningPool(POOL, bidder, 90);
  const vaultId = fixture.openVault();
  const vault = getVault(view, vaultId);
  assert.ok(vault);
  putVault(view, vaultId, { ...vault, isUnderLiquidation: true });
  const loan = { tokenId: TSLA, amount: COIN };
  openAuction(view, { height: HEIGHT, vaultId }, 0n, [{ loan, loanInterest: 0n, collaterals: [{ tokenId: DUSD, amount: 50n * COIN }] }]);
  view.put(auctionBids, { vaultId, index: 0 }, { owner: bidder, amount: loan });

  fixture.runEvent(vaultAuctions, HEIGHT);
  fixture.history.write(view);
  // Half of 1,000 satoshis in each of 15 blocks.
  assert.equal(fixture.balance(bidder, DFI), 7_500n);
  const record = view.get(historyByOwner, { owner: bidder, height: HEIGHT, txn: LAST_EVENT_TXN });
  assert.deepEqual(record?.differences, [
    { tokenId: DFI, amount: 7_500n },
    { tokenId: DUSD, amount: 50n * COIN },
  ]);
});

/** Closes an auction of 100 DUSD, four of which are interest, for 50 DFI at a penalty of 5 %. @param bid satoshis of DUSD */
function closeDollars(bid?: bigint, withPool = false): { readonly fixture: LoanFixture; readonly vaultId: Hash256 } {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL), HEIGHT);
  fixture.attribute('v0/params/dfip2206a/dusd_interest_burn', { kind: 'bool', value: true });
  const { view } = fixture;
  addMinted(view, { tokenId: DUSD, amount: 200n * COIN });
  const vaultId = fixture.openVault();
  putVault(view, vaultId, { owner, scheme: 'LOAN150', isUnderLiquidation: true });
  const loan = { tokenId: DUSD, amount: 100n * COIN };
  const batch = { loan, loanInterest: 4n * COIN, collaterals: [{ tokenId: DFI, amount: 50n * COIN }] };
  openAuction(view, { height: HEIGHT, vaultId }, 5_000_000n, [batch]);
  if (withPool) fixture.openEarningPool(POOL, owner, HEIGHT);
  if (bid !== undefined) view.put(auctionBids, { vaultId, index: 0 }, { owner: bidder, amount: { tokenId: DUSD, amount: bid } });
  fixture.runEvent(vaultAuctions, HEIGHT);
  return { fixture, vaultId };
}

test('a bid pays for penalty and interest, which are burnt, and principal, which is subtracted from the supply', () => {
  const { fixture, vaultId } = closeDollars(110n * COIN);
  const { view, params } = fixture;
  assert.equal(fixture.balance(params.scripts.burn, DUSD), 9n * COIN);
  assert.equal(getToken(view, DUSD)?.minted, 104n * COIN);
  assert.equal(fixture.balance(bidder, DFI), 50n * COIN);
  // Without a pool the rest of the bid cannot be swapped, and stays in the account of the vault.
  assert.equal(fixture.balance(vaultId, DUSD), 5n * COIN);
  assert.equal(loansOf(view, vaultId), undefined);
  assert.deepEqual(liveTotal(storedAttributes(view), liveKey('consolidated_interest')), []);
});

test('a batch without a bid returns to its vault, and its interest becomes principal', () => {
  const { fixture, vaultId } = closeDollars();
  const { view } = fixture;
  assert.deepEqual(loansOf(view, vaultId), [{ tokenId: DUSD, amount: 100n * COIN }]);
  assert.deepEqual(collateralOf(view, vaultId), [{ tokenId: DFI, amount: 50n * COIN }]);
  assert.equal(getToken(view, DUSD)?.minted, 200n * COIN);
  assert.equal(getVault(view, vaultId)?.isUnderLiquidation, false);
  assert.deepEqual(economyTotal(view, 'loans'), [{ tokenId: DUSD, amount: 96n * COIN }]);
  assert.deepEqual(liveTotal(storedAttributes(view), liveKey('consolidated_interest')), [{ tokenId: DUSD, amount: 4n * COIN }]);
});

test('the history has collateral that is returned, and the rest of a bid, as changes of the vault with the id 0', () => {
  for (const [bid, withPool, amount] of [
    [undefined, false, 50n * COIN],
    [110n * COIN, true, 333_333_333n],
  ] as const) {
    const { fixture } = closeDollars(bid, withPool);
    fixture.history.write(fixture.view);
    const [[key, record] = [], ...others] = vaultRecords(fixture.view, NULL_HASH, { lowest: 0, highest: HEIGHT });
    assert.deepEqual([key?.height, key?.txn, key?.owner.length], [HEIGHT, LAST_EVENT_TXN, 0]);
    assert.deepEqual([record?.category, record?.differences], [0x49, [{ tokenId: DFI, amount }]]);
    assert.equal(others.length, 0);
  }
  const { fixture } = closeDollars(105n * COIN);
  fixture.history.write(fixture.view);
  assert.deepEqual([...vaultRecords(fixture.view, NULL_HASH, { lowest: 0, highest: HEIGHT })], []);
});

test('the rest of a bid is swapped, and becomes collateral of the vault', () => {
  // Of 10 DFI in the pool, 5 in 15 parts of its dollars.
  const { fixture, vaultId } = closeDollars(110n * COIN, true);
  assert.deepEqual(collateralOf(fixture.view, vaultId), [{ tokenId: DFI, amount: 333_333_333n }]);
  assert.deepEqual([fixture.balance(vaultId, DFI), fixture.balance(vaultId, DUSD)], [0n, 0n]);
  for (const [bid, left] of [
    [105n * COIN, undefined],
    [105n * COIN + 2n, [{ tokenId: DFI, amount: 1n }]],
  ] as const) {
    const closed = closeDollars(bid, true);
    assert.deepEqual(collateralOf(closed.fixture.view, closed.vaultId), left);
  }
});

test('a closed auction is deleted, and what was sold is in the history', () => {
  const { fixture, vaultId } = closeDollars(110n * COIN);
  const { view } = fixture;
  assert.deepEqual(auctionsEndingAt(view, HEIGHT), []);
  assert.equal([...view.entries(auctionBatches)].length + [...view.entries(auctionBids)].length, 0);
  assert.deepEqual(view.get(auctionWins, { vaultId, index: 0, height: HEIGHT, owner: bidder }), {
    bid: { tokenId: DUSD, amount: 110n * COIN },
    collaterals: [{ tokenId: DFI, amount: 50n * COIN }],
  });
});

test('a returned loan of another token than DUSD is not counted as loans of DUSD', () => {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL), HEIGHT);
  const { view } = fixture;
  const vaultId = fixture.openVault();
  putVault(view, vaultId, { owner, scheme: 'LOAN150', isUnderLiquidation: true });
  const loan = { tokenId: TSLA, amount: COIN };
  openAuction(view, { height: HEIGHT, vaultId }, 0n, [{ loan, loanInterest: 0n, collaterals: [{ tokenId: DFI, amount: COIN }] }]);
  fixture.runEvent(vaultAuctions, HEIGHT);
  assert.deepEqual(loansOf(view, vaultId), [loan]);
  assert.deepEqual(economyTotal(view, 'loans'), []);
  assert.deepEqual(liveTotal(storedAttributes(view), liveKey('consolidated_interest')), []);
});
