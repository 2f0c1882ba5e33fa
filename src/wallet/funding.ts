import { feeForSize } from '../mempool/fee-rate.js';
import { destinationOf } from '../script/address.js';
import { destinationKey } from './address-book.js';
import {
  type CoinGroup,
  type InputCoin,
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
  const free = request.coins.filter(({ wtx, vout }) => !taken.has(`${wtx.key}${vout}`));
  const ordered = groupByAddress && free.length > MAX_GROUP_SIZE ? shuffled(free, random) : free;
  const groups = groupsOf(wallet, ordered, groupByAddress, toInput);
  for (const eligibility of roundsOf(wallet)) {
    const eligible = groups.filter((group) => isEligible(group, eligibility));
    const chosen = request.exact ? chooseExactly(eligible, rest, request.exact) : selectWithChange(eligible, rest, random);
    if (chosen && totalOf(chosen) >= rest)
      return { coins: [...preset, ...chosen.flatMap(({ coins }) => coins)], isExact: request.exact !== undefined };
  }
  return undefined;
}

function chooseExactly(groups: readonly CoinGroup[], target: bigint, costs: ExactCosts): readonly CoinGroup[] | undefined {
  const { fixedFee, costOfChange } = costs;
  return selectExactly(
    groups.flatMap((group) => priced(group, costs) ?? []),
    { target: target + fixedFee, costOfChange },
  );
}

/** The group without coins that cost more than they are worth. */
function priced(group: CoinGroup, { feeRate, longTermFeeRate }: ExactCosts): PricedGroup | undefined {
  const worthIt = group.coins.filter(({ out, inputSize = 0 }) => out.value > feeForSize(feeRate, inputSize));
  if (worthIt.length === 0) return undefined;
  let [effectiveValue, fee, longTermFee] = [0n, 0n, 0n];
  for (const { out, inputSize = 0 } of worthIt) {
    const own = feeForSize(feeRate, inputSize);
    effectiveValue += out.value - own;
    fee += own;
    longTermFee += feeForSize(longTermFeeRate, inputSize);
  }
  const value = worthIt.reduce((sum, { out }) => sum + out.value, 0n);
  return { group: { ...group, coins: worthIt, value }, effectiveValue, fee, longTermFee };
}

function roundsOf({ deps: { settings, mempool } }: Wallet): Eligibility[] {
  const { ancestorCount, descendantCount } = mempool.limits;
  const unlimited = Number.MAX_SAFE_INTEGER;
  const confirmed = [
    { mine: 1, theirs: 6, maxAncestors: 0, maxDescendants: 0 },
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
    isFromMe: members.every(({ wtx }) => debitOf(wallet, wtx, spendableOutputs) > 0n),
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
