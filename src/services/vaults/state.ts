import type { ReadContext } from '../../dfi/kernel/block-context.js';
import { unlessRejected } from '../../dfi/kernel/rejected.js';
import { areVaultPricesValid, collateralRatio, type VaultAssets, vaultAssets } from '../../dfi/loans/ratio.js';
import { getLoanScheme } from '../../dfi/loans/scheme-columns.js';
import type { PriceChoice } from '../../dfi/oracles/fixed-prices.js';
import { collateralOf, type Vault } from '../../dfi/vaults/columns.js';
import type { Hash256 } from '../../primitives/hash.js';

/**
 * State of a vault; `unknown` under liquidation without valid prices, `frozen` without valid prices, `mayLiquidate` if the next
 * prices would cause liquidation.
 */
export type VaultState = 'unknown' | 'active' | 'inLiquidation' | 'frozen' | 'mayLiquidate';

/** State of a vault, as operations show it. @param context at the height of the tip @see docs/protocol/defi.md 3.7 */
export function vaultState(context: ReadContext, vaultId: Hash256, vault: Vault): VaultState {
  const isPriced = areVaultPricesValid(context, vaultId);
  if (vault.isUnderLiquidation) return isPriced ? 'inLiquidation' : 'unknown';
  if (!isPriced) return 'frozen';
  return fallsShort(context, vaultId, vault) ? 'mayLiquidate' : 'active';
}

/** True if the vault's ratio is below its scheme's minimum at the next prices. */
function fallsShort(context: ReadContext, vaultId: Hash256, { scheme }: Vault): boolean {
  if (!collateralOf(context.view, vaultId)) return false;
  const assets = assetsIfAny(context, vaultId, { useNext: true, requireLive: false });
  return assets !== undefined && collateralRatio(assets) < (getLoanScheme(context.view, scheme)?.ratio ?? 0);
}

/** Value of a vault's collateral and loans; undefined if a price is missing or invalid. */
export function assetsIfAny(context: ReadContext, vaultId: Hash256, choice: PriceChoice): VaultAssets | undefined {
  return unlessRejected(() => vaultAssets(context, vaultId, collateralOf(context.view, vaultId) ?? [], choice));
}
