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
import { type AppliedCustomTx, type IndexedBlock, messageOf } from './indexed-block.js';
import { displayHash } from './keys.js';
import { rowsBelow } from './rows-below.js';

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

/** A report with its transaction. */
export interface ReportOfTx extends Report {
  readonly height: number;
  readonly txid: Hash256;
}

/** A pair and an oracle that may report it. */
export interface OracleOfPairKey extends PricePair {
  readonly oracleId: Hash256;
}

/** Part of an oracle in the price of a pair. */
export interface OracleOfPair {
  readonly weight: number;
  /** Height of the block that set the oracle's terms. */
  readonly height: number;
  /** Last report of the oracle for the pair, even if it is from an earlier appointment of the pair. */
  readonly latest: ReportOfTx | undefined;
}

const oracleOfPairKey = struct<OracleOfPairKey>({ token: byteString, currency: byteString, oracleId: displayHash });

/** Oracles that may report a pair, by pair. The last report is here too, because each new one has to be joined with all of them. */
export const oraclesOfPair: Column<OracleOfPairKey, OracleOfPair> = {
  name: 'ocean/oracle-of-pair',
  key: oracleOfPairKey,
  value: struct<OracleOfPair>({
    weight: u8,
    height: u32,
    latest: optional(struct<ReportOfTx>({ timestamp: i64, amount: i64, height: u32, txid: hash256 })),
  }),
};

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

/** Bytes with which the keys begin of all rows of a pair. */
export function pairPrefix(pair: PricePair): Uint8Array {
  return encode(pricePair, pair);
}

/** Bytes with which the keys begin of all reports of an oracle for a pair. */
export function reportsPrefix(key: OracleOfPairKey): Uint8Array {
  return encode(oracleOfPairKey, key);
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
    const key = { ...pair, oracleId };
    view.put(oraclesOfPair, key, { weight, height, latest: lastReport(view, key) });
  }
}

function lastReport(view: StateView, key: OracleOfPairKey): ReportOfTx | undefined {
  const [last] = rowsBelow(view, reports, { prefix: reportsPrefix(key), count: 1 });
  return last && { ...last[1], height: last[0].height, txid: last[0].txid };
}

function removeTerms(view: WritableView, oracleId: Hash256): void {
  for (const pair of view.get(indexedOracles, oracleId)?.pairs ?? []) view.delete(oraclesOfPair, { ...pair, oracleId });
  view.delete(indexedOracles, oracleId);
}

/** Adds the reports of a transaction. @returns the pairs that it reports, each once @see docs/protocol/ocean.md 4.4 */
export function addReports(view: WritableView, { entry }: Pick<IndexedBlock, 'entry'>, applied: AppliedCustomTx): readonly PricePair[] {
  const message = messageOf(setOracleData, applied);
  if (!message) return [];
  const { oracleId, timestamp, prices } = message;
  const { height } = entry;
  const { txid } = applied.tx;
  return prices.map(({ token, currency, price: amount }) => {
    const key = { token, currency, oracleId };
    view.put(reports, { ...key, height, txid }, { timestamp, amount });
    const own = view.get(oraclesOfPair, key);
    const report = { timestamp, amount, height, txid };
    if (own && isLater(report, own.latest)) view.put(oraclesOfPair, key, { ...own, latest: report });
    return { token, currency };
  });
}

/** True if lists show the report before the other: of reports in one block, the one with the higher txid. */
function isLater({ height, txid }: ReportOfTx, other: ReportOfTx | undefined): boolean {
  return !other || height > other.height || formatHash(txid) > formatHash(other.txid);
}
