import type { NetworkParams } from '../../params/network.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import { INT64_MAX } from '../../util/numbers.js';
import type { Steps } from '../../util/slicer.js';
import { Accounts, allBalances, balanceOf, materialisedHeights } from '../accounts/columns.js';
import { type ChainBlock, KnownRewards } from './known-rewards.js';
import { holdingsOf, PaidTokens } from './steady-share.js';

/** Balances that are read in one step. */
const STEP_BALANCES = 256;
/** Balances above this one may overflow by later rewards. */
const SAFE_BALANCE = INT64_MAX / 2n;

/** Owners with a balance of one of some tokens. @param tokenIds undefined for any token */
export function* holdersOf(view: StateView, tokenIds: ReadonlySet<number> | undefined): Steps<readonly Uint8Array[]> {
  const holders = new Map<string, Uint8Array>();
  let read = 0;
  for (const [{ owner, tokenId }, amount] of allBalances(view)) {
    read += 1;
    if (read % STEP_BALANCES === 0) yield;
    if (amount > 0n && (!tokenIds || tokenIds.has(tokenId))) holders.set(toHex(owner), owner);
  }
  return [...holders.values()];
}

/**
 * Materialises rewards outside of a block, for `-consolidaterewards`: those of the blocks below the tip and below DF24. As in `defid`, later
 * ones are left alone, because each materialisation rounds them once. Balances are in the end what they are without it; where they would
 * not be, nothing is materialised:
 * - before Grand Central, where a history that begins within a range of blocks counts as empty for the whole range;
 * - for owners whose pools pay in shares of one of them, or whose balance comes near the largest amount, because then the order of payments
 *   matters.
 * @see docs/protocol/defi.md 2.8, 2.9
 */
export class RewardConsolidation {
  readonly #view: WritableView;
  readonly #tip: ChainBlock;
  readonly #params: NetworkParams;
  readonly #known = new KnownRewards(1);
  readonly #paid: PaidTokens;

  constructor(view: WritableView, tip: ChainBlock, params: NetworkParams) {
    this.#view = view;
    this.#tip = tip;
    this.#params = params;
    this.#paid = new PaidTokens(view);
  }

  /** False if the tip is below Grand Central. */
  get isPossible(): boolean {
    return this.#tip.height >= this.#params.upgrades.grandCentral;
  }

  /** @returns true if the owner's rewards were materialised; false if there are none below DF24, or if that is not possible */
  *materialise(owner: Uint8Array): Steps<boolean> {
    const view = this.#view;
    const end = Math.min(this.#tip.height, this.#params.upgrades.df24);
    const earned = this.isPossible ? yield* this.#earned(owner, end) : undefined;
    if (!earned || [...earned].some(([tokenId, sum]) => balanceOf(view, owner, tokenId) + sum > SAFE_BALANCE)) return false;
    const accounts = new Accounts(view);
    for (const [tokenId, amount] of earned) accounts.add(owner, { tokenId, amount });
    view.put(materialisedHeights, owner, end);
    return true;
  }

  /**
   * Rewards by token of the blocks below `end`; undefined if the owner has no share that earns there, or if the order of payments matters.
   */
  *#earned(owner: Uint8Array, end: number): Steps<ReadonlyMap<number, bigint> | undefined> {
    const view = this.#view;
    const materialised = view.get(materialisedHeights, owner) ?? 0;
    const earning = holdingsOf(view, owner, this.#paid)?.filter(({ since }) => Math.max(since, materialised) < end);
    if (!earning || earning.length === 0) return undefined;
    const total = new Map<number, bigint>();
    for (const holding of earning) {
      const range = { view, tip: this.#tip, begin: Math.max(holding.since, materialised), end, params: this.#params };
      const sums = yield* this.#known.sumsOf(owner, holding, range);
      for (const [tokenId, sum] of sums) total.set(tokenId, (total.get(tokenId) ?? 0n) + sum);
    }
    return total;
  }
}
