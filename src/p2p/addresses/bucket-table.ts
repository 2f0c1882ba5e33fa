import type { AddressEntry } from './address-entry.js';

export const BUCKET_SIZE = 64;

/** Buckets of 64 places each. An address has one place per bucket, so nobody can push others aside at will. */
export class BucketTable {
  readonly #buckets = new Map<number, Map<number, AddressEntry>>();

  at(bucket: number, place: number): AddressEntry | undefined {
    return this.#buckets.get(bucket)?.get(place);
  }

  put(bucket: number, place: number, entry: AddressEntry): void {
    const places = this.#buckets.get(bucket) ?? new Map<number, AddressEntry>();
    this.#buckets.set(bucket, places);
    places.set(place, entry);
  }

  remove(bucket: number, place: number): void {
    const places = this.#buckets.get(bucket);
    places?.delete(place);
    if (places?.size === 0) this.#buckets.delete(bucket);
  }

  /** Takes an entry out of every bucket. */
  removeEverywhere(entry: AddressEntry): void {
    for (const [bucket, places] of this.#buckets) {
      for (const [place, held] of places) if (held === entry) this.remove(bucket, place);
    }
  }

  /** Any entry: a bucket first, then a place in it, so that a full bucket weighs no more than another. */
  random(random: () => number): AddressEntry | undefined {
    const places = nth(this.#buckets, random);
    return places && nth(places, random);
  }
}

function nth<V>(map: ReadonlyMap<number, V>, random: () => number): V | undefined {
  let skip = Math.floor(random() * map.size);
  for (const value of map.values()) {
    if (skip === 0) return value;
    skip -= 1;
  }
  return undefined;
}
