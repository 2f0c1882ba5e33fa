import { formatHash } from '../../primitives/hash.js';
import type { OceanModules } from '../modules.js';
import type { Pool, PoolFigures } from '../shapes/pool.js';
import { aprOf, poolRewards } from './apr.js';
import type { Market } from './market.js';
import { liquidityUsd } from './usd.js';
import { volumesOf, windowsOf } from './volumes.js';

/** Liquidity, yields and volumes of a pool. */
export async function poolFigures(modules: OceanModules, market: Market, pool: Pool): Promise<PoolFigures> {
  const { perTip, rows } = modules;
  const rewards = await poolRewards(modules);
  const windows = await perTip.get('windows of volumes', async () => windowsOf(rows.view), indexedAt(modules));
  const { usdPerDfi } = market;
  const liquidity = liquidityUsd(pool, market);
  const { h24, d30 } = volumesOf(rows.view, Number(pool.id), windows, market);
  return {
    liquidityUsd: liquidity?.toString(),
    apr: aprOf(pool, rewards, { liquidity, usdPerDfi, volume: h24.exact }),
    volume: { h24: h24.shown, d30: d30.shown },
  };
}

/**
 * Newest indexed block, which results that are computed from rows are of. The index may be behind the tip or on another branch; results of
 * such a state must not last until the next tip, nor pile up while the index catches up.
 */
export function indexedAt({ rows }: Pick<OceanModules, 'rows'>): string {
  return rows.position ? formatHash(rows.position.hash) : 'no block';
}
