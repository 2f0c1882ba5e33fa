import { encode } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import type { HistoryRecord } from '../accounts/history-columns.js';
import {
  type SchemeHistoryKey,
  type SchemeRecord,
  schemeHistory,
  type VaultHistoryKey,
  type VaultSchemeRecord,
  type VaultSnapshot,
  vaultHistory,
  vaultSchemeHistory,
  vaultSnapshots,
} from './history-columns.js';

/** Range of heights, both included. */
export interface HeightSpan {
  readonly highest: number;
  readonly lowest: number;
}

const LAST_TXN = 0xffffffff;

/** Changes by transactions, newest first. */
export function* vaultRecords(view: StateView, vaultId: Hash256, span: HeightSpan): Generator<readonly [VaultHistoryKey, HistoryRecord]> {
  const from = { vaultId, height: span.highest, txn: LAST_TXN, owner: new Uint8Array() };
  for (const entry of view.entries(vaultHistory, { from, prefix: encode(hash256, vaultId) })) {
    if (entry[0].height < span.lowest) return;
    yield entry;
  }
}

/** Snapshots at the begin and end of liquidations, newest first. */
export function* snapshotsOf(view: StateView, vaultId: Hash256, span: HeightSpan): Generator<readonly [height: number, VaultSnapshot]> {
  const from = { vaultId, height: span.highest };
  for (const [{ height }, snapshot] of view.entries(vaultSnapshots, { from, prefix: encode(hash256, vaultId) })) {
    if (height < span.lowest) return;
    yield [height, snapshot];
  }
}

/** Assignment of a scheme to a vault, with the terms at that time. */
export interface VaultScheme {
  readonly height: number;
  readonly record: VaultSchemeRecord;
  /** Terms of the scheme at that time; undefined for a scheme without a creation record. */
  readonly terms: SchemeRecord | undefined;
  /** Transaction that created the scheme. */
  readonly creationTx: Hash256 | undefined;
}

/** Assignments of schemes to a vault, newest first. */
export function* schemesOf(view: StateView, vaultId: Hash256, span: HeightSpan): Generator<VaultScheme> {
  const from = { vaultId, height: span.highest };
  for (const [{ height }, record] of view.entries(vaultSchemeHistory, { from, prefix: encode(hash256, vaultId) })) {
    if (height < span.lowest) return;
    const found = termsAt(view, record, height);
    yield { height, record, terms: found?.[1], creationTx: found?.[0].creationTx };
  }
}

function termsAt(
  view: StateView,
  { scheme, txn }: VaultSchemeRecord,
  height: number,
): readonly [SchemeHistoryKey, SchemeRecord] | undefined {
  const from = { height, txn, creationTx: new Uint8Array(32) };
  for (const entry of view.entries(schemeHistory, { from })) if (entry[1].id === scheme) return entry;
  return undefined;
}

/** Changes of one scheme, newest first. */
export type SchemeChanges = Iterable<readonly [height: number, SchemeRecord]>;

/**
 * Changes of a vault's schemes while they were assigned to it, for each scheme, the oldest first. If it had several schemes, later assignments
 * of the oldest one are left out, as in `defid`.
 * @param had creation transactions of the schemes, by the height of their assignment
 */
export function* schemeChanges(view: StateView, had: ReadonlyMap<number, Hash256>, span: HeightSpan): Generator<SchemeChanges> {
  const ascending = [...had].sort(([a], [b]) => a - b);
  const [oldest] = ascending;
  if (!oldest) return;
  const different = ascending.filter(([, creationTx], i) => i === 0 || !equalBytes(creationTx, oldest[1]));
  for (const [i, [, creationTx]] of different.entries()) {
    const end = different[i + 1]?.[0];
    const highest = end === undefined ? LAST_TXN : end - 1;
    yield changesOf(view, creationTx, { highest, lowest: oldest[0] }, span);
  }
}

/** Changes of a scheme within two ranges of heights. */
function* changesOf(view: StateView, creationTx: Hash256, assigned: HeightSpan, wanted: HeightSpan): Generator<[number, SchemeRecord]> {
  for (const [key, record] of view.entries(schemeHistory, { from: { height: assigned.highest, txn: LAST_TXN, creationTx } })) {
    if (key.height < assigned.lowest) return;
    const isWanted = key.height <= wanted.highest && key.height >= wanted.lowest;
    if (isWanted && equalBytes(key.creationTx, creationTx)) yield [key.height, record];
  }
}
