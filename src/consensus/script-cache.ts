import type { Transaction } from '../primitives/transaction.js';
import type { VerifyFlags } from '../script/flags.js';
import { byteText } from '../util/bytes.js';
import { RecentSet } from '../util/recent-set.js';
import type { ScriptCache } from './scripts.js';

/** Estimated memory of an entry. */
const ENTRY_BYTES = 160;
const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;

/**
 * Cache of transactions whose scripts are all valid under given flags. The witness id covers the input scripts and witnesses, and,
 * through the outpoints, the scripts and amounts of the spent outputs, so the result holds in any block.
 */
export class VerifiedScripts implements ScriptCache {
  readonly #succeeded: RecentSet;

  constructor(maxBytes = DEFAULT_CACHE_BYTES) {
    this.#succeeded = new RecentSet(Math.floor(maxBytes / ENTRY_BYTES));
  }

  get size(): number {
    return this.#succeeded.size;
  }

  has(tx: Pick<Transaction, 'wtxid'>, flags: VerifyFlags): boolean {
    return this.#succeeded.has(keyOf(tx, flags));
  }

  add(tx: Pick<Transaction, 'wtxid'>, flags: VerifyFlags): void {
    this.#succeeded.add(keyOf(tx, flags));
  }
}

function keyOf({ wtxid }: Pick<Transaction, 'wtxid'>, flags: VerifyFlags): string {
  return byteText(wtxid) + String.fromCharCode(flags >>> 16, flags & 0xffff);
}
