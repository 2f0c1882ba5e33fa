import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { type AttributeDraft, type AttributeEntry, valueAs } from '../attributes/attributes.js';
import { attributesAt } from '../attributes/eras.js';
import type { AttributeKey } from '../attributes/key.js';
import { rowOf } from '../attributes/lookup.js';
import { NO_LIMIT } from '../attributes/parsers.js';
import { attributeAt } from '../attributes/path.js';
import type { AttributeTable, CheckName } from '../attributes/table.js';
import type { AttributeValue, SplitEntry } from '../attributes/value.js';
import type { GovernanceContext } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';
import { isLoanToken } from '../loan-tokens/columns.js';
import { getToken, hasFlag, tokenBySymbol } from '../tokens/columns.js';
import { LOCK_RATIO } from '../tokens/lock-columns.js';
import type { ImportedChanges } from './attribute-import.js';
import { checkUnknownAttribute } from './unknown-attributes.js';

/** Context of a check: the block, and the attributes as they will be, which the state does not have yet. */
interface CheckContext extends GovernanceContext {
  readonly changes: ImportedChanges;
  readonly draft: AttributeDraft;
  /** Height of the parent block. `defid` tests the gates with it, so they open one block after the upgrade. */
  readonly lastHeight: number;
  readonly types: AttributeTable;
  /** True if the attributes come from a message directly, whose keys need not have a path. */
  readonly hasUnknown: boolean;
}

type Check = (context: CheckContext, key: AttributeKey, value: AttributeValue) => void;

const checks: { readonly [Name in CheckName]: Check } = {
  loanToken: requireLoanToken,
  payback: requirePayback,
  token: ({ view }, { id }) => requireToken(getToken(view, id), id),
  priced: requirePriced,
  factor: requirePriced,
  interest: requirePriced,
  pool: requirePool,
  split: requireSplit,
  lock: requireLockable,
  assets: requireAssets,
  period: requirePeriod,
  consortiumMembers: requireLimited,
  restart: requireRestartable,
};

/**
 * Checks all attributes of a draft, in the order of their keys. An attribute that has become invalid since it was set rejects unrelated
 * changes too, as in `defid`.
 * @param hasUnknown true to refuse keys without a path, which a map in the state cannot contain
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 4.7
 */
export function checkAttributes(
  draft: AttributeDraft,
  changes: ImportedChanges,
  context: GovernanceContext,
  { hasUnknown = false }: { readonly hasUnknown?: boolean } = {},
): void {
  const lastHeight = context.height - 1;
  if (!isActive(context.params, 'fortCanningHill', lastHeight)) throw new TxRejected('Cannot be set before FortCanningHill');
  const at: CheckContext = { ...context, changes, draft, lastHeight, types: attributesAt(context.params, context.height), hasUnknown };
  for (const entry of draft.entries()) checkEntry(at, entry);
}

function checkEntry(context: CheckContext, { key, value }: AttributeEntry): void {
  const row = rowOf(key, context.types);
  if (!row) {
    if (context.hasUnknown) checkUnknownAttribute(key, context.lastHeight, context.params);
    return;
  }
  checkOldLimits(context, row.check, value);
  for (const { upgrade, refusal } of row.gates) {
    if (!isActive(context.params, upgrade, context.lastHeight)) throw new TxRejected(refusal);
  }
  if (row.check) checks[row.check](context, key, value);
}

/** Limits of factors and rates that Fort Canning Epilogue and Fort Canning Great World lifted. */
function checkOldLimits({ params, lastHeight }: CheckContext, check: CheckName | undefined, value: AttributeValue): void {
  if ((check !== 'factor' && check !== 'interest') || value.kind !== 'amount') return;
  if (check === 'factor' && !isActive(params, 'fortCanningEpilogue', lastHeight) && value.value > COIN) {
    throw new TxRejected('Percentage exceeds 100%');
  }
  if (!isActive(params, 'fortCanningGreatWorld', lastHeight) && value.value < 0n) throw new TxRejected('Amount must be a positive value');
}

function requireLoanToken({ view }: CheckContext, { id }: AttributeKey): void {
  if (!isLoanToken(view, id)) throw new TxRejected(`No such loan token (${id})`);
}

function requireToken(found: unknown, id: number): void {
  if (!found) throw new TxRejected(`No such token (${id})`);
}

function requirePayback(context: CheckContext, key: AttributeKey): void {
  requireLoanToken(context, key);
  requireToken(getToken(context.view, key.keyId), key.keyId);
}

/** Loan and collateral tokens need a fixed interval price. */
function requirePriced({ view, params, lastHeight, draft }: CheckContext, { id }: AttributeKey): void {
  const token = getToken(view, id);
  const mustBeAsset = isActive(params, 'metachain', lastHeight);
  requireToken(token && (!mustBeAsset || hasFlag(token, 'dat')), id);
  if (!draft.get(attributeAt(`v0/token/${id}/fixed_interval_price_id`))) {
    throw new TxRejected('Fixed interval price currency pair must be set first');
  }
}

function requirePool({ view }: CheckContext, { id }: AttributeKey): void {
  const token = getToken(view, id);
  if (!token || !hasFlag(token, 'poolShare')) throw new TxRejected(`No such pool (${id})`);
}

const FRACTIONAL = attributeAt('v0/oracles/splits/fractional_enabled');

function requireSplit(context: CheckContext, _key: AttributeKey, value: AttributeValue): void {
  if (value.kind !== 'splits' && value.kind !== 'fractions') throw new TxRejected('Unsupported value');
  for (const split of value.value) {
    requireSplittable(context, split);
    if (value.kind === 'fractions') requireFraction(context, split);
  }
}

function requireSplittable({ view }: CheckContext, { id }: SplitEntry): void {
  if (id === 0) throw new TxRejected('Tokenised DFI cannot be split');
  const token = getToken(view, id);
  if (token && hasFlag(token, 'poolShare')) throw new TxRejected('Pool tokens cannot be split');
  if (!token) throw new TxRejected(`Token (${id}) does not exist`);
  if (!hasFlag(token, 'dat')) throw new TxRejected('Only DATs can be split');
  if (!isLoanToken(view, id)) throw new TxRejected(`No loan token with id (${id})`);
}

function requireFraction({ draft }: CheckContext, { multiplier }: SplitEntry): void {
  if (!(valueAs(draft, FRACTIONAL, 'bool') ?? false)) {
    if (multiplier % COIN !== 0n) throw new TxRejected('Fractional split not currently supported');
  } else if (multiplier > -COIN && multiplier < COIN) throw new TxRejected('Fractional split cannot be less than 1');
}

function requireLockable({ view }: CheckContext, { key: tokenId }: AttributeKey): void {
  if (!isLoanToken(view, tokenId)) throw new TxRejected(`No loan token with id (${tokenId})`);
}

function requireAssets({ view }: CheckContext, _key: AttributeKey, value: AttributeValue): void {
  if (value.kind !== 'texts') return;
  for (const symbol of value.value) {
    const found = tokenBySymbol(view, symbol);
    if (!found || !hasFlag(found.token, 'dat')) throw new TxRejected('Token not found or not a DAT token');
  }
}

const SAMPLING_PERIOD = attributeAt('v0/params/dfip2211f/liquidity_calc_sampling_period');
const DEFAULT_SAMPLING_PERIOD = 120n;

function requirePeriod({ draft }: CheckContext, _key: AttributeKey, value: AttributeValue): void {
  const sampling = valueAs(draft, SAMPLING_PERIOD, 'amount') ?? DEFAULT_SAMPLING_PERIOD;
  if (value.kind === 'amount' && value.value < sampling) throw new TxRejected('Block period must be more than sampling period');
}

/** Checks that no member's mint limit exceeds that of the whole consortium. */
function requireLimited({ view, draft }: CheckContext, { id }: AttributeKey, value: AttributeValue): void {
  requireToken(getToken(view, id), id);
  if (value.kind !== 'consortiumMembers') throw new TxRejected('Unexpected value');
  const limit = valueAs(draft, attributeAt(`v0/consortium/${id}/mint_limit`), 'amount') ?? 0n;
  const dailyLimit = valueAs(draft, attributeAt(`v0/consortium/${id}/mint_limit_daily`), 'amount') ?? 0n;
  for (const member of value.value) {
    if (limit !== NO_LIMIT && member.mintLimit > limit) throw new TxRejected('Mint limit higher than global mint limit');
    if (dailyLimit !== NO_LIMIT && member.dailyLimit > dailyLimit) {
      throw new TxRejected('Daily mint limit higher than daily global mint limit');
    }
  }
}

/** Checks the height of a restart, if the change sets one. */
function requireRestartable({ changes, lastHeight, draft }: CheckContext, { key: height }: AttributeKey): void {
  if (!changes.restart) return;
  if (height <= lastHeight) throw new TxRejected('Block height must be more than current height');
  if (draft.get(LOCK_RATIO)) throw new TxRejected('dToken restart has already been executed and cannot be set again');
}
