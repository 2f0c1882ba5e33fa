import { feeForSize } from '../mempool/fee-rate.js';
import { destinationOf } from '../script/address.js';
import { destinationKey } from './address-book.js';
import {
  type CoinGroup,
  type InputCoin,
  MIN_CHANGE,
  type PricedGroup,
  type Random,
  selectExactly,
  selectWithChange,
  shuffled,
  totalOf,
} from './coin-selection.js';
import type { WalletCoin } from './coins.js';

import { pointKey } from './transactions.js';
import { debitOf, spendableOutputs } from './trust.js';
import type { Wallet } from './wallet.js';

/** Which groups a round may use. @see spec: wallet 2.9 */
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
  readonly coins: readonly WalletCoin[];
  readonly preset: readonly InputCoin[];
  /** Undefined when change is wanted in any case. */
  readonly exact: ExactCosts | undefined;
  /** Coins of one address are spent together. */
  readonly groupByAddress: boolean;
}

export interface Funding {
  readonly coins: readonly InputCoin[];
  readonly isExact: boolean;
}

const MAX_GROUP_SIZE = 10;
/** Of more deep coins than this, as many at random stand for all. */
const ENOUGH_COINS = 10_000;
/** Confirmations after which no one asks any more whose transaction a coin is from. */
const SETTLED_DEPTH = 6;

/** Chooses coins that pay for the target; the safest that will do. @returns undefined if there are not enough */
export function chooseCoins(
  wallet: Wallet,
  request: FundingRequest,
  random: Random,
  toInput: (coin: WalletCoin) => InputCoin,
): Funding | undefined {
  const { preset, target, groupByAddress } = request;
  const rest = target - preset.reduce((sum, { out }) => sum + out.value, 0n);
  if (rest <= 0n) return { coins: preset, isExact: false };
  const taken = new Set(preset.map(({ point }) => pointKey(point)));
  const free = taken.size === 0 ? request.coins : request.coins.filter(({ wtx, vout }) => !taken.has(`${wtx.key}${vout}`));
  const ordered = groupByAddress && free.length > MAX_GROUP_SIZE ? shuffled(free, random) : free;
  const groups = groupsOf(wallet, groupByAddress ? ordered : fewer(ordered, rest, random), groupByAddress, toInput);
  let tried = -1;
  for (const eligibility of roundsOf(wallet)) {
    const eligible = groups.filter((group) => isEligible(group, eligibility));
    // Each round admits what the one before did: as many are the same ones, and fail again.
    if (eligible.length === tried) continue;
    tried = eligible.length;
    const chosen = request.exact ? chooseExactly(eligible, rest, request.exact) : selectWithChange(eligible, rest, random);
    if (chosen && totalOf(chosen) >= rest)
      return { coins: [...preset, ...chosen.flatMap(({ coins }) => coins)], isExact: request.exact !== undefined };
  }
  return undefined;
}

/**
 * Where there are very many deep coins, a random part of them that is worth twice the target: to choose among all would take long
 * and find nothing better.
 */
function fewer(coins: readonly WalletCoin[], target: bigint, random: Random): readonly WalletCoin[] {
  if (coins.length <= ENOUGH_COINS) return coins;
  const deep = coins.filter(({ depth }) => depth >= SETTLED_DEPTH);
  if (deep.length <= ENOUGH_COINS) return coins;
  for (let i = 0; i < ENOUGH_COINS; i++) {
    const j = i + random(deep.length - i);
    [deep[i], deep[j]] = [deep[j] as WalletCoin, deep[i] as WalletCoin];
  }
  const some = deep.slice(0, ENOUGH_COINS);
  const worth = some.reduce((sum, { wtx, vout }) => sum + (wtx.tx.vout[vout]?.value ?? 0n), 0n);
  return worth >= 2n * target + MIN_CHANGE ? some : coins;
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
    { mine: 1, theirs: SETTLED_DEPTH, maxAncestors: 0, maxDescendants: 0 },
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

function groupsOf(wallet: Wallet, coins: readonly WalletCoin[], byAddress: boolean, toInput: (coin: WalletCoin) => InputCoin): CoinGroup[] {
  const single = (coin: WalletCoin): CoinGroup => joined(wallet, [coin], toInput);
  if (!byAddress) return coins.map(single);
  const groups: CoinGroup[] = [];
  const open = new Map<string, WalletCoin[]>();
  for (const coin of coins) {
    const destination = destinationOf(coin.wtx.tx.vout[coin.vout]?.scriptPubKey ?? new Uint8Array(0));
    if (!destination) {
      groups.push(single(coin));
      continue;
    }
    const key = destinationKey(destination);
    const members = open.get(key) ?? [];
    open.set(key, members);
    members.push(coin);
    if (members.length < MAX_GROUP_SIZE) continue;
    groups.push(joined(wallet, members, toInput));
    open.delete(key);
  }
  return [...groups, ...[...open.values()].map((members) => joined(wallet, members, toInput))];
}

function joined(wallet: Wallet, members: readonly WalletCoin[], toInput: (coin: WalletCoin) => InputCoin): CoinGroup {
  const coins = members.map(toInput);
  const chains = members.map((coin) => unconfirmedChain(wallet, coin));
  return {
    coins,
    value: coins.reduce((sum, { out }) => sum + out.value, 0n),
    depth: Math.min(...members.map(({ depth }) => depth)),
    isFromMe: members.every(({ wtx, depth }) => depth >= SETTLED_DEPTH || debitOf(wallet, wtx, spendableOutputs) > 0n),
    ancestors: chains.reduce((sum, { ancestors }) => sum + ancestors, 0),
    descendants: Math.max(...chains.map(({ descendants }) => descendants)),
  };
}

function unconfirmedChain(wallet: Wallet, { wtx, depth }: WalletCoin): { readonly ancestors: number; readonly descendants: number } {
  const entry = depth > 0 ? undefined : wallet.deps.mempool.pool.get(wtx.tx.txid);
  if (!entry) return { ancestors: 0, descendants: 0 };
  let descendants = entry.descendants.count;
  for (const ancestor of entry.allAncestors()) descendants = Math.max(descendants, ancestor.descendants.count);
  return { ancestors: entry.ancestors.count, descendants };
}
