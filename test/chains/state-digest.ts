import type { Chain } from '../../src/chain/chain.js';
import { chainColumns } from '../../src/chain/database.js';
import { activeBlocks, branches, fileSummaries, headers, undoLogs } from '../../src/chain/records.js';
import { sha256d } from '../../src/crypto/hash.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { encode } from '../../src/primitives/codec.js';
import { concatBytes, toHex } from '../../src/util/bytes.js';

/** Columns that also have rows of disconnected blocks, or are updated when changes are written. */
const OTHER_COLUMNS = new Set([headers, undoLogs, branches, fileSummaries].map(({ name }) => name));
/** Every row of the state: coins, DeFi columns, active chain and tip. */
export const stateColumns = [...chainColumns, ...dfiColumns].filter(({ name }) => !OTHER_COLUMNS.has(name));

/** Digest of the whole state at the tip, and of the places of its blocks in files. */
export function digest(chain: Chain): string {
  return digestOf(chain, stateColumns);
}

/** Digest that is the same for nodes that stored their blocks in another order. */
export function placelessDigest(chain: Chain): string {
  return digestOf(
    chain,
    stateColumns.filter(({ name }) => name !== activeBlocks.name),
  );
}

function digestOf({ state }: Chain, columns: typeof stateColumns): string {
  const rows = columns.flatMap((column) =>
    [...state.entries(column)].map(([key, value]) => concatBytes(encode(column.key, key), encode(column.value, value))),
  );
  return toHex(sha256d(concatBytes(...rows)));
}
