import { encode, u32, varString } from '../primitives/codec.js';
import { NewerVersion } from './errors.js';
import type { Column, Store } from './view.js';

/** The format that this program writes. Raise it together with a migration, and a test of that. */
export const FORMAT_VERSION = 1;

/** Facts about the store itself, by name. Its format never changes, or an older program could not tell that it is too old. */
export const meta: Column<string, number> = { name: 'meta/format', key: varString, value: u32 };

const VERSION_KEY = 'version';

/** Brings a store from format `from` to `from + 1`. */
export interface Migration {
  readonly from: number;
  run(store: Store): void;
}

/** Each is tested with a store as the older program left it. */
export const migrations: readonly Migration[] = [];

/**
 * Makes sure that the store has the format this program knows: marks a new one, and migrates an older one step by step. A
 * migration that is cut off half-way is run again on the next start, so it must bear that.
 * @throws {NewerVersion} if a later program wrote the store
 */
export function checkVersion(store: Store, known = FORMAT_VERSION, steps: readonly Migration[] = migrations): void {
  const found = store.get(meta, VERSION_KEY);
  if (found === undefined) {
    writeVersion(store, known);
    return;
  }
  if (found > known) throw new NewerVersion(found, known);
  for (let version = found; version < known; version++) {
    const step = steps.find(({ from }) => from === version);
    if (!step) throw new Error(`no migration from format version ${version}`);
    step.run(store);
    writeVersion(store, version + 1);
  }
}

function writeVersion(store: Store, version: number): void {
  store.write([{ column: meta.name, key: encode(meta.key, VERSION_KEY), value: encode(meta.value, version) }], { sync: true });
}
