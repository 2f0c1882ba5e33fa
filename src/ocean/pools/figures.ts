import type { OceanModules } from '../modules.js';
import type { Pool, PoolFigures } from '../shapes/pool.js';
import { aprOf, poolRewards } from './apr.js';
import type { Market } from './market.js';
import { liquidityUsd } from './usd.js';
import { volumeOf, windowsOf } from './volumes.js';

/** Liquidity, yields and volumes of a pool. */
export async function poolFigures(modules: OceanModules, market: Market, pool: Pool): Promise<PoolFigures> {
  const { perTip, rows } = modules;
  const rewards = await poolRewards(modules);
  const windows = await perTip.get(`windows of volumes at ${indexedHeight(modules)}`, async () => windowsOf(rows.view));
  const { usdPerDfi } = market;
  const liquidity = liquidityUsd(pool, market);
  const { h24, d30 } = volumeOf(rows.view, Number(pool.id), windows, market);
  return {
    liquidityUsd: liquidity?.toString(),
    apr: aprOf(pool, rewards, { liquidity, usdPerDfi, volume: h24 }),
    volume: { h24: h24.toNumber(), d30: d30.toNumber() },
  };
}

/**
 * Height up to which blocks are indexed, -1 for none. The index follows the tip, so it is a part of the name under which results of its
 * rows are kept: those of an index that is behind must not last until the next tip.
 */
export function indexedHeight({ rows }: Pick<OceanModules, 'rows'>): number {
  return rows.position?.height ?? -1;
}
