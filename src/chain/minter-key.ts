import { recoverMinter } from '../consensus/pos/signature.js';
import type { BlockHeader } from '../primitives/header.js';
import { toHex } from '../util/bytes.js';
import { Lru } from '../util/lru.js';
import type { BlockIndexEntry } from './block-index.js';

/** Maximum number of keys in the cache, 4 MB: more than `getactivemasternodecount` needs by default. */
const MAX_KEYS = 25_000;

/** Hex of operator keys by block hash; empty where there is none. Recovering a key takes a hundred times as long as all else here. */
const keys = new Lru<string, string>(MAX_KEYS);

/** Hex of the operator key that signed a block; undefined for the genesis block, and if the signature recovers no key. */
export function minterKey(entry: Pick<BlockIndexEntry, 'height' | 'hash'>, header: () => BlockHeader): string | undefined {
  if (entry.height === 0) return undefined;
  const block = toHex(entry.hash);
  let key = keys.get(block);
  if (key === undefined) {
    const recovered = recoverMinter(header());
    key = recovered ? toHex(recovered) : '';
    keys.set(block, key);
  }
  return key === '' ? undefined : key;
}
