import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyByOwner } from '../../../../src/dfi/accounts/history-columns.js';
import { auctionBids, openAuction } from '../../../../src/dfi/auctions/columns.js';
import { vaultAuctions } from '../../../../src/dfi/auctions/event.js';
import { LAST_EVENT_TXN } from '../../../../src/dfi/context/history.js';
import { getVault, putVault } from '../../../../src/dfi/vaults/columns.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, TSLA } from '../loan-fixture.js';

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
