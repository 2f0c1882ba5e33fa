import type { MempoolEntry } from './entry.js';

/** Sorts parents before children: by number of ancestors, then by fee rate from the highest, then by txid from the highest. */
export function inRelayOrder(entries: Iterable<MempoolEntry>): MempoolEntry[] {
  return [...entries].sort(compareForRelay);
}

/** The first entries of {@link inRelayOrder}, at most `count`, without sorting the others: there may be a hundred thousand. */
export function firstInRelayOrder(entries: Iterable<MempoolEntry>, count: number): MempoolEntry[] {
  const first: MempoolEntry[] = [];
  for (const entry of entries) {
    const last = first.at(-1);
    if (first.length === count && last && !isRelayedBefore(entry, last)) continue;
    const at = first.findIndex((other) => isRelayedBefore(entry, other));
    first.splice(at < 0 ? first.length : at, 0, entry);
    if (first.length > count) first.pop();
  }
  return first;
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
  const [left, right] = [Number(a.modifiedFee) * b.vsize, Number(b.modifiedFee) * a.vsize];
  // Products below 2^53 are exact, and many times faster.
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left - right;
  const difference = a.modifiedFee * BigInt(b.vsize) - b.modifiedFee * BigInt(a.vsize);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function compareKeys(a: MempoolEntry, b: MempoolEntry): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
