import type { AddressEntry } from './address-entry.js';

/** Places per bucket. */
export const BUCKET_SIZE = 64;

/** Buckets of 64 places each. An address has one place per bucket, so that an attacker cannot displace others at will. */
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

  /** Removes an entry from all buckets. */
  removeEverywhere(entry: AddressEntry): void {
    for (const [bucket, places] of this.#buckets) {
      for (const [place, holder] of places) if (holder === entry) this.remove(bucket, place);
    }
  }

  /** Random entry: first a bucket, then a place in it, so that a full bucket has no more weight than another. */
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
