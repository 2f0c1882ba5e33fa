import { feeForSize } from '../../mempool/fee-rate.js';
import type { Random } from '../../util/random.js';
import type { Wallet } from '../wallet.js';
import { WELL_CONFIRMED_DEPTH } from './coin-groups.js';
import { type CoinGroup, type InputCoin, type PricedGroup, selectExactly, selectWithChange, totalOf } from './coin-selection.js';

/** Groups that a round of selection may use. @see docs/protocol/wallet.md 2.9 */
interface Eligibility {
  /** Minimum confirmations of coins from the wallet's own transactions, and of other coins. */
  readonly mine: number;
  readonly theirs: number;
  readonly maxAncestors: number;
  readonly maxDescendants: number;
}

/** Costs for exact selection. Rates in satoshis per 1,000 virtual bytes, other members in satoshis. */
export interface ExactCosts {
  readonly feeRate: bigint;
  readonly longTermFeeRate: bigint;
  /** Cost of creating and later spending a change output. */
  readonly costOfChange: bigint;
  /** Fee of the transaction without inputs. */
  readonly fixedFee: bigint;
}

export interface FundingRequest {
  /** Minimum sum of all inputs including `preset`, satoshis. */
  readonly target: bigint;
  /** Inputs that are always included. */
  readonly preset: readonly InputCoin[];
  /** Groups to select from if `rest` satoshis are needed in addition to `preset`. */
  readonly groups: (rest: bigint) => readonly CoinGroup[];
  /** Undefined for a selection with change. */
  readonly exact: ExactCosts | undefined;
}

/** Selected coins, including the preset ones, which come first. */
export interface Funding {
  readonly coins: readonly InputCoin[];
  /** The selection needs no change: the surplus goes to the fee. */
  readonly isExact: boolean;
}

/** Selects coins for the target in rounds, safest coins first. @returns undefined if they do not suffice */
export function chooseCoins(wallet: Wallet, { target, groups, preset, exact }: FundingRequest, random: Random): Funding | undefined {
  const rest = target - preset.reduce((sum, { out }) => sum + out.value, 0n);
  if (rest <= 0n) return { coins: preset, isExact: false };
  const available = groups(rest);
  let tried: readonly CoinGroup[] | undefined;
  for (const eligibility of roundsOf(wallet)) {
    const eligible = available.filter((group) => isEligible(group, eligibility));
    // The same groups would fail again. Their number does not tell: small limits of unconfirmed chains narrow a later round.
    if (tried && areSame(eligible, tried)) continue;
    tried = eligible;
    const chosen = exact ? chooseExactly(eligible, rest, exact) : selectWithChange(eligible, rest, random);
    if (chosen && totalOf(chosen) >= rest) {
      return { coins: [...preset, ...chosen.flatMap(({ coins }) => coins)], isExact: exact !== undefined };
    }
  }
  return undefined;
}

function areSame(a: readonly CoinGroup[], b: readonly CoinGroup[]): boolean {
  return a.length === b.length && a.every((group, i) => group === b[i]);
}

function chooseExactly(groups: readonly CoinGroup[], target: bigint, costs: ExactCosts): readonly CoinGroup[] | undefined {
  const { fixedFee, costOfChange } = costs;
  const fees = new InputFees(costs);
  const worthIt: PricedGroup[] = [];
  for (const group of groups) {
    const each = priced(group, fees);
    if (each) worthIt.push(each);
  }
  return selectExactly(worthIt, { target: target + fixedFee, costOfChange });
}

/** Fees of inputs, cached by size: there are few sizes and many inputs. */
class InputFees {
  readonly #known = new Map<number, { readonly fee: bigint; readonly longTermFee: bigint }>();

  constructor(private readonly costs: ExactCosts) {}

  of({ inputSize = 0 }: InputCoin): { readonly fee: bigint; readonly longTermFee: bigint } {
    const known = this.#known.get(inputSize);
    if (known) return known;
    const { feeRate, longTermFeeRate } = this.costs;
    const fees = { fee: feeForSize(feeRate, inputSize), longTermFee: feeForSize(longTermFeeRate, inputSize) };
    this.#known.set(inputSize, fees);
    return fees;
  }
}

/** Removes coins whose input costs more than they are worth. @returns undefined if none remains */
function priced(group: CoinGroup, fees: InputFees): PricedGroup | undefined {
  const worthIt = group.coins.filter((coin) => coin.out.value > fees.of(coin).fee);
  if (worthIt.length === 0) return undefined;
  let [value, fee, longTermFee] = [0n, 0n, 0n];
  for (const coin of worthIt) {
    const own = fees.of(coin);
    value += coin.out.value;
    fee += own.fee;
    longTermFee += own.longTermFee;
  }
  const kept = worthIt.length === group.coins.length ? group : { ...group, coins: worthIt, value };
  return { group: kept, effectiveValue: value - fee, fee, longTermFee };
}

function roundsOf({ deps: { settings, mempool } }: Wallet): Eligibility[] {
  const { ancestorCount, descendantCount } = mempool.limits;
  const unlimited = Number.MAX_SAFE_INTEGER;
  const confirmed = [
    { mine: 1, theirs: WELL_CONFIRMED_DEPTH, maxAncestors: 0, maxDescendants: 0 },
    { mine: 1, theirs: 1, maxAncestors: 0, maxDescendants: 0 },
  ];
  if (!settings.spendUnconfirmedChange) return confirmed;
  const a = Math.max(ancestorCount, 1);
  const d = Math.max(descendantCount, 1);
  const own = (maxAncestors: number, maxDescendants: number) => ({ mine: 0, theirs: 1, maxAncestors, maxDescendants });
  const rounds = [
    ...confirmed,
    own(2, 2),
    own(Math.min(4, Math.floor(a / 3)), Math.min(4, Math.floor(d / 3))),
    own(Math.floor(a / 2), Math.floor(d / 2)),
    own(a - 1, d - 1),
  ];
  return settings.rejectLongChains ? rounds : [...rounds, own(unlimited, unlimited)];
}

function isEligible({ depth, isFromMe, ancestors, descendants }: CoinGroup, limits: Eligibility): boolean {
  return depth >= (isFromMe ? limits.mine : limits.theirs) && ancestors <= limits.maxAncestors && descendants <= limits.maxDescendants;
}
