import { formatAmount } from '../../primitives/amount.js';
import { page } from '../api/page.js';
import { type PageRequest, pageOf, pathInteger, queryStart } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import { bucketAt, bucketsOf, SWAP_INTERVALS, type SwapInterval, type SwapSum, swapBuckets, swapSums } from '../index/swaps.js';
import type { OceanModules } from '../modules.js';
import { type Market, market } from '../pools/market.js';
import { usdOf } from '../pools/volumes.js';
import { blockRefAt } from '../shapes/block-ref.js';
import type { Pool } from '../shapes/pool.js';

/** Sums of the swaps of a pool by hours or days, newest first. @see docs/protocol/ocean.md 2.15 */
export const poolSumRoutes: readonly Route[] = [get('poolpairs/{id}/swaps/aggregate/{interval}', listSums)];

const MAX_BUCKET = 0xffffffff;

/** Bucket of a pool. */
interface Bucket {
  readonly bucket: number;
  /** Height of the block that opened it. */
  readonly height: number;
}

async function listSums(modules: OceanModules, request: OceanRequest): Promise<OceanAnswer> {
  const { rows } = modules;
  const asked = pageOf(request);
  const id = pathInteger(request, 'id');
  const wanted = pathInteger(request, 'interval');
  const known = await market(modules);
  const pool = known.byId.get(String(id));
  const interval = SWAP_INTERVALS.find((each) => each === wanted);
  const buckets = pool && interval ? bucketsOfPool(modules, pool, interval, asked) : [];
  return page(
    buckets,
    asked,
    ({ bucket }) => String(bucket),
    ({ bucket, height }) => {
      const { hash, medianTime } = blockRefAt(modules, height);
      const key = `${id}-${wanted}`;
      const sums = rows.view.get(swapSums, { pool: id, interval: wanted, bucket }) ?? [];
      return { id: `${key}-${hash}`, key, bucket, aggregated: aggregated(sums, known), block: { medianTime } };
    },
  );
}

/** A pool has all buckets from its creation on. Its first bucket is opened by the block that created the pool. */
function bucketsOfPool(modules: OceanModules, { creationHeight }: Pool, interval: SwapInterval, asked: PageRequest): Bucket[] {
  const { rows } = modules;
  const before = queryStart(asked) ?? MAX_BUCKET + 1;
  if (before === 0 || (rows.position?.height ?? -1) < creationHeight) return [];
  const oldest = bucketAt(blockRefAt(modules, creationHeight).medianTime, interval);
  const from = { interval, bucket: Math.min(before - 1, MAX_BUCKET) };
  const found: Bucket[] = [];
  for (const [{ bucket }, height] of rows.view.entries(swapBuckets, { prefix: bucketsOf(interval), from, reverse: true })) {
    if (bucket < oldest || found.length >= asked.size) break;
    found.push({ bucket, height: Math.max(height, creationHeight) });
  }
  return found;
}

function aggregated(sums: readonly SwapSum[], known: Market) {
  return {
    amounts: Object.fromEntries(sums.map(({ tokenId, amount }) => [tokenId, formatAmount(amount)])),
    usd: usdOf(sums, known).toNumber(),
  };
}
