import type { Hash160 } from '../primitives/hash.js';
import { fromHex, toHex } from '../util/bytes.js';

/** A key or a script whose outputs are ours. */
export interface OwnHash {
  readonly kind: 'key' | 'script';
  readonly hash: Hash160;
}

/** Source of the keys and scripts, the wallets of the node. */
export interface OwnHashSource {
  /** Grows with every change; while it is the same, so are the hashes. */
  readonly changes: number;
  hashes(): Iterable<OwnHash>;
}

/**
 * Hashes of our keys and scripts, each with a place in the order in which they became known: transactions are sorted by it. As in `defid`,
 * a hash remains ours if its wallet is unloaded.
 */
export class OwnHashes {
  readonly #source: OwnHashSource;
  readonly #keys = new Set<string>();
  readonly #scripts = new Set<string>();
  readonly #places = new Map<string, number>();
  #nextPlace = 0;
  #changes = -1;

  constructor(source: OwnHashSource) {
    this.#source = source;
  }

  /** Adds those that the source has by now: keys before scripts, in byte order. */
  refresh(): void {
    const { changes } = this.#source;
    if (changes === this.#changes) return;
    this.#changes = changes;
    const fresh = new Set<string>();
    for (const { kind, hash } of this.#source.hashes()) {
      const id = toHex(hash);
      if (!(kind === 'key' ? this.#keys : this.#scripts).has(id)) fresh.add(`${kind} ${id}`);
    }
    for (const each of [...fresh].sort()) {
      const [kind, id = ''] = each.split(' ');
      this.#add(kind === 'key' ? this.#keys : this.#scripts, id);
    }
  }

  /** Adds a hash, or moves it to the last place. */
  add({ kind, hash }: OwnHash): void {
    this.refresh();
    this.#add(kind === 'key' ? this.#keys : this.#scripts, toHex(hash));
  }

  #add(set: Set<string>, id: string): void {
    set.add(id);
    this.#places.set(id, this.#nextPlace++);
  }

  isKey(hash: Hash160): boolean {
    return this.#keys.has(toHex(hash));
  }

  isScript(hash: Hash160): boolean {
    return this.#scripts.has(toHex(hash));
  }

  /** Keys, in the order in which they became known. */
  keys(): Hash160[] {
    return [...this.#keys].map(fromHex);
  }

  /** Place of a hash; undefined if it is not ours. */
  placeOf(hash: Hash160): number | undefined {
    return this.#places.get(toHex(hash));
  }
}
