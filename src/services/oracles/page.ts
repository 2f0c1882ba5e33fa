import { type Oracle, oracles } from '../../dfi/oracles/columns.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';

/** Oracles in the order of their ids. Without `includingStart` the first oracle found is skipped, even if its id differs from `start`. */
export function* oraclesFrom(
  view: StateView,
  start: Hash256 | undefined,
  includingStart: boolean,
): Generator<readonly [id: Hash256, oracle: Oracle]> {
  let skips = !includingStart;
  for (const entry of view.entries(oracles, start ? { from: start } : {})) {
    if (!skips) yield entry;
    skips = false;
  }
}
