import { formatHash } from '../../primitives/hash.js';
import { notFound } from '../api/errors.js';
import { page } from '../api/page.js';
import { type PageRequest, pageOf, pathText } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { hashOf, sortHash, sortNumbers } from '../api/sort-cursor.js';
import { indexedOracles, newestReports, type OracleOfPairKey, type ReportKey } from '../index/oracles.js';
import { rowsBehind } from '../index/seek.js';
import { reportSort, shownOracle, shownReport } from '../shapes/oracle.js';
import { shownOwner } from '../shapes/script.js';
import { pathPair } from './path-pair.js';

/** Oracles. @see docs/protocol/ocean.md 2.8 */
export const oracleRoutes: readonly Route[] = [
  get('oracles', (modules, request) => {
    const asked = pageOf(request);
    const key = asked.next === undefined ? undefined : sortHash(asked.next);
    return page(
      rowsBehind(modules.rows.view, indexedOracles, { behind: key, reverse: true }, asked.size),
      asked,
      ([id]) => formatHash(id),
      ([id, oracle]) => shownOracle(modules, id, oracle),
    );
  }),
  get('oracles/{address}', (modules, request) => {
    const address = pathText(request, 'address');
    for (const [id, oracle] of modules.rows.view.entries(indexedOracles, { reverse: true })) {
      if (shownOwner(oracle.address, modules.chain.params) === address) return { data: shownOracle(modules, id, oracle) };
    }
    throw notFound(`Oracle not found for address ${address}`);
  }),
  get('oracles/{oracleId}/{token}-{currency}/feed', (modules, request) => {
    const asked = pageOf(request);
    const oracleId = hashOf(pathText(request, 'oracleId'));
    if (!oracleId) return { data: [] };
    const of = { ...pathPair(request), oracleId };
    return page(
      newestReports(modules.rows.view, of, asked.size, reportBefore(of, asked)),
      asked,
      ([at]) => reportSort(at),
      ([at, report]) => shownReport(modules, at, report),
    );
  }),
];

function reportBefore(of: OracleOfPairKey, { next }: PageRequest): ReportKey | undefined {
  if (next === undefined) return undefined;
  const [[height = 0], txid] = sortNumbers(next, 1);
  return { ...of, height, txid: sortHash(txid) };
}
