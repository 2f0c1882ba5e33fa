import { isActive, type NetworkParams } from '../../params/network.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView } from '../../storage/view.js';
import { Accounts, balanceOf } from '../accounts/columns.js';
import type { Balances } from '../kernel/amounts.js';
import { deleteShare, hasPool, poolIds, poolsOfOwner, setShare, shareHeight, termsOf } from '../pools/columns.js';
import { earnedBetween } from './earned.js';
import { creditOrDebit } from './owner-rewards.js';
import { type Payment, paymentsOf } from './payments.js';
import { rewardRuns } from './reward-runs.js';

/** Payment of a pool to an owner for one block, which no stored history contains. */
export interface Reward extends Payment {
  readonly owner: Uint8Array;
  readonly pool: number;
  readonly height: number;
}

/**
 * Past rewards, computed from the balances that an owner had at the time. The caller walks an owner's history from the tip backwards,
 * reverses each record, and asks for the rewards between two records.
 * @see docs/protocol/accounts.md 5.7
 */
export class PastRewards {
  #view: Overlay;

  constructor(
    private readonly state: StateView,
    private readonly params: NetworkParams,
  ) {
    this.#view = new Overlay(state);
  }

  /** False if there are no pools, hence no rewards. */
  get exist(): boolean {
    for (const _pool of poolIds(this.state)) return true;
    return false;
  }

  /** Returns to the state at the tip. */
  restart(): void {
    this.#view = new Overlay(this.state);
  }

  /** Reverts the changes of a record. Like in `defid`, shares that the record added or removed count as held since height 0. */
  reverse(owner: Uint8Array, differences: Balances): void {
    const view = this.#view;
    for (const { tokenId, amount } of differences) {
      creditOrDebit(new Accounts(view), owner, { tokenId, amount: -amount });
      if (!hasPool(view, tokenId)) continue;
      const left = balanceOf(view, owner, tokenId);
      if (amount < 0n) {
        if (left === -amount) setShare(view, tokenId, owner, 0);
      } else if (left === 0n) deleteShare(view, tokenId, owner);
      else setShare(view, tokenId, owner, 0);
    }
  }

  /** Rewards of the blocks from `begin` up to, but excluding, `end`; pool by pool, each from the oldest block on. */
  *between(owner: Uint8Array, begin: number, end: number): Generator<Reward> {
    const scratch = new Overlay(this.#view);
    for (const pool of [...poolsOfOwner(this.#view, owner)]) {
      const since = shareHeight(this.#view, pool, owner);
      if (since === undefined || since >= end) continue;
      let firstHeight = 0;
      for (const reward of this.#ofPool(scratch, owner, pool, Math.max(since, begin), end)) {
        yield reward;
        firstHeight ||= reward.height;
        // Until Eunos the balance already includes the rewards of the block itself.
        if (isActive(this.params, 'eunos', reward.height) || reward.height !== firstHeight)
          creditOrDebit(new Accounts(scratch), owner, reward);
      }
    }
  }

  *#ofPool(scratch: Overlay, owner: Uint8Array, pool: number, begin: number, end: number): Generator<Reward> {
    const terms = termsOf(scratch, pool);
    if (!terms) return;
    const { df24 } = this.params.upgrades;
    const shares = () => balanceOf(scratch, owner, pool);
    if (begin < df24) {
      for (const run of rewardRuns(scratch, pool, begin, Math.min(end, df24), this.params)) {
        for (let height = run.begin; height < run.end; height++) {
          for (const payment of paymentsOf(run, shares(), terms, this.params)) yield { ...payment, owner, pool, height };
        }
      }
    }
    for (let height = Math.max(begin, df24); height < end; height++) {
      for (const payment of earnedBetween(scratch, pool, shares(), height - 1, height + 1)) yield { ...payment, owner, pool, height };
    }
  }
}
