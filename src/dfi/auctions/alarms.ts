import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { encode } from '../../primitives/codec.js';
import { type Hash256, NULL_HASH } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { compareBytes, equalBytes, toHex } from '../../util/bytes.js';
import type { ReadContext, WriteContext } from '../kernel/block-context.js';
import { isRejection, unlessRejected } from '../kernel/rejected.js';
import { getCollateralToken, getLoanToken } from '../loan-tokens/columns.js';
import { interestRates, loanAmounts, loansOf } from '../loans/columns.js';
import { HIGH_PRECISION, interestRate, totalInterest } from '../loans/interest.js';
import { getLoanScheme, loanSchemes } from '../loans/scheme-columns.js';
import { requirePrice } from '../oracles/fixed-prices.js';
import { collateralOf, getVault, vaultCollaterals, vaults } from '../vaults/columns.js';
import {
  ALARM_CAUSES,
  type AlarmCause,
  alarmPrefix,
  alarmProgress,
  heightAlarms,
  type PriceAlarmKey,
  priceAlarms,
  type TokenAlarm,
  type VaultAlarms,
  vaultAlarms,
} from './alarm-columns.js';

/*
 * A vault that is not changed can become liquidatable only if a price or the height changes. Its alarms bound these changes: as long as
 * no alarm is triggered, collateral(now) / loans(now) is at least the minimum of its scheme. Let C be the collateral and L the loans when
 * the alarms are set, and S = C / (minimum * L). The alarms permit the prices of collateral to fall to the part a, those of loans to rise
 * to the part 1 / a, and the loans to grow by interest to the part g: then collateral(now) >= a * C and loans(now) <= g * L / a, so a is
 * the root of g / S. A vault without a price for one of its tokens is not liquidated; it waits for that price.
 */

/** Vaults whose alarms a block sets if all must be set: after an upgrade of the program, or if a loan scheme changed. */
const VAULTS_PER_BLOCK = 1_000;
/** Blocks after which a vault is checked in any case; up to twice as many, so that not all are checked at once. */
const HORIZON = 86_400;
const NEVER = 0xffffffff;
/** Relative error of computing with floating-point numbers, generously. */
const MARGIN = 1e-9;
/** Lowest part to which prices may fall without an alarm; it bounds the effect of rounding. */
const LOWEST_PART = 0.1;
/** Highest part to which prices of collateral may rise and loans may grow; with {@link HIGHEST_VALUE} it excludes overflows. */
const HIGHEST_RISE = 100;
const HIGHEST_GROWTH = 2;
/** Satoshis of a dollar; values above are always checked, because 64 bits could overflow after a change of prices. */
const HIGHEST_VALUE = 2 ** 55;
/** Collateral factor above which a vault is always checked. */
const HIGHEST_FACTOR = 100n * COIN;
/** Satoshis of a dollar by which rounding reduces the value of a collateral token at most, at the highest factor and the lowest part. */
const ROUNDING = 2 * (Number(HIGHEST_FACTOR / COIN) / LOWEST_PART);
/** Satoshis of a loan token by which rounding increases a loan at most. */
const LOAN_ROUNDING = 2;
const UNIT = Number(COIN);

const ALWAYS: VaultAlarms = { height: 0, prices: [] };
const ONLY_KEY = 0;
/** Value of all rows by price and by height. */
const NO_VALUE = 0;

/**
 * Vaults that may have become liquidatable since their alarms were set, in the order of ids. No other vault is liquidatable.
 * @returns undefined if the alarms are not complete
 */
export function alarmedVaults(context: WriteContext): readonly Hash256[] | undefined {
  const { view, height } = context;
  const progress = view.get(alarmProgress, ONLY_KEY);
  if (progress?.height !== height - 1 || progress.next || hasChangedSchemes(view)) return undefined;
  const found = new Map<string, Hash256>();
  for (const vaultId of changedVaults(view)) found.set(toHex(vaultId), vaultId);
  for (const vaultId of triggered(context)) found.set(toHex(vaultId), vaultId);
  return [...found.values()].sort(compareBytes);
}

/** Brings the alarms up to date with a block. Runs after everything else that changes vaults. */
export function updateAlarms(context: WriteContext): void {
  const { view, height } = context;
  const progress = view.get(alarmProgress, ONLY_KEY);
  if (!progress && !hasVaults(view)) return;
  const isCurrent = progress?.height === height - 1 && !hasChangedSchemes(view);
  for (const vaultId of changedVaults(view)) resetAlarms(context, vaultId);
  const from = isCurrent ? progress.next : NULL_HASH;
  view.put(alarmProgress, ONLY_KEY, { height, next: from && setNext(context, from) });
}

/** Sets the alarms of a vault by its present state. */
export function resetAlarms(context: WriteContext, vaultId: Hash256): void {
  const { view } = context;
  const before = view.get(vaultAlarms, vaultId);
  const after = alarmsOf(context, vaultId);
  if (before && after && equalBytes(encode(vaultAlarms.value, before), encode(vaultAlarms.value, after))) return;
  // The record of the vault says which rows there are, so none of them is read.
  if (before) {
    if (before.height !== NEVER) view.deleteKnown(heightAlarms, { height: before.height, vaultId }, NO_VALUE);
    for (const alarm of before.prices) view.deleteKnown(priceAlarms, { ...alarm, vaultId }, NO_VALUE);
    view.delete(vaultAlarms, vaultId);
  }
  if (!after) return;
  if (after.height !== NEVER) view.putNew(heightAlarms, { height: after.height, vaultId }, NO_VALUE);
  for (const alarm of after.prices) view.putNew(priceAlarms, { ...alarm, vaultId }, NO_VALUE);
  view.put(vaultAlarms, vaultId, after);
}

/** @returns the first vault that remains */
function setNext(context: WriteContext, from: Hash256): Hash256 | undefined {
  const ids: Hash256[] = [];
  for (const [vaultId] of context.view.entries(vaultCollaterals, { from })) {
    if (ids.length === VAULTS_PER_BLOCK) {
      for (const id of ids) resetAlarms(context, id);
      return vaultId;
    }
    ids.push(vaultId);
  }
  for (const id of ids) resetAlarms(context, id);
  return undefined;
}

function hasVaults(view: StateView): boolean {
  for (const _ of view.entries(vaultCollaterals)) return true;
  return false;
}

function hasChangedSchemes(view: WritableView): boolean {
  return view.changedKeys(loanSchemes).length > 0;
}

/** Vaults that this block changed. */
function changedVaults(view: WritableView): Iterable<Hash256> {
  const changed = [vaults, vaultCollaterals, loanAmounts].flatMap((column) => view.changedKeys(column));
  for (const { vaultId } of view.changedKeys(interestRates)) changed.push(vaultId);
  return new Map(changed.map((vaultId) => [toHex(vaultId), vaultId])).values();
}

function* triggered(context: ReadContext): Generator<Hash256> {
  const { view, height } = context;
  for (const cause of ALARM_CAUSES) {
    for (const tokenId of alarmedTokens(view, cause)) {
      const price = priceOf(context, cause, tokenId);
      if (price !== undefined) yield* triggeredBy(view, { cause, tokenId, price });
    }
  }
  for (const [key] of view.entries(heightAlarms)) {
    if (key.height > height) break;
    yield key.vaultId;
  }
}

/** Tokens with an alarm, ascending. Skips from one token to the next. */
function* alarmedTokens(view: StateView, cause: AlarmCause): Generator<number> {
  for (let from = 0; ; ) {
    const key = firstAlarm(view, { cause, tokenId: from, price: 0, vaultId: NULL_HASH });
    if (!key) return;
    yield key.tokenId;
    from = key.tokenId + 1;
  }
}

function firstAlarm(view: StateView, from: PriceAlarmKey): PriceAlarmKey | undefined {
  for (const [key] of view.entries(priceAlarms, { from, prefix: alarmPrefix(from.cause) })) return key;
  return undefined;
}

/** Vaults with an alarm at or beyond the present price of a token. */
function* triggeredBy(view: StateView, now: TokenAlarm): Generator<Hash256> {
  const prefix = alarmPrefix(now.cause, now.tokenId);
  const range = now.cause === 'fall' ? { prefix, from: { ...now, vaultId: NULL_HASH } } : { prefix };
  for (const [{ price, vaultId }] of view.entries(priceAlarms, range)) {
    if (now.cause !== 'fall' && price > now.price) break;
    yield vaultId;
  }
}

/** Price of a token as vaults are valued with, of collateral times its factor; undefined if there is none. */
function priceOf({ view, height }: ReadContext, cause: AlarmCause, tokenId: number): number | undefined {
  if (cause === 'rise-of-loan') {
    const loan = getLoanToken(view, tokenId);
    return loan && unlessRejected(() => Number(requirePrice(view, loan.pair)), isRejection);
  }
  const collateral = getCollateralToken(view, tokenId, height);
  if (!collateral) return undefined;
  const price = unlessRejected(() => requirePrice(view, collateral.pair), isRejection);
  if (price === undefined) return undefined;
  // Alarms do not provide for such a factor, so any of them is triggered.
  if (collateral.factor > HIGHEST_FACTOR) return cause === 'fall' ? 0 : Infinity;
  return Number(price * collateral.factor);
}

/** Undefined for a vault that cannot become liquidatable unless it changes. */
function alarmsOf(context: ReadContext, vaultId: Hash256): VaultAlarms | undefined {
  const { view } = context;
  const vault = getVault(view, vaultId);
  const scheme = vault && getLoanScheme(view, vault.scheme);
  const held = collateralOf(view, vaultId);
  const loans = loansOf(view, vaultId);
  if (!vault || vault.isUnderLiquidation || !scheme || !held || !loans) return undefined;
  const collateral = { value: 0, prices: new Map<number, number>() };
  for (const { tokenId, amount } of held) {
    const price = priceOf(context, 'fall', tokenId);
    if (price === undefined) return { height: NEVER, prices: [{ cause: 'fall', tokenId, price: Infinity }] };
    collateral.prices.set(tokenId, price);
    collateral.value += (Number(amount) * price) / UNIT / UNIT - ROUNDING;
  }
  const debt = { value: 0, perBlock: 0, prices: new Map<number, number>() };
  for (const { tokenId, amount } of loans) {
    const price = priceOf(context, 'rise-of-loan', tokenId);
    if (price === undefined) return { height: NEVER, prices: [{ cause: 'rise-of-loan', tokenId, price: 0 }] };
    const rate = interestRate(view, { vaultId, tokenId }, context);
    // A vault with such values cannot be valued before it changes.
    if (!rate) return undefined;
    const owed = Math.max(Number(amount + totalInterest(rate, context)), 0) + LOAN_ROUNDING;
    const { negative, amount: interest } = rate.perBlock;
    const unit = isActive(context.params, 'fortCanningHill', context.height) ? Number(HIGH_PRECISION) : 1;
    debt.prices.set(tokenId, price);
    debt.value += (owed * price) / UNIT;
    debt.perBlock += negative ? 0 : ((Number(interest) / unit) * price) / UNIT;
  }
  return boundsOf(context.height, vaultId, Math.max(scheme.ratio, 1) / 100, collateral, debt);
}

interface Valued {
  /** Satoshis of a dollar. */
  readonly value: number;
  readonly prices: ReadonlyMap<number, number>;
}

function boundsOf(
  height: number,
  vaultId: Hash256,
  minimum: number,
  collateral: Valued,
  debt: Valued & { readonly perBlock: number },
): VaultAlarms {
  const surplus = collateral.value / (minimum * debt.value);
  if (!(surplus > 1) || collateral.value > HIGHEST_VALUE || debt.value > HIGHEST_VALUE) return ALWAYS;
  const growth = debt.perBlock / debt.value;
  const permitted = Math.min(HIGHEST_GROWTH, 1 + (surplus - 1) / 4);
  const horizon = Math.floor(HORIZON * (1 + (((vaultId[0] as number) << 8) | (vaultId[1] as number)) / 65_536));
  const blocks = growth === 0 ? horizon : Math.min(horizon, Math.floor((permitted - 1) / growth));
  const part = Math.max(LOWEST_PART, Math.sqrt((1 + growth * blocks) / surplus) * (1 + MARGIN));
  if (part >= 1) return ALWAYS;
  const prices: TokenAlarm[] = [];
  for (const [tokenId, price] of collateral.prices) {
    prices.push({ cause: 'fall', tokenId, price: price * part });
    prices.push({ cause: 'rise-of-collateral', tokenId, price: price * HIGHEST_RISE });
  }
  for (const [tokenId, price] of debt.prices) prices.push({ cause: 'rise-of-loan', tokenId, price: price / part });
  return { height: height + blocks, prices };
}
