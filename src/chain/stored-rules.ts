import type { WindowStatuses } from '../consensus/unknown-rules.js';
import type { DeploymentStatus } from '../consensus/versionbits.js';
import { encode, list, mapped, struct, u8, u32, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import type { Column, Store } from '../storage/view.js';
import { equalBytes } from '../util/bytes.js';
import type { ChainQueries } from './reader.js';

interface StoredStatuses {
  readonly height: number;
  readonly hash: Hash256;
  /** Text of the deployments that the program knew, since all others count as unknown. */
  readonly known: string;
  readonly statuses: readonly DeploymentStatus[];
}

const STATUSES: readonly DeploymentStatus[] = ['defined', 'started', 'locked_in', 'active', 'failed'];
const status = mapped<number, DeploymentStatus>(
  u8,
  (index) => STATUSES[index] ?? 'defined',
  (name) => STATUSES.indexOf(name),
);

const KEY = 0;
/** Statuses of unknown rules at a block far up the chain, under one key. */
export const storedRules: Column<number, StoredStatuses> = {
  name: 'chain/rules',
  key: u8,
  value: struct<StoredStatuses>({ height: u32, hash: hash256, known: varString, statuses: list(status) }),
};

/** Blocks after which the statuses are stored again. */
const STORED_EVERY = 1_000;

/** Keeps statuses of unknown rules for the next start, which would read the versions of all blocks otherwise. */
export class StoredRules {
  readonly #store: Store;
  readonly #chain: Pick<ChainQueries, 'entryAt'>;
  readonly #known: string;
  #height = 0;

  constructor(store: Store, chain: Pick<ChainQueries, 'entryAt' | 'params'>) {
    this.#store = store;
    this.#chain = chain;
    this.#known = JSON.stringify(chain.params.bip9, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  }

  /** Statuses of the last run; undefined if they do not hold for this program and the active chain. */
  load(): WindowStatuses | undefined {
    const stored = this.#store.get(storedRules, KEY);
    if (!stored || stored.known !== this.#known) return undefined;
    const end = this.#chain.entryAt(stored.height);
    if (!end || !equalBytes(end.hash, stored.hash)) return undefined;
    this.#height = stored.height;
    return { end, statuses: stored.statuses };
  }

  /** Stores statuses of a block of the active chain, unless ones of a block shortly before are stored. */
  note({ end: { height }, statuses }: WindowStatuses): void {
    if (Math.abs(height - this.#height) < STORED_EVERY) return;
    const end = this.#chain.entryAt(height);
    if (!end) return;
    const value = encode(storedRules.value, { height, hash: end.hash, known: this.#known, statuses });
    try {
      this.#store.write([{ column: storedRules.name, key: encode(storedRules.key, KEY), value }]);
      this.#height = height;
    } catch {
      // The chain meets the same failure when it writes, and reports it.
    }
  }
}
