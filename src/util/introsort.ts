/** Threshold of `std::sort` in libstdc++: ranges up to this size are sorted by insertion. */
const SMALL = 16;

type IsBefore<T> = (a: T, b: T) => boolean;

/**
 * Sorts a copy as `std::sort` of libstdc++ does: median of three, partition from both ends, insertion for small ranges. It is not stable,
 * so it gives the order of equal elements where that of `defid` matters. The heapsort fallback for degenerate partitions is omitted; only
 * elements crafted for it would reach it.
 * @param isBefore need be no strict weak order: elements that it cannot compare end up where `defid` leaves them
 */
export function introsort<T>(elements: readonly T[], isBefore: IsBefore<T>): readonly T[] {
  const sorted = [...elements];
  divide(sorted, 0, sorted.length, isBefore);
  // All small ranges are in place now, so insertion moves nothing across their borders.
  for (let at = 1; at < sorted.length; at++) insert(sorted, at, isBefore);
  return sorted;
}

function divide<T>(all: T[], first: number, last: number, isBefore: IsBefore<T>): void {
  let end = last;
  while (end - first > SMALL) {
    const cut = partition(all, first, end, isBefore);
    divide(all, cut, end, isBefore);
    end = cut;
  }
}

/** Moves the median of three to the front and partitions the range by it. @returns index at which the second part begins */
function partition<T>(all: T[], first: number, last: number, isBefore: IsBefore<T>): number {
  swap(all, first, median(all, [first + 1, first + ((last - first) >> 1), last - 1], isBefore));
  const pivot = all[first] as T;
  let low = first + 1;
  let high = last;
  for (;;) {
    while (isBefore(all[low] as T, pivot)) low++;
    high--;
    while (isBefore(pivot, all[high] as T)) high--;
    if (low >= high) return low;
    swap(all, low, high);
    low++;
  }
}

/** Index of the median; of equal ones the choice of libstdc++. */
function median<T>(all: readonly T[], [a, b, c]: readonly [number, number, number], isBefore: IsBefore<T>): number {
  const before = (x: number, y: number) => isBefore(all[x] as T, all[y] as T);
  if (before(a, b)) return before(b, c) ? b : before(a, c) ? c : a;
  return before(a, c) ? a : before(b, c) ? c : b;
}

/** Moves an element in front of those that follow it. In the first range, one that is before the very first goes there at once. */
function insert<T>(all: T[], from: number, isBefore: IsBefore<T>): void {
  const moved = all[from] as T;
  const goesFirst = from < SMALL && isBefore(moved, all[0] as T);
  let at = from;
  while (at > 0 && (goesFirst || isBefore(moved, all[at - 1] as T))) {
    all[at] = all[at - 1] as T;
    at--;
  }
  all[at] = moved;
}

function swap<T>(all: T[], a: number, b: number): void {
  const held = all[a] as T;
  all[a] = all[b] as T;
  all[b] = held;
}
