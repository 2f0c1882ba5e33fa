/** Shares of an owner in a pool that is migrated. */
export interface Holder {
  readonly owner: Uint8Array;
  readonly shares: bigint;
}

/** Threshold of `std::sort` in libstdc++: ranges up to this size are sorted by insertion. */
const SMALL = 16;

/**
 * Holders by their shares, largest first. The order of holders with equal shares decides about the last satoshi. `defid` uses `std::sort`,
 * which is not stable, so this is the introsort of libstdc++: median of three, partition from both ends, insertion for small ranges. Its
 * heapsort fallback for degenerate partitions is omitted; only shares crafted for it would reach it.
 * @see docs/protocol/defi.md 13, row 2
 */
export function largestFirst(holders: readonly Holder[]): readonly Holder[] {
  const sorted = [...holders];
  divide(sorted, 0, sorted.length);
  // All small ranges are in place now, so insertion moves nothing across their borders.
  for (let at = 1; at < sorted.length; at++) insert(sorted, at);
  return sorted;
}

function isBefore(a: Holder, b: Holder): boolean {
  return a.shares > b.shares;
}

function divide(all: Holder[], first: number, last: number): void {
  let end = last;
  while (end - first > SMALL) {
    const cut = partition(all, first, end);
    divide(all, cut, end);
    end = cut;
  }
}

/** Moves the median of three to the front and partitions the range by it. @returns index at which the second part begins */
function partition(all: Holder[], first: number, last: number): number {
  swap(all, first, median(all, first + 1, first + ((last - first) >> 1), last - 1));
  const pivot = all[first] as Holder;
  let low = first + 1;
  let high = last;
  for (;;) {
    while (isBefore(all[low] as Holder, pivot)) low++;
    high--;
    while (isBefore(pivot, all[high] as Holder)) high--;
    if (low >= high) return low;
    swap(all, low, high);
    low++;
  }
}

/** Index of the median; of equal ones the choice of libstdc++. */
function median(all: readonly Holder[], a: number, b: number, c: number): number {
  const before = (x: number, y: number) => isBefore(all[x] as Holder, all[y] as Holder);
  if (before(a, b)) return before(b, c) ? b : before(a, c) ? c : a;
  return before(a, c) ? a : before(b, c) ? c : b;
}

function insert(all: Holder[], from: number): void {
  const moved = all[from] as Holder;
  let at = from;
  while (at > 0 && isBefore(moved, all[at - 1] as Holder)) {
    all[at] = all[at - 1] as Holder;
    at--;
  }
  all[at] = moved;
}

function swap(all: Holder[], a: number, b: number): void {
  const held = all[a] as Holder;
  all[a] = all[b] as Holder;
  all[b] = held;
}
