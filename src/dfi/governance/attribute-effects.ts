import { isActive } from '../../params/network.js';
import { COIN, formatAmount } from '../../primitives/amount.js';
import { encode } from '../../primitives/codec.js';
import { type AttributeDraft, messageAttributes, valueAs } from '../attributes/attributes.js';
import { tokenLock } from '../attributes/features.js';
import type { AttributeKey } from '../attributes/key.js';
import { rowOf } from '../attributes/lookup.js';
import { attributeAt } from '../attributes/path.js';
import type { EffectName } from '../attributes/table.js';
import { ATTRIBUTE_TYPES } from '../attributes/table.js';
import type { AttributeValue } from '../attributes/value.js';
import type { GovernanceContext } from '../context/custom-tx.js';
import { EventRecords } from '../context/event-records.js';
import type { FutureKind } from '../futures/columns.js';
import { refundFutures } from '../futures/refunds.js';
import { ignoreRejection, TxRejected } from '../kernel/rejected.js';
import { isLoanToken, loanSymbol } from '../loan-tokens/columns.js';
import { borrowersOf } from '../loans/columns.js';
import { increaseInterest } from '../loans/interest.js';
import { lowestRatio } from '../loans/scheme-columns.js';
import { ensureFixedPrice } from '../oracles/fixed-prices.js';
import { deletePoolAverages } from '../pools/average-columns.js';
import { setDexFee } from '../pools/fee-columns.js';
import { feeScope } from '../pools/fees.js';
import { getVault } from '../vaults/columns.js';
import type { ImportedChanges } from './attribute-import.js';
import { pendingVariables } from './columns.js';

const ONE_PERCENT = COIN / 100n;

/** Context of an effect: the block, the attributes as they will be, and those that the change sets. */
interface EffectContext extends GovernanceContext {
  readonly draft: AttributeDraft;
  readonly changes: ImportedChanges;
  /** Height from which the change applies; above the block's own height in a trial of a pending change. */
  readonly fromHeight: number;
}

type Effect = (context: EffectContext, key: AttributeKey, value: AttributeValue) => void;

const effects: { readonly [Name in EffectName]: Effect } = {
  dfip2203Switch: (context, _key, value) => endFutures(context, 'dfip2203', value),
  dfip2203Schedule: (context) => requireInactive(context, 'dfip2203'),
  dfip2206fSwitch: (context, _key, value) => endFutures(context, 'dfip2206f', value),
  dfip2206fSchedule: (context) => requireInactive(context, 'dfip2206f'),
  swapLimitSwitch: endLimit,
  splitLock: lockSplitTokens,
  dexFee: setFee,
  tokenFutures: endTokenFutures,
  fixedPrice: fixPrice,
  factorLimit: limitFactor,
  loanInterest: changeInterest,
};

/**
 * Applies the effects of all attributes of a draft in the order of their keys, not only of those that changed.
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 4.8
 */
export function applyAttributes(draft: AttributeDraft, changes: ImportedChanges, context: GovernanceContext, fromHeight: number): void {
  const at: EffectContext = { ...context, draft, changes, fromHeight };
  for (const { key, value } of draft.entries()) {
    const effect = rowOf(key, ATTRIBUTE_TYPES)?.effect;
    if (effect) effects[effect](at, key, value);
  }
}

/** Rejects a change of period or start block of a kind of future swap that is active. */
function requireInactive({ draft, changes }: EffectContext, group: 'dfip2203' | 'dfip2206f'): void {
  if (!changes.periods.has(group)) return;
  if (valueAs(draft, attributeAt(`v0/params/${group}/active`), 'bool') ?? false) {
    throw new TxRejected(`Cannot set block period while ${group.toUpperCase()} is active`);
  }
}

function endFutures(context: EffectContext, kind: FutureKind, value: AttributeValue): void {
  if (value.kind === 'bool' && !value.value) refund(context, kind);
}

/** Refunds open future swaps. DFIP2206F refunds are recorded at the height of the change, even in a trial; the others at this block. */
function refund(
  { view, draft, eventRecords, fromHeight }: EffectContext,
  kind: FutureKind,
  only: { readonly tokenId?: number } = {},
): void {
  refundFutures(view, draft, kind, eventRecords ?? new EventRecords(), kind === 'dfip2206f' ? { ...only, height: fromHeight } : only);
}

/** Deletes the samples of pool liquidity when the swap limit (DFIP2211F) is switched off. */
function endLimit({ view }: EffectContext, _key: AttributeKey, value: AttributeValue): void {
  if (value.kind === 'bool' && !value.value) deletePoolAverages(view);
}

function fixPrice({ view, time, params }: EffectContext, _key: AttributeKey, value: AttributeValue): void {
  if (value.kind === 'pair') ensureFixedPrice(view, value.value, time, params);
}

function setFee({ view }: EffectContext, key: AttributeKey, value: AttributeValue): void {
  const scope = feeScope(view, key);
  if (scope && value.kind === 'amount') setDexFee(view, scope, value.value);
}

function endTokenFutures(context: EffectContext, { id }: AttributeKey, value: AttributeValue): void {
  if (value.kind !== 'bool' || value.value) return;
  const { view } = context;
  if (!isLoanToken(view, id)) throw new TxRejected(`No loan token with id (${id})`);
  if (loanSymbol(view, id) !== 'DUSD') refund(context, 'dfip2203', { tokenId: id });
}

/** Requires a collateral factor below the lowest ratio of all loan schemes, or at most 1 if there is no scheme. */
function limitFactor({ view, params, fromHeight }: EffectContext, _key: AttributeKey, value: AttributeValue): void {
  if (!isActive(params, 'fortCanningEpilogue', fromHeight) || value.kind !== 'amount') return;
  if (params.vault.skipCollateralCheck) return;
  const lowest = lowestRatio(view);
  if (lowest === undefined) {
    if (value.value > COIN) throw new TxRejected('Percentage exceeds 100%');
    return;
  }
  const limit = BigInt(lowest) * ONE_PERCENT;
  if (value.value >= limit) {
    throw new TxRejected(`Factor cannot be more than or equal to the lowest scheme rate of ${formatAmount(limit)}`);
  }
}

/** Applies a token's new interest to its loans. A loan whose interest cannot be computed keeps the old one. */
function changeInterest({ view, params, changes, fromHeight }: EffectContext, { id: tokenId }: AttributeKey, value: AttributeValue): void {
  if (!isActive(params, 'fortCanningGreatWorld', fromHeight) || !changes.interestTokens.has(tokenId) || value.kind !== 'amount') return;
  const context = { view, params, height: fromHeight };
  for (const vaultId of [...borrowersOf(view, tokenId)]) {
    const scheme = getVault(view, vaultId)?.scheme ?? '';
    ignoreRejection(() => increaseInterest(context, { vaultId, tokenId }, { scheme, added: 0n, tokenInterest: value.value }));
  }
}

/** Locks a token half a day of blocks before its split. */
function lockSplitTokens(context: EffectContext, { key: splitHeight }: AttributeKey, value: AttributeValue): void {
  const { view, draft, changes, fromHeight, params } = context;
  if (value.kind !== 'splits' && value.kind !== 'fractions') return;
  for (const { id } of value.value) {
    if (!changes.splitTokens.has(id)) continue;
    if (splitHeight <= fromHeight) throw new TxRejected('Cannot be set at or below current height');
    const lock = tokenLock(id);
    if (valueAs(draft, lock, 'bool') ?? false) continue;
    if (!isLoanToken(view, id)) throw new TxRejected(`Auto lock. No loan token with id (${id})`);
    const lockHeight = (splitHeight - Math.floor(params.blocksPerDay / 2)) >>> 0;
    const locked: AttributeValue = { kind: 'bool', value: true };
    if (fromHeight >= lockHeight) draft.set(lock, locked);
    else view.put(pendingVariables, { height: lockHeight, name: 'ATTRIBUTES' }, encode(messageAttributes, [{ key: lock, value: locked }]));
  }
}
