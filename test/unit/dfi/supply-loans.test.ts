import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountToAccount } from '../../../src/dfi/accounts/transactions.js';
import { auctionBatches, auctionBids, auctionWins } from '../../../src/dfi/auctions/columns.js';
import { vaultAuctions } from '../../../src/dfi/auctions/event.js';
import { auctionBid } from '../../../src/dfi/auctions/transactions.js';
import type { CustomTxOutcome } from '../../../src/dfi/execution/apply.js';
import { CONTRACT } from '../../../src/dfi/kernel/contract-addresses.js';
import { paybackLoan, paybackLoanV2, paybackWithCollateral } from '../../../src/dfi/loans/payback-transactions.js';
import { takeLoan } from '../../../src/dfi/loans/transactions.js';
import { poolOf } from '../../../src/dfi/pools/columns.js';
import { setDexFee } from '../../../src/dfi/pools/fee-columns.js';
import { addPoolLiquidity, removePoolLiquidity } from '../../../src/dfi/pools/liquidity-transactions.js';
import { compositeSwap } from '../../../src/dfi/pools/swap-transactions.js';
import { createPoolPair } from '../../../src/dfi/pools/transactions.js';
import { poolRewards } from '../../../src/dfi/rewards/event.js';
import { lockedTokens, setLockRatio } from '../../../src/dfi/tokens/lock-columns.js';
import { tokenLockRelease } from '../../../src/dfi/tokens/lock-transactions.js';
import { depositToVault, withdrawFromVault } from '../../../src/dfi/vaults/collateral-transactions.js';
import { vaults } from '../../../src/dfi/vaults/columns.js';
import { closeVault, createVault } from '../../../src/dfi/vaults/transactions.js';
import type { HeightOverrides } from '../../../src/params/upgrade-heights.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { GRAND_CENTRAL, heights, script } from './fixture.js';
import { COIN, DFI, DUSD, LoanFixture, TSLA } from './loan-fixture.js';
import { checkSupply } from './supply.js';

const OWNERS = [1, 2].map(script);
const FIRST_HEIGHT = 101;
/** Pools DFI-DUSD and TSLA-DUSD. */
const POOLS = [
  { id: 3, tokenA: DFI, tokenB: DUSD },
  { id: 4, tokenA: TSLA, tokenB: DUSD },
] as const;

const kinds = [
  ...['openVault', 'deposit', 'deposit', 'withdraw', 'takeLoan', 'takeLoan', 'takeLoan', 'takeLoan', 'payBack', 'payBack', 'payBackOther'],
  ...['payBackWithCollateral', 'payBackWithCollateral', 'closeVault', 'bid', 'bid', 'bid', 'swap', 'swap', 'addLiquidity'],
  ...['removeLiquidity', 'send', 'release', 'price', 'price', 'price', 'wait', 'wait'],
] as const;
const STEPS = {
  openVault: (at, { who }) => at.send(createVault, { owner: who, scheme: '' }, { value: COIN, height: at.now }),
  deposit: (at, { who, vaultId, amount }) => at.send(depositToVault, { vaultId, from: who, amount }, at.by(who)),
  withdraw: (at, { who, vaultId, amount }) => at.send(withdrawFromVault, { vaultId, to: who, amount }, at.by(who)),
  takeLoan: (at, { who, vaultId, amount }) => at.send(takeLoan, { vaultId, to: who, amounts: [amount] }, at.by(who)),
  payBack: (at, { who, vaultId, amount }) => at.send(paybackLoan, { vaultId, from: who, amounts: [amount] }, at.by(who)),
  payBackOther: (at, { who, vaultId, amount }) =>
    at.send(paybackLoanV2, { vaultId, from: who, loans: [{ loanToken: TSLA, paid: [{ ...amount, tokenId: DFI }] }] }, at.by(who)),
  payBackWithCollateral: (at, { who, vaultId }) => at.send(paybackWithCollateral, { vaultId }, at.by(who)),
  closeVault: (at, { who, vaultId }) => at.send(closeVault, { vaultId, to: who }, at.by(who)),
  bid: (at, { who, amount, number }) => at.bid(who, number, amount.amount),
  swap: (at, { who, amount, other }) => {
    const maxPrice = { integer: 2n ** 63n - 1n, fraction: 99_999_999n };
    const swap = { from: who, tokenFrom: amount.tokenId, amountFrom: amount.amount, to: who, tokenTo: other, maxPrice };
    return at.send(compositeSwap, { ...swap, path: at.pathBetween(amount.tokenId, other) }, at.by(who));
  },
  addLiquidity: (at, { who, amount, number }) => at.addLiquidity(who, number, amount.amount),
  removeLiquidity: (at, { who, amount, number }) =>
    at.send(removePoolLiquidity, { from: who, amount: { ...amount, tokenId: 3 + (number % 2) } }, at.by(who)),
  send: (at, { who, amount, receiver }) =>
    at.send(accountToAccount, { from: who, to: [{ owner: receiver, balances: [amount] }] }, at.by(who)),
  release: (at, { number }) => at.send(tokenLockRelease, { part: BigInt(number) * (COIN / 40n) }, at.by(at.foundation)),
} satisfies Readonly<Record<string, (at: Market, step: Meant) => CustomTxOutcome>>;
type SentKind = keyof typeof STEPS;

interface Step {
  readonly kind: string;
  readonly who: number;
  readonly to: number;
  readonly token: number;
  readonly other: number;
  readonly number: number;
  readonly amount: bigint;
}

/** A random step, interpreted in the current state. */
interface Meant {
  readonly who: Uint8Array;
  readonly receiver: Uint8Array;
  readonly vaultId: Uint8Array;
  readonly amount: { readonly tokenId: number; readonly amount: bigint };
  readonly other: number;
  readonly number: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(OWNERS.length - 1),
  to: fc.nat(OWNERS.length - 1),
  token: fc.constantFrom(DFI, DUSD, TSLA),
  other: fc.constantFrom(DFI, DUSD, TSLA),
  number: fc.nat(8),
  amount: fc.oneof({ weight: 1, arbitrary: fc.bigInt(-1n, 2n) }, { weight: 9, arbitrary: fc.bigInt(1n, 40n * COIN) }),
});

/** Owners with DFI, loan tokens, pool shares, vaults and locked balances; blocks run with their events. */
class Market extends LoanFixture {
  now = FIRST_HEIGHT;
  /** Supply of each token beyond its minted amount. */
  readonly uncounted = new Map<number, bigint>();
  readonly foundation: Uint8Array;
  readonly applied = new Map<string, number>();

  constructor(given: HeightOverrides) {
    super(heights(given));
    this.foundation = this.params.scripts.foundationMembers[0] as Uint8Array;
    for (const owner of OWNERS) {
      this.give(owner, DFI, 500n * COIN);
      for (const id of [DUSD, TSLA]) this.make(owner, id, 300n * COIN);
    }
    this.#count(DFI, 1_000n * COIN);
    for (const { tokenA, tokenB } of POOLS) {
      const pool = { tokenA, tokenB, commission: 0n, owner: script(9), status: true, symbol: '', rewards: [] };
      assert.equal(this.failure(createPoolPair, pool, { from: [this.foundation] }), undefined);
    }
    setDexFee(this.view, { pool: 4, tokenId: TSLA }, COIN / 50n);
    setDexFee(this.view, { way: 'out', tokenId: DUSD }, COIN / 20n);
    this.attribute('v0/token/2/payback_dfi', { kind: 'bool', value: true });
    this.attribute('v0/token/1/loan_payback_collateral', { kind: 'bool', value: true });
    this.#lock();
    for (const number of [0, 1]) this.addLiquidity(OWNERS[0] as Uint8Array, number, 100n * COIN);
    for (const who of OWNERS) this.#openVault(who);
  }

  #openVault(who: Uint8Array): void {
    STEPS.openVault(this, { who } as Meant);
    const vaultId = this.#vaultsOf(who)[0] as Uint8Array;
    for (const tokenId of [DFI, DUSD]) STEPS.deposit(this, { who, vaultId, amount: { tokenId, amount: 60n * COIN } } as Meant);
  }

  #vaultsOf(who: Uint8Array): Uint8Array[] {
    return [...this.view.entries(vaults)].flatMap(([id, { owner }]) => (equalBytes(owner, who) ? [id] : []));
  }

  #lock(): void {
    setLockRatio(this.view, (COIN * 9n) / 10n);
    for (const [i, owner] of OWNERS.entries()) {
      const amounts = [DUSD, TSLA].map((tokenId) => ({ tokenId, amount: 90n * COIN + BigInt(i + tokenId) }));
      this.view.put(lockedTokens, owner, amounts);
      for (const { tokenId, amount } of amounts) this.make(CONTRACT.tokenLock, tokenId, amount);
    }
  }

  #count(tokenId: number, amount: bigint): void {
    this.uncounted.set(tokenId, (this.uncounted.get(tokenId) ?? 0n) + amount);
  }

  by(owner: Uint8Array) {
    return { from: [owner], height: this.now };
  }

  take(given: Step): void {
    if (given.kind === 'price') {
      // Prices from 1 to 9 dollars, or from 5 to 45; DUSD stays at 1.
      const dollars = BigInt(given.number + 1) * COIN;
      if (given.token !== DUSD) this.price(given.token === DFI ? 'DFI' : 'TSLA', given.token === DFI ? dollars : 5n * dollars);
    } else if (given.kind === 'wait') for (let left = given.number * 5; left > 0; left--) this.endBlock();
    else this.#send(given.kind as SentKind, this.#meaning(given));
  }

  #send(kind: SentKind, meant: Meant): void {
    const burnt = this.balance(this.params.scripts.burn, DUSD);
    if (STEPS[kind](this, meant).status !== 'applied') return;
    if (kind === 'closeVault') this.#count(DFI, this.params.vault.creationFee / 2n);
    // Interest paid with collateral is burnt and also subtracted from the minted amount.
    if (kind === 'payBackWithCollateral') this.#count(DUSD, this.balance(this.params.scripts.burn, DUSD) - burnt);
    this.applied.set(kind, (this.applied.get(kind) ?? 0) + 1);
  }

  #meaning({ kind, who: index, to, token, amount, other, number }: Step): Meant {
    const who = OWNERS[index] as Uint8Array;
    const known = this.#vaultsOf(who);
    return {
      who,
      receiver: OWNERS[to] as Uint8Array,
      vaultId: known[number % Math.max(known.length, 1)] ?? new Uint8Array(32),
      amount: { tokenId: token, amount: kind === 'takeLoan' ? amount / 2n : amount },
      other,
      number,
    };
  }

  pathBetween(a: number, b: number): number[] {
    const direct = POOLS.find(({ tokenA, tokenB }) => (tokenA === a && tokenB === b) || (tokenA === b && tokenB === a));
    if (direct) return [direct.id];
    return a === DFI ? [3, 4] : [4, 3];
  }

  addLiquidity(owner: Uint8Array, number: number, amount: bigint): CustomTxOutcome {
    const { id, tokenA, tokenB } = POOLS[number % 2] as (typeof POOLS)[number];
    const pool = poolOf(this.view, id);
    const second = !pool || pool.reserveA === 0n ? amount : (amount * pool.reserveB) / pool.reserveA;
    const balances = [
      { tokenId: tokenA, amount },
      { tokenId: tokenB, amount: second },
    ].sort((a, b) => a.tokenId - b.tokenId);
    return this.send(addPoolLiquidity, { from: [{ owner, balances }], shareAddress: owner }, this.by(owner));
  }

  /** Smallest valid bid, sometimes more. */
  bid(who: Uint8Array, number: number, extra: bigint): CustomTxOutcome {
    const batches = [...this.view.entries(auctionBatches)];
    const [key, batch] = batches[number % Math.max(batches.length, 1)] ?? [{ vaultId: new Uint8Array(32), index: 0 }, undefined];
    const loan = batch?.loan ?? { tokenId: DUSD, amount: COIN };
    const before = this.view.get(auctionBids, key)?.amount.amount ?? loan.amount;
    const amount = { tokenId: loan.tokenId, amount: before + before / 20n + 1n + (number % 3 === 0 ? extra : 0n) };
    return this.send(auctionBid, { ...key, from: who, amount }, this.by(who));
  }

  endBlock(): void {
    this.runEvent(vaultAuctions, this.now);
    this.runEvent(poolRewards, this.now);
    this.now += 1;
  }
}

const blocks = fc.array(fc.array(step, { minLength: 4, maxLength: 12 }), { minLength: 6, maxLength: 14 });
const eras: readonly { readonly name: string; readonly given: HeightOverrides; readonly without: readonly string[] }[] = [
  { name: 'Grand Central', given: GRAND_CENTRAL, without: ['release'] },
  { name: 'DF24', given: { ...GRAND_CENTRAL, grandCentralEpilogue: 0, metachain: 0, df23: 0, df24: 0 }, without: [] },
];

for (const { name, given, without } of eras) {
  describe(`loans, pools and locks, ${name}`, () => {
    test('the supply of every token equals its minted amount after any transactions, and an undo restores the state', () => {
      const applied = new Map<string, number>();
      fc.assert(
        fc.property(blocks, (sent) => {
          const market = new Market(given);
          const before = market.digest();
          checkSupply(market.view, market.uncounted);
          const undo = market.branch();
          for (const steps of sent) {
            for (const each of steps) market.take(each);
            market.endBlock();
            checkSupply(market.view, market.uncounted);
          }
          for (let left = 40; left > 0; left--) market.endBlock();
          checkSupply(market.view, market.uncounted);
          for (const [kind, count] of market.applied) applied.set(kind, (applied.get(kind) ?? 0) + count);
          applied.set('won', (applied.get('won') ?? 0) + [...market.view.entries(auctionWins)].length);
          market.history.write(market.view);
          undo();
          assert.equal(market.digest(), before);
        }),
        { numRuns: 40 },
      );
      for (const kind of [...Object.keys(STEPS), 'won']) assert.equal((applied.get(kind) ?? 0) > 0, !without.includes(kind), kind);
    });
  });
}
