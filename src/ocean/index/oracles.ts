import { byteString } from '../../dfi/kernel/text.js';
import { type PricePair, pricePair } from '../../dfi/oracles/columns.js';
import {
  appointOracle,
  normalisePair,
  type OracleTerms,
  removeOracle,
  setOracleData,
  termFields,
  type UpdateOracle,
  updateOracle,
} from '../../dfi/oracles/transactions.js';
import { type Codec, encode, i64, list, optional, struct, u8, u32, u32be } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { type AppliedCustomTx, type IndexedBlock, messageOf } from './indexed-block.js';
import { displayHash } from './keys.js';
import { rowsBehind } from './seek.js';

/** Terms of an oracle, and the height of the block that set them. */
export interface IndexedOracle extends OracleTerms {
  readonly height: number;
}

/** Oracles that are not removed. Their pairs are in the order of the message, which the state does not keep. */
export const indexedOracles: Column<Hash256, IndexedOracle> = {
  name: 'ocean/oracle',
  key: displayHash,
  value: struct<IndexedOracle>({ ...termFields(list(pricePair)), height: u32 }),
};

/** A price that an oracle reported. */
export interface Report {
  /** Seconds since 1970, as the oracle says. */
  readonly timestamp: bigint;
  /** Satoshis of the currency for one token. */
  readonly amount: bigint;
}

/** A pair and an oracle that may report it. */
export interface OracleOfPairKey extends PricePair {
  readonly oracleId: Hash256;
}

/** Last report of an oracle for a pair. */
interface LastReport extends Report {
  readonly height: number;
}

/** Part of an oracle in the price of a pair. */
export interface OracleOfPair {
  readonly oracleId: Hash256;
  readonly weight: number;
  /** Height of the block that set the oracle's terms. */
  readonly height: number;
  /** Last report of the oracle for the pair, even if it is from an earlier appointment of the pair. */
  readonly latest: LastReport | undefined;
}

const oracleOfPair = struct<OracleOfPair>({
  oracleId: hash256,
  weight: u8,
  height: u32,
  latest: optional(struct<LastReport>({ timestamp: i64, amount: i64, height: u32 })),
});

/**
 * Oracles that may report a pair, by ids in display order. One row for all and with their last reports, because each report is joined with
 * those of the others, and a scan of rows that change so often is slow.
 */
export const oraclesOfPair: Column<PricePair, readonly OracleOfPair[]> = {
  name: 'ocean/oracles-of-pair',
  key: pricePair,
  value: list(oracleOfPair),
};

const oracleOfPairKey = struct<OracleOfPairKey>({ token: byteString, currency: byteString, oracleId: displayHash });

/** Key of a report: pair and oracle, then the order in which reports are listed. */
export interface ReportKey extends OracleOfPairKey {
  readonly height: number;
  readonly txid: Hash256;
}

/** All reports, also of oracles that were removed. */
export const reports: Column<ReportKey, Report> = {
  name: 'ocean/oracle-report',
  key: struct<ReportKey>({ token: byteString, currency: byteString, oracleId: displayHash, height: u32be, txid: displayHash }),
  value: struct<Report>({ timestamp: i64, amount: i64 }),
};

/** Prefix of the keys of all reports of an oracle for a pair. */
function reportsPrefix(key: OracleOfPairKey): Uint8Array {
  return encode(oracleOfPairKey, key);
}

/** Reports of an oracle for a pair, the newest first. @param below key below which they begin; undefined for the newest */
export function newestReports(view: StateView, of: OracleOfPairKey, count: number, below?: ReportKey): (readonly [ReportKey, Report])[] {
  return rowsBehind(view, reports, { prefix: reportsPrefix(of), behind: below, reverse: true }, count);
}

/** Messages with their pairs as they were sent, which the codecs of the rules sort. */
const sentPairs: Codec<readonly PricePair[]> = list(pricePair);
const sentAppointment = { type: appointOracle.type, codec: struct<OracleTerms>(termFields(sentPairs)) };
const sentUpdate = { type: updateOracle.type, codec: struct<UpdateOracle>({ oracleId: hash256, ...termFields(sentPairs) }) };

/** Adds what a transaction does to the terms of an oracle: appointment, update or removal. @see docs/protocol/ocean.md 4.4 */
export function addTerms(view: WritableView, { entry }: Pick<IndexedBlock, 'entry'>, applied: AppliedCustomTx): void {
  const appointed = messageOf(sentAppointment, applied);
  if (appointed) putTerms(view, applied.tx.txid, appointed, entry.height);
  const updated = messageOf(sentUpdate, applied);
  if (updated) {
    removeTerms(view, updated.oracleId);
    putTerms(view, updated.oracleId, updated, entry.height);
  }
  const removed = messageOf(removeOracle, applied);
  if (removed) removeTerms(view, removed.oracleId);
}

function putTerms(view: WritableView, oracleId: Hash256, { address, weight, pairs: sent }: OracleTerms, height: number): void {
  const pairs = sent.map(normalisePair);
  view.put(indexedOracles, oracleId, { address, weight, pairs, height });
  for (const pair of pairs) {
    const latest = lastReport(view, { ...pair, oracleId });
    const all = [...othersOf(view, pair, oracleId), { oracleId, weight, height, latest }];
    view.put(oraclesOfPair, pair, all.sort(byDisplayedId));
  }
}

function byDisplayedId(a: OracleOfPair, b: OracleOfPair): number {
  return formatHash(a.oracleId) < formatHash(b.oracleId) ? -1 : 1;
}

/** Oracles of a pair except one. */
function othersOf(view: StateView, pair: PricePair, oracleId: Hash256): readonly OracleOfPair[] {
  return (view.get(oraclesOfPair, pair) ?? []).filter((each) => !equalBytes(each.oracleId, oracleId));
}

function lastReport(view: StateView, of: OracleOfPairKey): LastReport | undefined {
  const [last] = newestReports(view, of, 1);
  return last && { ...last[1], height: last[0].height };
}

function removeTerms(view: WritableView, oracleId: Hash256): void {
  for (const pair of view.get(indexedOracles, oracleId)?.pairs ?? []) {
    const others = othersOf(view, pair, oracleId);
    if (others.length === 0) view.delete(oraclesOfPair, pair);
    else view.put(oraclesOfPair, pair, others);
  }
  view.delete(indexedOracles, oracleId);
}

/** Adds the reports of a transaction. @returns the pairs that it reports, each once @see docs/protocol/ocean.md 4.4 */
export function addReports(view: WritableView, { entry }: Pick<IndexedBlock, 'entry'>, applied: AppliedCustomTx): readonly PricePair[] {
  const message = messageOf(setOracleData, applied);
  if (!message) return [];
  const { oracleId, timestamp, prices } = message;
  const { height } = entry;
  for (const { token, currency, price: amount } of prices) {
    const key = { token, currency, oracleId, height, txid: applied.tx.txid };
    view.put(reports, key, { timestamp, amount });
    const all = view.get(oraclesOfPair, key) ?? [];
    const own = all.find((each) => equalBytes(each.oracleId, oracleId));
    if (!own) continue;
    // If a block has several reports, the last one is that with the highest transaction id, which lists show first.
    const latest = own.latest?.height === height ? lastReport(view, key) : { timestamp, amount, height };
    view.put(
      oraclesOfPair,
      key,
      all.map((each) => (each === own ? { ...own, latest } : each)),
    );
  }
  return prices;
}
