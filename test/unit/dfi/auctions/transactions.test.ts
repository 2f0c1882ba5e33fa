import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auctionBids, openAuction } from '../../../../src/dfi/auctions/columns.js';
import { auctionBid } from '../../../../src/dfi/auctions/transactions.js';
import type { TokenAmount } from '../../../../src/dfi/kernel/amounts.js';
import { putVault } from '../../../../src/dfi/vaults/columns.js';
import { formatHash, type Hash256 } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

/** Height of the bids, and of the end of the auction. */
const [HEIGHT, END] = [100, 150];
const FIVE_PERCENT = 5_000_000n;
const rival = script(2);

/** An auction of one batch for a loan, and bids for it; their results are error texts without the name of the message. */
class TestAuction {
  readonly state: LoanFixture;
  readonly vaultId: Hash256;

  constructor(
    readonly loan: TokenAmount = { tokenId: TSLA, amount: 10n * COIN },
    penalty = FIVE_PERCENT,
    upgrades = GRAND_CENTRAL,
  ) {
    this.state = new LoanFixture(heights(upgrades), HEIGHT);
    this.vaultId = this.state.openVault();
    this.liquidate(true);
    const batch = { loan, loanInterest: 0n, collaterals: [{ tokenId: DFI, amount: COIN }] };
    openAuction(this.state.view, { height: END, vaultId: this.vaultId }, penalty, [batch]);
  }

  liquidate(isUnderLiquidation: boolean): void {
    putVault(this.state.view, this.vaultId, { owner, scheme: 'LOAN150', isUnderLiquidation });
  }

  fund(): this {
    for (const each of [owner, rival]) this.state.give(each, this.loan.tokenId, 20n * COIN);
    return this;
  }

  bid(from: Uint8Array, amount: bigint, { vaultId = this.vaultId, index = 0, tokenId = this.loan.tokenId, height = HEIGHT } = {}) {
    const body = { vaultId, index, from, amount: { tokenId, amount } };
    return this.state.failure(auctionBid, body, { from: [from], height })?.replace('AuctionBidTx: ', '');
  }

  get balances(): readonly bigint[] {
    return [owner, rival].map((each) => this.state.balance(each, this.loan.tokenId));
  }
}

test('the first bid pays for loan and penalty, a later one at least one percent more, and refunds the one before', () => {
  const auction = new TestAuction().fund();
  const first = 1_050_000_000n;
  assert.equal(auction.bid(owner, first - 1n), 'First bid should include liquidation penalty of 5%');
  assert.deepEqual(auction.balances, [20n * COIN, 20n * COIN]);
  assert.equal(auction.bid(owner, first), undefined);
  assert.deepEqual(auction.balances, [20n * COIN - first, 20n * COIN]);
  const second = 1_060_500_000n;
  assert.equal(auction.bid(rival, second - 1n), 'Bid override should be at least 1% higher than current one');
  assert.equal(auction.bid(rival, second, { height: END }), undefined);
  assert.deepEqual(auction.balances, [20n * COIN, 20n * COIN - second]);
  const best = auction.state.view.get(auctionBids, { vaultId: auction.vaultId, index: 0 });
  assert.deepEqual([best?.amount, best?.owner.toString()], [{ tokenId: TSLA, amount: second }, rival.toString()]);
});

test('a bid needs its bidder, balance and token, and an auction that is open', () => {
  const auction = new TestAuction();
  const { vaultId, state } = auction;
  const amount = 11n * COIN;
  const body = { vaultId, index: 0, from: owner, amount: { tokenId: TSLA, amount } };
  const text = 'AuctionBidTx: tx must have at least one input from token owner';
  assert.equal(state.failure(auctionBid, body, { from: [rival] }), text);
  assert.equal(auction.bid(owner, amount), 'amount 0.00000000 is less than 11.00000000');
  auction.fund();
  assert.equal(auction.bid(owner, amount, { tokenId: DUSD }), 'Bid token does not match auction one');
  const missing = new Uint8Array(32).fill(1);
  assert.equal(auction.bid(owner, amount, { vaultId: missing }), `Vault <${formatHash(missing)}> not found`);
  assert.equal(auction.bid(owner, amount, { index: 1 }), `No batch to vault/index ${formatHash(vaultId)}/1`);
  assert.equal(auction.bid(owner, amount, { height: END + 1 }), `No auction data to vault ${formatHash(vaultId)}`);
  auction.liquidate(false);
  assert.equal(auction.bid(owner, amount), 'Cannot bid to vault which is not under liquidation');
});

test('from Museum on a bid exceeds the loan, unless there is no penalty, and the bid before', () => {
  const { fortCanningMuseum: _museum, ...rest } = GRAND_CENTRAL;
  const bids = (penalty: bigint, fortCanningMuseum: number) => {
    const auction = new TestAuction({ tokenId: TSLA, amount: 1n }, penalty, { ...rest, fortCanningMuseum }).fund();
    return [auction.bid(owner, 1n), auction.bid(rival, 1n), auction.bid(rival, 2n), auction.bid(owner, 2n), auction.bid(owner, 3n)];
  };
  const higher = 'Bid override should be higher than last one';
  assert.deepEqual(bids(0n, HEIGHT), [undefined, higher, undefined, higher, undefined]);
  const first = 'First bid should be higher than batch one';
  assert.deepEqual(bids(FIVE_PERCENT, HEIGHT), [first, first, undefined, higher, undefined]);
  assert.deepEqual(bids(FIVE_PERCENT, HEIGHT + 1), [undefined, undefined, undefined, undefined, undefined]);
});

test('rewards of the bidder and of the refunded one are materialised', () => {
  // 500 satoshis in each of ten blocks.
  const auction = new TestAuction({ tokenId: DFI, amount: 5_000n }, 0n);
  auction.state.openEarningPool(3, rival, 90);
  assert.equal(auction.bid(rival, 5_000n), undefined);
  assert.deepEqual(auction.balances, [0n, 0n]);
  const other = new TestAuction({ tokenId: DFI, amount: COIN }, 0n).fund();
  other.state.openEarningPool(3, rival, 90);
  const amount = { tokenId: DFI, amount: COIN };
  other.state.view.put(auctionBids, { vaultId: other.vaultId, index: 0 }, { owner: rival, amount });
  assert.equal(other.bid(owner, 2n * COIN), undefined);
  assert.deepEqual(other.balances, [18n * COIN, 21n * COIN + 5_000n]);
});
