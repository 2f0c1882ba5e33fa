import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vaultAuctions } from '../../../../src/dfi/events/auctions.js';
import { LAST_EVENT_TXN } from '../../../../src/dfi/history.js';
import { auctionBids, openAuction } from '../../../../src/dfi/state/auctions.js';
import { historyByOwner } from '../../../../src/dfi/state/history.js';
import { setReward } from '../../../../src/dfi/state/pool-rewards.js';
import { poolOf, putHoldings, putNewPool, setShare } from '../../../../src/dfi/state/pools.js';
import { TokenFlag } from '../../../../src/dfi/state/tokens.js';
import { getVault, putVault } from '../../../../src/dfi/state/vaults.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights, script } from '../desk.js';
import { addAsset } from '../governance-context.js';
import { COIN, DFI, DUSD, LoanDesk, owner, TSLA } from '../loan-desk.js';

const [POOL, HEIGHT] = [3, 105];
const bidder = script(8);

test('the history shows pool rewards of whoever wins an auction as a part of what it paid', () => {
  const desk = new LoanDesk(heights(GRAND_CENTRAL), HEIGHT);
  const { view } = desk;
  addAsset(view, POOL, 'DUSD-DFI', TokenFlag.poolShare);
  const creation = { creationTx: NULL_HASH, creationHeight: 1 };
  putNewPool(view, POOL, { tokenA: DUSD, tokenB: DFI, commission: 0n, owner, status: true, rewards: [], ...creation });
  const pool = poolOf(view, POOL);
  assert.ok(pool);
  putHoldings(view, POOL, 90, { ...pool, reserveA: 10n * COIN, reserveB: 10n * COIN, totalLiquidity: 1_000_000n });
  setReward(view, POOL, 'coinbase', 90, 1_000n);
  desk.give(bidder, POOL, 500_000n);
  setShare(view, POOL, bidder, 90);

  const vaultId = desk.openVault();
  const vault = getVault(view, vaultId);
  assert.ok(vault);
  putVault(view, vaultId, { ...vault, isUnderLiquidation: true });
  const loan = { tokenId: TSLA, amount: COIN };
  openAuction(view, { height: HEIGHT, vaultId }, 0n, [{ loan, loanInterest: 0n, collaterals: [{ tokenId: DUSD, amount: 50n * COIN }] }]);
  view.put(auctionBids, { vaultId, index: 0 }, { owner: bidder, amount: loan });

  desk.runEvent(vaultAuctions, HEIGHT);
  desk.history.write(view);
  // Half of 1,000 satoshis in each of 15 blocks.
  assert.equal(desk.balance(bidder, DFI), 7_500n);
  const record = view.get(historyByOwner, { owner: bidder, height: HEIGHT, txn: LAST_EVENT_TXN });
  assert.deepEqual(record?.differences, [
    { tokenId: DFI, amount: 7_500n },
    { tokenId: DUSD, amount: 50n * COIN },
  ]);
});
