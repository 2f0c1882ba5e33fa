import { encode, u32, varString } from '../primitives/codec.js';
import { NewerVersion } from './errors.js';
import type { Column, Store } from './view.js';

/** Format that this program writes. A new version needs a migration and a test of it. */
export const FORMAT_VERSION = 6;

/** Facts about the store itself, by name. The column's format never changes, so that an older program can read that it is too old. */
export const meta: Column<string, number> = { name: 'meta/format', key: varString, value: u32 };

const VERSION_KEY = 'version';

/** Migration of a store from format `from` to `from + 1`. */
export interface Migration {
  readonly from: number;
  run(store: Store): void | Promise<void>;
}

/**
 * Brings the store to the format of this program: marks a new store, and migrates an older one step by step. An interrupted migration
 * runs again on the next start, so it must be repeatable.
 * @param steps migrations in any order
 * @param needed oldest format that the caller reads; a store of a later one is not migrated
 * @throws {NewerVersion} if a newer program wrote the store
 */
export async function checkVersion(store: Store, steps: readonly Migration[], known = FORMAT_VERSION, needed = known): Promise<void> {
  const found = store.get(meta, VERSION_KEY);
  if (found === undefined) {
    writeVersion(store, known);
    return;
  }
  if (found > known) throw new NewerVersion(found, known);
  for (let version = found; version < needed; version++) {
    const step = steps.find(({ from }) => from === version);
    if (!step) throw new Error(`no migration from format version ${version}`);
    await step.run(store);
    writeVersion(store, version + 1);
  }
}

function writeVersion(store: Store, version: number): void {
  store.write([{ column: meta.name, key: encode(meta.key, VERSION_KEY), value: encode(meta.value, version) }], { sync: true });
}
