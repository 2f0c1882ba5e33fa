import { storedAttributes } from '../../../../src/dfi/attributes/attributes.js';
import { type FutureKind, type TotalName, totalOf } from '../../../../src/dfi/futures/columns.js';
import { type FutureSwapBody, futureSwap } from '../../../../src/dfi/futures/transactions.js';
import type { Balances } from '../../../../src/dfi/kernel/amounts.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

/** Future swaps of both kinds that are paid out every ten blocks, at prices 5 % off. */
export class FutureFixture extends LoanFixture {
  constructor(upgrades: HeightOverrides = {}) {
    super(heights({ ...GRAND_CENTRAL, ...upgrades }));
    for (const kind of ['dfip2203', 'dfip2206f'] as const) {
      this.attribute(`v0/params/${kind}/active`, { kind: 'bool', value: true });
      this.attribute(`v0/params/${kind}/reward_pct`, { kind: 'amount', value: 5_000_000n });
      this.attribute(`v0/params/${kind}/block_period`, { kind: 'amount', value: 10n });
    }
  }

  /** Requests or withdraws a swap; of DUSD for TSLA if not said otherwise. @returns error text without the name of the type, or undefined */
  swap(amount: bigint, given: Partial<FutureSwapBody> & { readonly tokenId?: number; readonly by?: Uint8Array } = {}): string | undefined {
    const { tokenId = DUSD, by, ...members } = given;
    const body = { owner, source: { tokenId, amount }, destination: TSLA, withdraw: false, ...members };
    return this.failure(futureSwap, body, { from: [by ?? body.owner] })?.replace(/^DFIP2203Tx: /, '');
  }

  counted(name: TotalName, kind: FutureKind = 'dfip2203'): Balances {
    return totalOf(storedAttributes(this.view), kind, name);
  }
}
