import { Slicer } from '../../util/slicer.js';
import { notFound } from '../api/errors.js';
import type { Json } from '../api/json.js';
import { pageOf, pathInteger, queryStart } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import type { OceanModules } from '../modules.js';
import { indexedAt, poolFigures } from '../pools/figures.js';
import { type Market, market } from '../pools/market.js';
import { type Pool, poolData } from '../shapes/pool.js';

/** Symbols of pools that are not listed begin with it: their token only burns coins. */
const BURN_PREFIX = 'BURN-';

/** Pools. @see docs/protocol/ocean.md 2.15 */
export const poolPairRoutes: readonly Route[] = [
  get('poolpairs', listPools),
  get('poolpairs/{id}', async (modules, request) => {
    const known = await market(modules);
    const pool = known.byId.get(String(pathInteger(request, 'id')));
    if (!pool) throw notFound('Unable to find poolpair');
    return { data: await shown(modules, known, pool) };
  }),
];

async function listPools(modules: OceanModules, request: OceanRequest): Promise<OceanAnswer> {
  const asked = pageOf(request);
  const start = queryStart(asked) ?? -1;
  const known = await market(modules);
  const pools = known.pools.filter(({ id }) => Number(id) > start).slice(0, asked.size);
  const slicer = new Slicer();
  const data: Json[] = [];
  for (const pool of pools) {
    if (!pool.symbol.startsWith(BURN_PREFIX)) data.push(await shown(modules, known, pool));
    await slicer.pause();
  }
  // The cursor is that of the page before pools are left out; otherwise a page that lacks some would seem to be the last one.
  return { data, next: pools.length === asked.size ? pools.at(-1)?.id : undefined };
}

/** Pool with its figures, computed once for each state of the pools. */
function shown(modules: OceanModules, known: Market, pool: Pool): Promise<ReturnType<typeof poolData>> {
  const compute = async () => poolData(pool, known.tokens, await poolFigures(modules, known, pool));
  return known.results.get(`pool ${pool.id}`, compute, indexedAt(modules));
}
