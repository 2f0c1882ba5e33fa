import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { liveKey, liveTotal } from '../../../../src/dfi/attributes/live-totals.js';
import { auctionBatches } from '../../../../src/dfi/auctions/columns.js';
import { vaultAuctions } from '../../../../src/dfi/auctions/event.js';
import { type InterestRate, interestRates } from '../../../../src/dfi/loans/columns.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { depositToVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, DFI, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const NONE = { negative: false, amount: 0n };

/** Vault with a loan in TSLA of height 100, and three DFI for each of them, worth 150 percent. */
function indebted(loan: bigint, interest = 5n * COIN): { readonly fixture: LoanFixture; readonly vaultId: Hash256 } {
  const fixture = new LoanFixture(heights(GRAND_CENTRAL));
  fixture.loanToken(TSLA, interest);
  const vaultId = fixture.openVault();
  fixture.give(owner, DFI, 3n * loan);
  assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DFI, amount: 3n * loan } }), undefined);
  assert.equal(fixture.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId: TSLA, amount: loan }] }), undefined);
  return { fixture, vaultId };
}

/** Batches of a vault after its liquidation. */
function liquidated({ fixture, vaultId }: ReturnType<typeof indebted>, height: number) {
  fixture.runEvent(vaultAuctions, height);
  return [0, 1, 2].flatMap((index) => fixture.view.get(auctionBatches, { vaultId, index }) ?? []);
}

function rateOf({ fixture, vaultId }: ReturnType<typeof indebted>): InterestRate | undefined {
  return fixture.view.get(interestRates, { vaultId, tokenId: TSLA });
}

describe('a liquidated vault', () => {
  test('owes interest in proportion to its batches, and the excess from rounding is counted', () => {
    const debt = indebted(1_000n * COIN);
    debt.fixture.price('TSLA', 11n * COIN);
    // Ten blocks of 190258.75 satoshis, rounded up: 1902588. A collateral of 15,000 dollars makes batches of 66666666 and 33333334 parts.
    assert.deepEqual(liquidated(debt, 110), [
      {
        loan: { tokenId: TSLA, amount: 66_667_934_391n },
        loanInterest: 1_268_391n,
        collaterals: [{ tokenId: DFI, amount: 199_999_998_000n }],
      },
      {
        loan: { tokenId: TSLA, amount: 33_333_968_197n },
        loanInterest: 634_196n,
        collaterals: [{ tokenId: DFI, amount: 100_000_002_000n }],
      },
    ]);
    assert.deepEqual(rateOf(debt), { height: 110, perBlock: NONE, toHeight: NONE });
    const excess = liveTotal(storedAttributes(debt.fixture.view), liveKey('batch_rounding_excess'));
    assert.deepEqual(excess, [{ tokenId: TSLA, amount: 1n }]);
  });

  test('counts no excess if the batches ask for the principal', () => {
    const debt = indebted(COIN);
    debt.fixture.price('TSLA', 11n * COIN);
    // 190.26 satoshis per block.
    const batch = { loan: { tokenId: TSLA, amount: COIN + 191n }, loanInterest: 191n, collaterals: [{ tokenId: DFI, amount: 3n * COIN }] };
    assert.deepEqual(liquidated(debt, 101), [batch]);
    assert.deepEqual(liveTotal(storedAttributes(debt.fixture.view), liveKey('batch_rounding_excess')), []);
  });

  test('owes no interest if that is negative, but less principal', () => {
    const debt = indebted(2n * COIN, -500n * COIN);
    debt.fixture.price('DFI', 2n * COIN);
    // 1,000 of the 52,560 blocks of a year at -495 %: 18835616.4 satoshis.
    assert.deepEqual(liquidated(debt, 1_100), [
      { loan: { tokenId: TSLA, amount: 2n * COIN - 18_835_616n }, loanInterest: 0n, collaterals: [{ tokenId: DFI, amount: 6n * COIN }] },
    ]);
    assert.deepEqual(rateOf(debt), { height: 1_100, perBlock: NONE, toHeight: NONE });
  });

  test('keeps negative interest below one satoshi unless the interest per block is negative too', () => {
    const credit = { negative: true, amount: 5n };
    for (const [negative, kept] of [
      [false, credit],
      [true, NONE],
    ] as const) {
      const debt = indebted(COIN);
      debt.fixture.price('TSLA', 11n * COIN);
      const rate = { height: 101, perBlock: { negative, amount: 7n }, toHeight: credit };
      debt.fixture.view.put(interestRates, { vaultId: debt.vaultId, tokenId: TSLA }, rate);
      const [batch, ...more] = liquidated(debt, 101);
      assert.deepEqual([batch?.loan.amount, batch?.loanInterest, more.length], [COIN, 0n, 0]);
      assert.deepEqual(rateOf(debt), { height: 101, perBlock: NONE, toHeight: kept });
    }
  });
});
