import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attributes, storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { isTokenLocked } from '../../../../src/dfi/attributes/features.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { auctionBids, openAuction } from '../../../../src/dfi/auctions/columns.js';
import { CONTRACT } from '../../../../src/dfi/kernel/contract-addresses.js';
import { loansOf } from '../../../../src/dfi/loans/columns.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { poolOf, putHoldings, putNewPool, putPoolTerms, setShare } from '../../../../src/dfi/pools/columns.js';
import { affectedByRestart } from '../../../../src/dfi/restart/affected.js';
import { makeRestartCreations } from '../../../../src/dfi/restart/creation.js';
import { tokenRestart } from '../../../../src/dfi/restart/event.js';
import { restartRatio } from '../../../../src/dfi/restart/restart.js';
import { getToken, TokenFlag, tokenBySymbol } from '../../../../src/dfi/tokens/columns.js';
import { lockedPart, lockedTokens, lockRatio, RESTARTED_TOKENS } from '../../../../src/dfi/tokens/lock-columns.js';
import { depositToVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { collateralOf, getVault, putVault } from '../../../../src/dfi/vaults/columns.js';
import { type Hash256, NULL_HASH } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { addAsset } from '../governance-context.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const HEIGHT = 100;
const NINE_TENTHS = 90_000_000n;
const params = heights({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
const { burn } = params.scripts;
const [POOL, NEW_DUSD, NEW_TSLA, NEW_POOL] = [3, 4, 5, 6] as const;
const provider = script(7);

/** Fixture with a pool of 5,000 DUSD and 1,000 DFI, whose shares belong to `provider`, and a restart scheduled that locks 90 %. */
function restartFixture(): LoanFixture {
  const fixture = new LoanFixture(params, HEIGHT);
  addAsset(fixture.view, POOL, 'DUSD-DFI', TokenFlag.poolShare);
  putNewPool(fixture.view, POOL, {
    tokenA: DUSD,
    tokenB: DFI,
    commission: 0n,
    owner,
    status: true,
    creationTx: NULL_HASH,
    creationHeight: 1,
    rewards: [],
  });
  fixture.make(script(6), DUSD, 5_000n * COIN);
  const pool = poolOf(fixture.view, POOL);
  assert.ok(pool);
  putHoldings(fixture.view, POOL, 1, { ...pool, reserveA: 5_000n * COIN, reserveB: 1_000n * COIN, totalLiquidity: 1_000_000n });
  fixture.give(provider, POOL, 999_000n);
  setShare(fixture.view, POOL, provider, 1);
  fixture.attribute(`v0/params/dtoken_restart/${HEIGHT}`, { kind: 'amount', value: NINE_TENTHS });
  return fixture;
}

function deposit(fixture: LoanFixture, vaultId: Hash256, tokenId: number, amount: bigint): void {
  fixture.make(owner, tokenId, amount);
  assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId, amount } }), undefined);
}

function borrow(fixture: LoanFixture, vaultId: Hash256, tokenId: number, amount: bigint, to = script(9)): void {
  assert.equal(fixture.failure(takeLoan, { vaultId, to, amounts: [{ tokenId, amount }] }), undefined);
}

/** Opens a vault with 20 DFI, worth 100 USD, and the given DUSD. */
function vaultOf(fixture: LoanFixture, dollars: bigint): Hash256 {
  const vaultId = fixture.openVault();
  deposit(fixture, vaultId, DFI, 20n * COIN);
  if (dollars > 0n) deposit(fixture, vaultId, DUSD, dollars);
  return vaultId;
}

/** Runs the event, by default with the creation transactions of a minter. */
function restart(fixture: LoanFixture, transactions = makeRestartCreations(fixture.view, HEIGHT, params)): void {
  fixture.runEvent(tokenRestart, HEIGHT, transactions);
}

function held(fixture: LoanFixture, vaultId: Hash256): Map<number, bigint> {
  return new Map((collateralOf(fixture.view, vaultId) ?? []).map(({ tokenId, amount }) => [tokenId, amount]));
}

function locked(fixture: LoanFixture, whose: Uint8Array): Map<number, bigint> {
  return new Map((fixture.view.get(lockedTokens, whose) ?? []).map(({ tokenId, amount }) => [tokenId, amount]));
}

test('locked amounts are rounded up', () => {
  assert.equal(lockedPart(100n, NINE_TENTHS), 90n);
  assert.equal(lockedPart(1n, NINE_TENTHS), 1n);
  assert.equal(lockedPart(11n, NINE_TENTHS), 10n);
  assert.equal(lockedPart(3n, 50_000_000n), 2n);
  assert.equal(lockedPart(0n, NINE_TENTHS), 0n);
});

describe('a restart', () => {
  test('replaces tokens and pools by new ones', () => {
    const fixture = restartFixture();
    restart(fixture);
    const symbols = [DUSD, TSLA, POOL, NEW_DUSD, NEW_TSLA, NEW_POOL].map((id) => getToken(fixture.view, id)?.symbol);
    assert.deepEqual(symbols, ['DUSD/v1', 'TSLA/v1', 'DUSD-DFI/v1', 'DUSD', 'TSLA', 'DUSD-DFI']);
    assert.equal(tokenBySymbol(fixture.view, 'DUSD')?.id, NEW_DUSD);
    assert.equal(getToken(fixture.view, DUSD)?.minted, 0n);
    // The minted amount includes the reserves of the pool and the account balances.
    assert.equal(getToken(fixture.view, NEW_DUSD)?.minted, 10_000n * COIN);
    assert.equal(isTokenLocked(fixture.view, NEW_DUSD), false);
    assert.equal(poolOf(fixture.view, POOL)?.totalLiquidity, 0n);
    assert.equal(poolOf(fixture.view, POOL)?.status, false);
    assert.deepEqual([poolOf(fixture.view, NEW_POOL)?.tokenA, poolOf(fixture.view, NEW_POOL)?.tokenB], [NEW_DUSD, DFI]);
    const totals = storedAttributes(fixture.view);
    assert.deepEqual(totals.get(RESTARTED_TOKENS), {
      kind: 'balances',
      value: [
        { tokenId: DUSD, amount: COIN },
        { tokenId: TSLA, amount: COIN },
      ],
    });
  });

  test('locks nine tenths in accounts and pools, and pays out the DFI side of pool shares', () => {
    const fixture = restartFixture();
    restart(fixture);
    assert.equal(lockRatio(fixture.view), NINE_TENTHS);
    assert.deepEqual(
      [fixture.balance(script(6), NEW_DUSD), locked(fixture, script(6))],
      [500n * COIN, new Map([[NEW_DUSD, 4_500n * COIN]])],
    );
    // 5,000 DUSD and 1,000 DFI make 223606797749 shares, of which 1000 are minimum liquidity; nine tenths of the others are removed.
    const shares = 223_606_796_749n;
    assert.equal(fixture.balance(provider, NEW_POOL), shares - 201_246_117_075n);
    assert.deepEqual(locked(fixture, provider), new Map([[NEW_DUSD, 449_999_997_989n]]));
    assert.equal(fixture.balance(provider, DFI), 89_999_999_597n);
    assert.equal(fixture.balance(CONTRACT.tokenLock, NEW_DUSD), 4_500n * COIN + 449_999_997_989n);
    assert.equal(poolOf(fixture.view, NEW_POOL)?.reserveB, 1_000n * COIN - 89_999_999_597n);
  });

  test('pays DUSD loans from DUSD collateral, then other loans at the oracle price, and locks nine tenths of the rest', () => {
    const fixture = restartFixture();
    const vaultId = vaultOf(fixture, 100n * COIN);
    borrow(fixture, vaultId, DUSD, 40n * COIN);
    borrow(fixture, vaultId, TSLA, 2n * COIN);
    restart(fixture);
    assert.equal(loansOf(fixture.view, vaultId), undefined);
    // 100 DUSD, minus 40 for the DUSD loan and 20 for two TSLA.
    assert.equal(fixture.balance(burn, NEW_DUSD), 20n * COIN);
    assert.deepEqual(held(fixture, vaultId).get(NEW_DUSD), 4n * COIN);
    assert.deepEqual(locked(fixture, owner), new Map([[NEW_DUSD, 36n * COIN]]));
  });

  test("pays loans from the owner's balance before using collateral", () => {
    const fixture = restartFixture();
    const vaultId = vaultOf(fixture, 0n);
    borrow(fixture, vaultId, TSLA, 2n * COIN, owner);
    restart(fixture);
    assert.equal(loansOf(fixture.view, vaultId), undefined);
    assert.equal(fixture.balance(owner, NEW_TSLA), 0n);
    assert.equal(held(fixture, vaultId).get(DFI), 20n * COIN);
    assert.equal(getToken(fixture.view, NEW_TSLA)?.minted, 0n);
  });

  test('swaps other collateral of all vaults in one swap, and burns excess DUSD', () => {
    const fixture = restartFixture();
    const vaults = [vaultOf(fixture, 0n), vaultOf(fixture, 0n)];
    for (const vaultId of vaults) borrow(fixture, vaultId, TSLA, COIN);
    restart(fixture);
    for (const vaultId of vaults) assert.equal(loansOf(fixture.view, vaultId), undefined);
    const [first, second] = vaults.map((vaultId) => held(fixture, vaultId).get(DFI));
    assert.equal(first, second);
    // 20 of 5,000 DUSD cost 4.01606426 of 1,000 DFI; the estimated rate equals that of the swap.
    assert.equal(first, 20n * COIN - 200_803_213n);
    assert.deepEqual([...held(fixture, vaults[0] as Hash256).keys()], [DFI]);
  });

  test('closes auctions: refunds bids and returns collateral', () => {
    const fixture = restartFixture();
    const vaultId = fixture.openVault();
    const vault = getVault(fixture.view, vaultId);
    assert.ok(vault);
    putVault(fixture.view, vaultId, { ...vault, isUnderLiquidation: true });
    const batch = { loan: { tokenId: TSLA, amount: COIN }, loanInterest: 0n, collaterals: [{ tokenId: DUSD, amount: 50n * COIN }] };
    openAuction(fixture.view, { height: HEIGHT + 10, vaultId }, 0n, [batch]);
    fixture.make(script(8), TSLA, 2n * COIN);
    fixture.view.put(auctionBids, { vaultId, index: 0 }, { owner: script(8), amount: { tokenId: DUSD, amount: 60n * COIN } });
    restart(fixture);
    assert.equal(fixture.view.get(auctionBids, { vaultId, index: 0 }), undefined);
    assert.equal(getVault(fixture.view, vaultId)?.isUnderLiquidation, false);
    assert.equal(fixture.balance(script(8), NEW_DUSD), 6n * COIN);
    // 10 of the 50 DUSD paid back one TSLA; nine tenths of the other 40 are locked.
    assert.equal(held(fixture, vaultId).get(NEW_DUSD), 4n * COIN);
  });

  test('deletes only its schedule attribute if it fails, and can be undone if it succeeds', () => {
    const fixture = restartFixture();
    const vaultId = vaultOf(fixture, 0n);
    borrow(fixture, vaultId, TSLA, 2n * COIN);
    const before = fixture.digest();
    const back = fixture.branch();
    restart(fixture, []);
    const key = attributeAt(`v0/params/dtoken_restart/${HEIGHT}`);
    assert.equal(fixture.view.get(attributes, key), undefined);
    fixture.view.put(attributes, key, { kind: 'amount', value: NINE_TENTHS });
    assert.equal(fixture.digest(), before, 'nothing but the schedule attribute is deleted');
    restart(fixture);
    assert.notEqual(fixture.digest(), before);
    back();
    assert.equal(fixture.digest(), before);
  });

  test('fails if a loan cannot be paid back', () => {
    const fixture = restartFixture();
    const vaultId = vaultOf(fixture, 0n);
    borrow(fixture, vaultId, TSLA, 2n * COIN);
    fixture.price('TSLA', 10_000n * COIN);
    restart(fixture);
    assert.equal(tokenBySymbol(fixture.view, 'TSLA')?.id, TSLA);
    assert.equal(held(fixture, vaultId).get(DFI), 20n * COIN);
    assert.equal(restartRatio(storedAttributes(fixture.view), HEIGHT), undefined);
  });

  test('fails if future swaps of a token are off', () => {
    for (const value of [false, true]) {
      const fixture = restartFixture();
      fixture.attribute(`v0/token/${DUSD}/dfip2203`, { kind: 'bool', value });
      restart(fixture);
      assert.deepEqual([tokenBySymbol(fixture.view, 'DUSD')?.id, lockRatio(fixture.view)], value ? [NEW_DUSD, NINE_TENTHS] : [DUSD, 0n]);
    }
  });

  test('happens once, from DF24 on, at its height', () => {
    const fixture = restartFixture();
    assert.equal(tokenRestart.isDue({ height: HEIGHT, params: heights({ ...GRAND_CENTRAL, df24: HEIGHT + 1 }) }), false);
    fixture.runEvent(tokenRestart, HEIGHT - 1, makeRestartCreations(fixture.view, HEIGHT, params));
    assert.equal(tokenBySymbol(fixture.view, 'DUSD')?.id, DUSD);
    restart(fixture);
    fixture.attribute('v0/params/dtoken_restart/101', { kind: 'amount', value: NINE_TENTHS });
    assert.deepEqual(makeRestartCreations(fixture.view, 101, params), []);
    const once = fixture.digest();
    fixture.runEvent(tokenRestart, 101);
    assert.equal(fixture.digest(), once, 'the second schedule attribute is kept');
  });
});

describe('creation transactions for a restart', () => {
  test('are one for each token, followed by those of its pools', () => {
    const fixture = restartFixture();
    assert.deepEqual(affectedByRestart(fixture.view), [
      { kind: 'token', id: DUSD },
      { kind: 'pool', id: POOL },
      { kind: 'token', id: TSLA },
    ]);
    const made = makeRestartCreations(fixture.view, HEIGHT, params);
    const payloads = made.map(({ vout }) => Buffer.from(vout[0]?.scriptPubKey ?? []).toString('hex'));
    // OP_RETURN, 20 bytes: DfTS, 0 or 1, the id, 100000000 in 8 bytes.
    const one = '00e1f50500000000';
    assert.deepEqual(payloads, [
      `6a14446654530000000001000000${one}`,
      `6a14446654530100000003000000${one}`,
      `6a14446654530000000002000000${one}`,
    ]);
  });

  test('are omitted if a price is not live, a token locked or a pool disabled', () => {
    const ready = () => restartFixture();
    const none = (fixture: LoanFixture) => assert.deepEqual(makeRestartCreations(fixture.view, HEIGHT, params), []);
    const stale = ready();
    stale.price('TSLA', COIN, 2n * COIN);
    none(stale);
    const lockedToken = ready();
    lockedToken.attribute(`v0/locks/token/${TSLA}`, { kind: 'bool', value: true });
    none(lockedToken);
    const shut = ready();
    const terms = poolOf(shut.view, POOL);
    assert.ok(terms);
    putPoolTerms(shut.view, POOL, { ...terms, status: false });
    none(shut);
    assert.deepEqual(makeRestartCreations(ready().view, HEIGHT + 1, params), []);
  });
});
