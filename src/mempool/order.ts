import type { MempoolEntry } from './entry.js';

/** Sorts parents before children: by number of ancestors, then by fee rate from the highest, then by txid from the highest. */
export function inRelayOrder(entries: Iterable<MempoolEntry>): MempoolEntry[] {
  return [...entries].sort(compareForRelay);
}

/** True if `a` comes before `b` in relay order. */
export function isRelayedBefore(a: MempoolEntry, b: MempoolEntry): boolean {
  return compareForRelay(a, b) < 0;
}

function compareForRelay(a: MempoolEntry, b: MempoolEntry): number {
  return a.ancestors.count - b.ancestors.count || compareRates(b, a) || compareKeys(b, a);
}

/** Sorts by txid bytes. */
export function inTxidOrder(entries: Iterable<MempoolEntry>): MempoolEntry[] {
  return [...entries].sort(compareKeys);
}

/** Sorts by time of entry, then by order of entry. */
export function inTimeOrder(entries: Iterable<MempoolEntry>): MempoolEntry[] {
  return [...entries].sort((a, b) => a.time - b.time || a.sequence - b.sequence);
}

function compareRates(a: MempoolEntry, b: MempoolEntry): number {
  const difference = a.modifiedFee * BigInt(b.vsize) - b.modifiedFee * BigInt(a.vsize);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function compareKeys(a: MempoolEntry, b: MempoolEntry): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
