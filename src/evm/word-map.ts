import { randomBytes } from 'node:crypto';

/** Secret modulus of the keys: without it, a contract cannot choose words that fall into one bucket of a map. */
const MODULUS = BigInt(`0x${randomBytes(8).toString('hex')}`) | (1n << 63n) | 1n;
const LIMB_BITS = 64n;

/** The engine's hash of a bigint is its lowest 64 bits, which a contract chooses for its slots. @returns a key whose lowest 64 bits are secret */
function keyOf(word: bigint): bigint {
  return word >> LIMB_BITS === 0n ? word : (word << LIMB_BITS) | (word % MODULUS);
}

function wordOf(key: bigint): bigint {
  const upper = key >> LIMB_BITS;
  return upper === 0n ? key : upper;
}

/** Words that are only looked up. */
export interface Words extends Iterable<bigint> {
  readonly size: number;
  has(word: bigint): boolean;
}

/** Set of words that an attacker may choose: addresses and topics. */
export class WordSet implements Words {
  readonly #keys = new Set<bigint>();

  constructor(words: Iterable<bigint> = []) {
    for (const word of words) this.add(word);
  }

  get size(): number {
    return this.#keys.size;
  }

  has(word: bigint): boolean {
    return this.#keys.has(keyOf(word));
  }

  /** @returns false if the word was there */
  add(word: bigint): boolean {
    const { size } = this.#keys;
    return this.#keys.add(keyOf(word)).size > size;
  }

  /** In order of insertion. */
  *[Symbol.iterator](): IterableIterator<bigint> {
    for (const key of this.#keys) yield wordOf(key);
  }
}

/** Map by words that an attacker may choose: addresses and storage slots. */
export class WordMap<V> {
  readonly #entries = new Map<bigint, { readonly word: bigint; value: V }>();

  constructor(entries: Iterable<readonly [bigint, V]> = []) {
    for (const [word, value] of entries) this.set(word, value);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(word: bigint): V | undefined {
    return this.#entries.get(keyOf(word))?.value;
  }

  has(word: bigint): boolean {
    return this.#entries.has(keyOf(word));
  }

  set(word: bigint, value: V): void {
    const key = keyOf(word);
    const entry = this.#entries.get(key);
    if (entry) entry.value = value;
    else this.#entries.set(key, { word, value });
  }

  delete(word: bigint): boolean {
    return this.#entries.delete(keyOf(word));
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Words and values in order of insertion. */
  *[Symbol.iterator](): IterableIterator<readonly [bigint, V]> {
    for (const { word, value } of this.#entries.values()) yield [word, value];
  }
}
