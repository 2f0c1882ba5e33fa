import { type Destination, destinationOf, scriptOf } from '../../script/address.js';
import { reverseBytes, toHex } from '../../util/bytes.js';
import { sortInSlices } from '../../util/sliced-sort.js';
import type { Slicer } from '../../util/slicer.js';
import * as records from '../store/records.js';
import type { WalletStore } from '../store/store.js';

/** An entry of the address book; the purpose is a word such as `receive`, `send` or `unknown`. */
export interface NamedDestination {
  readonly destination: Destination;
  readonly label: string;
  readonly purpose: string;
}

const RANKS: Readonly<Record<Destination['type'], number>> = { pkh: 0, sh: 1, wsh: 2, wpkh: 3, wunknown: 4, evm: 5 };

/** Sort key of a destination: by type, then by hash. @see docs/protocol/wallet.md 0.6 */
export function destinationKey(destination: Destination): string {
  const { type } = destination;
  if (type === 'wunknown') return `${RANKS[type]}${String.fromCharCode(destination.version)}${toHex(destination.program)}`;
  return `${RANKS[type]}${toHex(type === 'evm' ? reverseBytes(destination.hash) : destination.hash)}`;
}

/** Labels and purposes of destinations, and marks of used ones, which were spent from. @see docs/protocol/wallet.md 1.9 */
export class AddressBook {
  readonly #store: WalletStore;
  readonly #entries = new Map<string, NamedDestination>();
  readonly #used = new Set<string>();

  constructor(store: WalletStore) {
    this.#store = store;
    for (const [script, { label, purpose }] of store.rows(records.book)) {
      const destination = destinationOf(script, { metachain: true });
      if (destination) this.#entries.set(destinationKey(destination), { destination, label, purpose });
    }
    for (const [script] of store.rows(records.used)) {
      const destination = destinationOf(script, { metachain: true });
      if (destination) this.#addUsed(destination);
    }
  }

  get(destination: Destination): NamedDestination | undefined {
    return this.#entries.get(destinationKey(destination));
  }

  /** In no particular order. */
  entries(): Iterable<NamedDestination> {
    return this.#entries.values();
  }

  /** The entries at present, in destination order. */
  async inOrder(slicer: Slicer): Promise<NamedDestination[]> {
    const sorted = await sortInSlices([...this.#entries], ([a], [b]) => a < b, slicer);
    return sorted.map(([, entry]) => entry);
  }

  /** In destination order. */
  evmAddresses(): Uint8Array[] {
    const found: { readonly key: string; readonly address: Uint8Array }[] = [];
    for (const [key, { destination }] of this.#entries) if (destination.type === 'evm') found.push({ key, address: destination.hash });
    return found.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ address }) => address);
  }

  /** @param purpose empty to keep the present one */
  set(destination: Destination, label: string, purpose = ''): void {
    const before = this.get(destination);
    const kept = purpose || before?.purpose || 'unknown';
    this.#entries.set(destinationKey(destination), { destination, label, purpose: kept });
    this.#store.put(records.book, scriptOf(destination), { label, purpose: kept });
  }

  /** True if any destination is marked as used. */
  get hasUsed(): boolean {
    return this.#used.size > 0;
  }

  /** True if the wallet spent from the destination. */
  isUsed(destination: Destination): boolean {
    return this.#used.has(destinationKey(destination));
  }

  /** Marks a destination as used, which adds an entry for it if there is none. */
  markUsed(destination: Destination): void {
    if (this.isUsed(destination)) return;
    this.#addUsed(destination);
    this.#store.put(records.used, scriptOf(destination), new Uint8Array(0));
  }

  /** The implicit entry is not stored, as the mark implies it. */
  #addUsed(destination: Destination): void {
    const key = destinationKey(destination);
    this.#used.add(key);
    if (!this.#entries.has(key)) this.#entries.set(key, { destination, label: '', purpose: 'unknown' });
  }
}
