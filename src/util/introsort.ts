/** Threshold of `std::sort` in libstdc++: ranges up to this size are sorted by insertion. */
const SMALL = 16;

type IsBefore<T> = (a: T, b: T) => boolean;

/**
 * Sorts a copy as `std::sort` of libstdc++ does: median of three, partition from both ends, a heap where that divides badly, insertion for
 * small ranges. It is not stable, so it gives the order of equal elements where that of `defid` matters.
 * @param isBefore need be no strict weak order: elements that it cannot compare end up where `defid` leaves them
 */
export function introsort<T>(elements: readonly T[], isBefore: IsBefore<T>): readonly T[] {
  const sorted = [...elements];
  const depth = 2 * Math.floor(Math.log2(Math.max(sorted.length, 1)));
  divide(sorted, { first: 0, last: sorted.length, depth }, isBefore);
  // All small ranges are in place now, so insertion moves nothing across their borders.
  for (let at = 1; at < sorted.length; at++) insert(sorted, at, isBefore);
  return sorted;
}

/** Elements from `first` up to, but excluding, `last`, and the number of divisions before a heap sorts them. */
interface Range {
  readonly first: number;
  readonly last: number;
  readonly depth: number;
}

function divide<T>(all: T[], { first, last, depth }: Range, isBefore: IsBefore<T>): void {
  let end = last;
  for (let left = depth; end - first > SMALL; left--) {
    if (left === 0) {
      sortByHeap(all, first, end, isBefore);
      return;
    }
    const cut = partition(all, first, end, isBefore);
    divide(all, { first: cut, last: end, depth: left - 1 }, isBefore);
    end = cut;
  }
}

/** Sorts a range by a heap whose top is the last element in order. */
function sortByHeap<T>(all: T[], first: number, last: number, isBefore: IsBefore<T>): void {
  const heap = new Heap(all, first, isBefore);
  for (let parent = (last - first - 2) >> 1; parent >= 0; parent--) heap.place(parent, last - first, all[first + parent] as T);
  for (let end = last - 1; end > first; end--) {
    const moved = all[end] as T;
    all[end] = all[first] as T;
    heap.place(0, end - first, moved);
  }
}

/** Binary heap in a part of an array. Its places count from the beginning of that part. */
class Heap<T> {
  constructor(
    private readonly all: T[],
    private readonly first: number,
    private readonly isBefore: IsBefore<T>,
  ) {}

  /**
   * Puts an element into a heap of `size` places whose place `top` is free. The free place moves down to a leaf, then up again to where the
   * element belongs.
   */
  place(top: number, size: number, element: T): void {
    let free = top;
    for (let child = 2 * free + 2; child <= size; child = 2 * free + 2) {
      // The last node may have one child only.
      const larger = child === size || this.isBefore(this.#at(child), this.#at(child - 1)) ? child - 1 : child;
      this.#set(free, this.#at(larger));
      free = larger;
    }
    for (let parent = (free - 1) >> 1; free > top && this.isBefore(this.#at(parent), element); parent = (free - 1) >> 1) {
      this.#set(free, this.#at(parent));
      free = parent;
    }
    this.#set(free, element);
  }

  #at(place: number): T {
    return this.all[this.first + place] as T;
  }

  #set(place: number, element: T): void {
    this.all[this.first + place] = element;
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
