import { feeForSize } from '../../mempool/fee-rate.js';
import type { Random } from '../../util/random.js';
import type { Wallet } from '../wallet.js';
import { WELL_CONFIRMED_DEPTH } from './coin-groups.js';
import { type CoinGroup, type InputCoin, type PricedGroup, selectExactly, selectWithChange, totalOf } from './coin-selection.js';

/** Which groups a round may use. @see docs/protocol/wallet.md 2.9 */
interface Eligibility {
  /** Confirmations of coins from the wallet's own transactions, and of others. */
  readonly mine: number;
  readonly theirs: number;
  readonly maxAncestors: number;
  readonly maxDescendants: number;
}

/** What exact selection needs to know. Rates in satoshis per 1,000 virtual bytes. */
export interface ExactCosts {
  readonly feeRate: bigint;
  readonly longTermFeeRate: bigint;
  readonly costOfChange: bigint;
  /** Fee of everything but the inputs. */
  readonly fixedFee: bigint;
}

export interface FundingRequest {
  /** Satoshis that inputs have to reach, those given in advance included. */
  readonly target: bigint;
  /** Inputs that it has in any case. */
  readonly preset: readonly InputCoin[];
  /** What there is for so many satoshis, beside those. */
  readonly groups: (rest: bigint) => readonly CoinGroup[];
  /** Undefined when change is wanted in any case. */
  readonly exact: ExactCosts | undefined;
}

export interface Funding {
  readonly coins: readonly InputCoin[];
  readonly isExact: boolean;
}

/** Chooses coins that pay for the target; the safest that will do. @returns undefined if there are not enough */
export function chooseCoins(wallet: Wallet, { target, groups, preset, exact }: FundingRequest, random: Random): Funding | undefined {
  const rest = target - preset.reduce((sum, { out }) => sum + out.value, 0n);
  if (rest <= 0n) return { coins: preset, isExact: false };
  const there = groups(rest);
  let tried = -1;
  for (const eligibility of roundsOf(wallet)) {
    const eligible = there.filter((group) => isEligible(group, eligibility));
    // Each round admits what the one before did: as many are the same ones, and fail again.
    if (eligible.length === tried) continue;
    tried = eligible.length;
    const chosen = exact ? chooseExactly(eligible, rest, exact) : selectWithChange(eligible, rest, random);
    if (chosen && totalOf(chosen) >= rest) {
      return { coins: [...preset, ...chosen.flatMap(({ coins }) => coins)], isExact: exact !== undefined };
    }
  }
  return undefined;
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

/** What inputs cost, by their size: there are few sizes and many inputs. */
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

/** The group without coins that cost more than they are worth. */
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
