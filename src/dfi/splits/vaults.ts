import { isActive } from '../../params/network.js';
import { type Hash256, NULL_HASH } from '../../primitives/hash.js';
import type { Column } from '../../storage/view.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import type { VaultChange } from '../context/vault-history.js';
import type { Balances, TokenAmount } from '../kernel/amounts.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { TxRejected } from '../kernel/rejected.js';
import { getLoanToken, type LoanToken } from '../loan-tokens/columns.js';
import { addLoan, type InterestRate, interestRates, loanAmounts, loanOf, loansOf, subLoan } from '../loans/columns.js';
import { interestPerBlock, interestRate } from '../loans/interest.js';
import { getLoanScheme } from '../loans/scheme-columns.js';
import { addCollateral, getVault, subCollateral, vaultCollaterals } from '../vaults/columns.js';
import type { SplitContext, Succession } from './context.js';
import { convert, convertWide } from './multiplier.js';

/** Collateral or loan of a vault in the old token. */
interface VaultAmount {
  readonly vaultId: Hash256;
  readonly amount: bigint;
}

interface VaultRate {
  readonly vaultId: Hash256;
  readonly rate: InterestRate;
}

/** Collateral, loans and interest of vaults in the old token, removed to be added again converted. */
export interface VaultTokens {
  readonly collaterals: readonly VaultAmount[];
  readonly loans: readonly VaultAmount[];
  readonly rates: readonly VaultRate[];
}

function amountsOf({ view }: SplitContext, column: Column<Hash256, Balances>, tokenId: number): readonly VaultAmount[] {
  const found: VaultAmount[] = [];
  for (const [vaultId, balances] of view.entries(column)) {
    for (const own of balances) if (own.tokenId === tokenId) found.push({ vaultId, amount: own.amount });
  }
  return found;
}

/** Removes loans and, from Metachain on, collateral in the old token from vaults. @throws {TxRejected} @see docs/protocol/defi.md 9.4 */
export function removeFromVaults(context: SplitContext, tokenId: number): VaultTokens {
  const { view, params, height } = context;
  const collaterals = isActive(params, 'metachain', height) ? amountsOf(context, vaultCollaterals, tokenId) : [];
  for (const { vaultId, amount } of collaterals) subCollateral(context, vaultId, { tokenId, amount });
  const loans = amountsOf(context, loanAmounts, tokenId);
  for (const { vaultId, amount } of loans) subLoan(context, vaultId, { tokenId, amount });
  const rates: VaultRate[] = [];
  for (const [key] of view.entries(interestRates)) {
    const rate = key.tokenId === tokenId ? interestRate(view, key, context) : undefined;
    if (rate) rates.push({ vaultId: key.vaultId, rate });
  }
  return { collaterals, loans, rates };
}

/** Adds the converted amounts to vaults. @returns satoshis of the new token created as collateral @throws {TxRejected} */
export function addToVaults(context: SplitContext, tokens: Succession, removed: VaultTokens): bigint {
  const { view, split } = context;
  let created = 0n;
  for (const { vaultId, amount } of removed.collaterals) {
    const after = { tokenId: tokens.newId, amount: convert(split.multiplier, amount) };
    created += after.amount;
    addCollateral(context, vaultId, after);
    if (getVault(view, vaultId)) recordVault(context, { vaultId, owner: EMPTY_BYTES }, { tokenId: tokens.oldId, amount }, after);
  }
  for (const { vaultId, amount } of removed.loans) {
    const after: TokenAmount = { tokenId: tokens.newId, amount: convert(split.multiplier, amount) };
    addLoan(view, vaultId, after);
    const vault = getVault(view, vaultId);
    if (vault) recordVault(context, { vaultId, owner: vault.owner }, { tokenId: tokens.oldId, amount }, after);
  }
  const token = getLoanToken(view, tokens.newId);
  if (!token) throw new TxRejected('Failed to get loan token.');
  for (const each of removed.rates) convertRate(context, tokens, token, each);
  return created;
}

/** Records debit and credit as separate entries without txid. A loan is recorded under the vault's owner. */
function recordVault(
  { eventRecords }: SplitContext,
  vault: Pick<VaultChange, 'vaultId' | 'owner'>,
  before: TokenAmount,
  after: TokenAmount,
): void {
  const writer = { category: categoryByte(EVENT_TYPES.tokenSplit), txid: NULL_HASH };
  eventRecords.vaultChange({ ...vault, differences: [{ ...before, amount: -before.amount }] }, writer);
  eventRecords.vaultChange({ ...vault, differences: [after] }, writer);
}

/** Converts an interest rate. It keeps the height of its last update. */
function convertRate(
  { view, params, split }: SplitContext,
  { oldId, newId }: Succession,
  token: LoanToken,
  { vaultId, rate }: VaultRate,
): void {
  const scheme = getLoanScheme(view, getVault(view, vaultId)?.scheme ?? '');
  if (!scheme) throw new TxRejected('Failed to get loan scheme.');
  const toHeight = { ...rate.toHeight, amount: convertWide(split.multiplier, rate.toHeight.amount) };
  const key = { vaultId, tokenId: newId };
  const perBlock = loansOf(view, vaultId)
    ? interestPerBlock(loanOf(view, key), { token: token.interest, scheme: scheme.rate }, params)
    : rate.perBlock;
  view.delete(interestRates, { vaultId, tokenId: oldId });
  view.put(interestRates, key, { height: rate.height, perBlock, toHeight });
}
