import type { Hash256 } from '../../primitives/hash.js';
import type { BlockHistory } from '../context/history.js';
import type { ReadContext } from '../kernel/block-context.js';
import { unlessRejected } from '../kernel/rejected.js';
import { collateralRatio, vaultAssets } from '../loans/ratio.js';
import { collateralOf } from '../vaults/columns.js';
import type { VaultSnapshot } from '../vaults/history-columns.js';
import { auctionBatches, auctionOf } from './columns.js';

/** Adds a vault's state to its history, if that is recorded. @param ratio percent; {@link NO_RATIO} computes it from the vault */
export function recordSnapshot(context: ReadContext & { readonly history: BlockHistory }, vaultId: Hash256, ratio: number): void {
  context.history.vaults?.addSnapshot(vaultId, takeSnapshot(context, vaultId, ratio));
}

/** Ratio of a vault without loans, in percent. */
const NO_RATIO = 0xffffffff;

function takeSnapshot(context: ReadContext, vaultId: Hash256, ratio: number): VaultSnapshot {
  const { view, height } = context;
  const collaterals = collateralOf(view, vaultId) ?? [];
  const value = valueOfVault(context, vaultId);
  const batchCount = auctionOf(view, vaultId, height)?.[1].batchCount ?? 0;
  const batches = Array.from({ length: batchCount }, (_, index) => view.get(auctionBatches, { vaultId, index })).flatMap(
    (batch) => batch ?? [],
  );
  return { collaterals, totalCollaterals: value.totalCollaterals, ratio: ratio === NO_RATIO ? collateralRatio(value) : ratio, batches };
}

function valueOfVault(context: ReadContext, vaultId: Hash256): { readonly totalCollaterals: bigint; readonly totalLoans: bigint } {
  const choice = { useNext: false, requireLive: false };
  const assets = unlessRejected(() => vaultAssets(context, vaultId, collateralOf(context.view, vaultId) ?? [], choice));
  return assets ?? { totalCollaterals: 0n, totalLoans: 0n };
}
