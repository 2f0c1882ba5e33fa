import { TxInvalid } from '../consensus/errors.js';
import { formatHash } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import type { MempoolEntry } from './entry.js';
import type { Pool } from './pool.js';

/** Limits of unconfirmed ancestors and descendants. Sizes in virtual bytes; the transaction itself counts in each. */
export interface ChainLimits {
  readonly ancestorCount: number;
  readonly ancestorBytes: number;
  readonly descendantCount: number;
  readonly descendantBytes: number;
}

/** CPFP carve-out: a full package admits one more small transaction with a single ancestor, so that a second party can raise the fee. */
const CARVE_OUT_BYTES = 10_000;
const CARVE_OUT_ANCESTORS = 2;

/**
 * The unconfirmed ancestors of a transaction that is about to enter.
 * @throws {TxInvalid} too-long-mempool-chain
 * @see docs/protocol/chain.md 5.3
 */
export function ancestorsWithinLimits(
  tx: Pick<Transaction, 'vin'>,
  vsize: number,
  pool: Pick<Pool, 'parentsOf'>,
  limits: ChainLimits,
): Set<MempoolEntry> {
  const found = findAncestors(tx, vsize, pool, limits);
  if (typeof found !== 'string') return found;
  const widened = {
    ...limits,
    ancestorCount: CARVE_OUT_ANCESTORS,
    descendantCount: limits.descendantCount + 1,
    descendantBytes: limits.descendantBytes + CARVE_OUT_BYTES,
  };
  const carved = vsize <= CARVE_OUT_BYTES ? findAncestors(tx, vsize, pool, widened) : found;
  if (typeof carved === 'string') throw new TxInvalid('too-long-mempool-chain', found);
  return carved;
}

/** @returns the ancestors, or a description of the first limit that is exceeded */
function findAncestors(
  tx: Pick<Transaction, 'vin'>,
  vsize: number,
  pool: Pick<Pool, 'parentsOf'>,
  { ancestorCount, ancestorBytes, descendantCount, descendantBytes }: ChainLimits,
): Set<MempoolEntry> | string {
  const found = new Set<MempoolEntry>();
  const waiting = pool.parentsOf(tx);
  let size = vsize;
  if (waiting.size + 1 > ancestorCount) return `too many unconfirmed parents [limit: ${ancestorCount}]`;
  while (waiting.size > 0) {
    const next = lowestTxid(waiting);
    waiting.delete(next);
    found.add(next);
    size += next.vsize;
    const txid = formatHash(next.tx.txid);
    if (next.descendants.size + vsize > descendantBytes) return `exceeds descendant size limit for tx ${txid} [limit: ${descendantBytes}]`;
    if (next.descendants.count + 1 > descendantCount) return `too many descendants for tx ${txid} [limit: ${descendantCount}]`;
    if (size > ancestorBytes) return `exceeds ancestor size limit [limit: ${ancestorBytes}]`;
    for (const parent of next.parents) {
      if (!found.has(parent)) waiting.add(parent);
      if (waiting.size + found.size + 1 > ancestorCount) return `too many unconfirmed ancestors [limit: ${ancestorCount}]`;
    }
  }
  return found;
}

/** The next entry in the order of `defid`, which decides the limit that is named if several are exceeded. */
function lowestTxid(entries: ReadonlySet<MempoolEntry>): MempoolEntry {
  return [...entries].reduce((lowest, entry) => (entry.key < lowest.key ? entry : lowest));
}
