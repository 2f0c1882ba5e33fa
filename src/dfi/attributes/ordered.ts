import { type Codec, compactSize } from '../../primitives/codec.js';

/** Count, then elements. Reading sorts them; of equal ones the first counts. */
export function ordered<T>(element: Codec<T>, compare: (a: T, b: T) => number): Codec<readonly T[]> {
  return {
    write(w, values) {
      compactSize.write(w, values.length);
      for (const value of values) element.write(w, value);
    },
    read(r) {
      const found: T[] = [];
      for (let left = compactSize.read(r); left > 0; left--) found.push(element.read(r));
      const sorted = found.map((value, at) => ({ value, at })).sort((a, b) => compare(a.value, b.value) || a.at - b.at);
      return sorted
        .filter(({ value }, i) => i === 0 || compare((sorted[i - 1] as { value: T }).value, value) !== 0)
        .map(({ value }) => value);
    },
  };
}

/** Order by UTF-16 code units: bytewise for strings of one char per byte. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
