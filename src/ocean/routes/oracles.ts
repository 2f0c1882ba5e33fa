import { formatHash } from '../../primitives/hash.js';
import { notFound } from '../api/errors.js';
import { page } from '../api/page.js';
import { type PageRequest, pageOf, pathText } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { hashOf, sortHash, sortNumbers } from '../api/sort-token.js';
import { indexedOracles, newestReports, type OracleOfPairKey, type ReportKey } from '../index/oracles.js';
import { rowsBehind } from '../index/seek.js';
import { oracleOwner, reportSort, shownOracle, shownReport } from '../shapes/oracle.js';
import { pathPair } from './path-pair.js';

/** Oracles. @see docs/protocol/ocean.md 2.8 */
export const oracleRoutes: readonly Route[] = [
  get('oracles', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    const key = asked.next === undefined ? undefined : sortHash(asked.next);
    return page(
      rowsBehind(rows.view, indexedOracles, { behind: key, reverse: true }, asked.size),
      asked,
      ([id]) => formatHash(id),
      ([id, oracle]) => shownOracle(chain, id, oracle),
    );
  }),
  get('oracles/{address}', ({ rows, chain }, request) => {
    const address = pathText(request, 'address');
    for (const [id, oracle] of rows.view.entries(indexedOracles, { reverse: true })) {
      if (oracleOwner(chain, oracle) === address) return { data: shownOracle(chain, id, oracle) };
    }
    throw notFound(`Oracle not found for address ${address}`);
  }),
  get('oracles/{oracleId}/{token}-{currency}/feed', ({ rows, chain }, request) => {
    const asked = pageOf(request);
    const oracleId = hashOf(pathText(request, 'oracleId'));
    if (!oracleId) return { data: [] };
    const of = { ...pathPair(request), oracleId };
    return page(
      newestReports(rows.view, of, asked.size, reportBefore(of, asked)),
      asked,
      ([at]) => reportSort(at),
      ([at, report]) => shownReport(chain, at, report),
    );
  }),
];

function reportBefore(of: OracleOfPairKey, { next }: PageRequest): ReportKey | undefined {
  if (next === undefined) return undefined;
  const [[height = 0], txid] = sortNumbers(next, 1);
  return { ...of, height, txid: sortHash(txid) };
}
