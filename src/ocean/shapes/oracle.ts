import type { PricePair } from '../../dfi/oracles/columns.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { IndexedOracle, OracleOfPair, Report, ReportKey } from '../index/oracles.js';
import { pairName } from '../index/prices.js';
import type { OceanModules } from '../modules.js';
import { type BlockSource, blockRefAt } from './block-ref.js';
import { hex8, plain } from './numbers.js';
import { shownPair } from './price.js';
import { shownOwner } from './script.js';

/** Terms of an oracle. @see docs/protocol/ocean.md 2.8 */
export function shownOracle(modules: Pick<OceanModules, 'chain' | 'rows'>, id: Hash256, oracle: IndexedOracle) {
  return {
    id: formatHash(id),
    ownerAddress: shownOwner(oracle.address, modules.chain.params),
    weightage: oracle.weight,
    priceFeeds: oracle.pairs.map(shownPair),
    block: blockRefAt(modules, oracle.height),
  };
}

/** Place of a report in the list of those of an oracle for a pair. */
export function reportSort({ height, txid }: Pick<ReportKey, 'height' | 'txid'>): string {
  return hex8(height) + formatHash(txid);
}

/** A price that an oracle reported. */
export function shownReport(blocks: BlockSource, at: ReportKey, { timestamp, amount }: Report) {
  const oracleId = formatHash(at.oracleId);
  const txid = formatHash(at.txid);
  const key = `${pairName(at)}-${oracleId}`;
  return {
    id: `${key}-${txid}`,
    key,
    sort: reportSort(at),
    ...shownPair(at),
    oracleId,
    txid,
    time: Number(timestamp),
    amount: plain(formatAmount(amount)),
    block: blockRefAt(blocks, at.height),
  };
}

/** An oracle of a pair. @param last its last report, with the key; undefined if it never reported the pair */
export function shownOracleOfPair(
  blocks: BlockSource,
  pair: PricePair,
  { oracleId: id, weight, height }: OracleOfPair,
  last: readonly [ReportKey, Report] | undefined,
) {
  const oracleId = formatHash(id);
  const key = pairName(pair);
  return {
    id: `${key}-${oracleId}`,
    key,
    ...shownPair(pair),
    oracleId,
    weightage: weight,
    feed: last && shownReport(blocks, ...last),
    block: blockRefAt(blocks, height),
  };
}
