import { isActive } from '../../params/network.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import { hasFoundationAuth, hasGovernanceAuth } from '../context/auth.js';
import type { TxContext } from '../context/custom-tx.js';
import type { HeightContext } from '../kernel/block-context.js';
import { multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { getCollateralToken } from '../loan-tokens/columns.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { getVault, type Vault } from '../vaults/columns.js';
import { collateralRatio, type VaultAssets } from './ratio.js';
import { getLoanScheme, type LoanScheme } from './scheme-columns.js';

/** Requires the foundation, or from DF24 on governance, to authorise changes of loan terms. @throws {TxRejected} */
export function requireLoanAuthority(context: TxContext): void {
  if (hasFoundationAuth(context) || hasGovernanceAuth(context)) return;
  throw new TxRejected(`tx not from foundation member${isActive(context.params, 'metachain', context.height) ? '' : '!'}`);
}

/** Vault that is not under liquidation. @param deed action in the error text @throws {TxRejected} */
export function requireOpenVault({ view, vaultHistoryRecorder }: TxContext, vaultId: Hash256, deed: string): Vault {
  if (vaultHistoryRecorder) vaultHistoryRecorder.vaultId = vaultId;
  const vault = getVault(view, vaultId);
  if (!vault) throw new TxRejected(`Vault <${formatHash(vaultId)}> not found`);
  if (vault.isUnderLiquidation) throw new TxRejected(`Cannot ${deed} under liquidation`);
  return vault;
}

/** Loan scheme that must exist. @throws {TxRejected} */
export function requireScheme(view: StateView, id: string): LoanScheme {
  const scheme = getLoanScheme(view, id);
  if (!scheme) throw new TxRejected(`Cannot find existing loan scheme with id ${id}`);
  return scheme;
}

/** @throws {TxRejected} if the collateral ratio is below that of the scheme */
export function requireRatio(assets: VaultAssets, { ratio }: LoanScheme): void {
  const have = collateralRatio(assets);
  if (have < ratio) {
    throw new TxRejected(`Vault does not have enough collateralization ratio defined by loan scheme - ${have} < ${ratio}`);
  }
}

/** Token id. */
const DFI = 0;
const DOLLAR_VAULTS = attributeAt('v0/vaults/dusd-vault/enabled');
const TOO_LITTLE_COIN = 'At least 50% of the minimum required collateral must be in DFI';
const TOO_LITTLE_COIN_OR_DOLLAR = `${TOO_LITTLE_COIN} or DUSD`;

/**
 * Requires half of the minimum collateral to be DFI, later DFI or DUSD; for a loan in DUSD it has to be DFI.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.7
 */
export function requireCoinShare(context: TxContext, assets: VaultAssets, scheme: LoanScheme, borrowsDollars: boolean): void {
  const { params, height } = context;
  const { coin, dollars, areDollarsAlone } = countedShares(context, assets);
  if (areDollarsAlone && isActive(params, 'metachain', height) && valueAs(storedAttributes(context.view), DOLLAR_VAULTS, 'bool')) return;
  const least = (assets.totalLoans * BigInt(scheme.ratio)) / 2n;
  if (!isActive(params, 'fortCanningHill', height)) {
    if (coin < assets.totalCollaterals / 2n) throw new TxRejected(TOO_LITTLE_COIN);
    return;
  }
  const countsDollars = isActive(params, 'fortCanningEpilogue', height) ? !borrowsDollars : isActive(params, 'fortCanningRoad', height);
  const have = countsDollars ? coin + dollars : coin;
  if (have * 100n < least) throw new TxRejected(countsDollars ? TOO_LITTLE_COIN_OR_DOLLAR : TOO_LITTLE_COIN);
}

/** Value of a vault's DFI and DUSD, in satoshis of a dollar; from Grand Central on multiplied by their collateral factors. */
function countedShares({ view, params, height }: TxContext, { collaterals }: VaultAssets) {
  const dollarId = dollarTokenId(view, { params, height });
  const counted = (id: number | undefined): bigint => {
    const value = collaterals.find(({ tokenId }) => tokenId === id)?.amount ?? 0n;
    if (id === undefined || value === 0n || !isActive(params, 'grandCentral', height)) return value;
    return multiplyAmounts(value, getCollateralToken(view, id, height)?.factor ?? 0n);
  };
  const areDollarsAlone = collaterals.length > 0 && collaterals.every(({ tokenId }) => tokenId === dollarId);
  return { coin: counted(DFI), dollars: counted(dollarId), areDollarsAlone };
}

/** Token id of DUSD for the rules about it, which start with Fort Canning Road; undefined before. */
export function dollarTokenId(view: StateView, { params, height }: HeightContext): number | undefined {
  return isActive(params, 'fortCanningRoad', height) ? tokenBySymbol(view, 'DUSD')?.id : undefined;
}
