import { TxInvalid } from '../consensus/errors.js';
import { formatMoney } from '../consensus/transaction.js';
import { formatAmount } from '../primitives/amount.js';
import { formatHash } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import { SEQUENCE_REPLACEABLE } from '../primitives/transaction.js';
import { toHex } from '../util/bytes.js';
import type { MempoolEntry } from './entry.js';
import { feeForSize, feeRateOf } from './fee-rate.js';
import type { Pool } from './pool.js';

/** Maximum number of transactions that one replacement may evict. */
const MAX_REPLACED = 100;

/** True if the transaction itself signals BIP125. */
export function signalsReplaceable(tx: Pick<Transaction, 'vin'>): boolean {
  return tx.vin.some(({ sequence }) => sequence <= SEQUENCE_REPLACEABLE);
}

/** True if the transaction or an unconfirmed ancestor signals BIP125. */
export function isReplaceable(entry: MempoolEntry): boolean {
  return signalsReplaceable(entry.tx) || [...entry.allAncestors()].some((ancestor) => signalsReplaceable(ancestor.tx));
}

/** A transaction that conflicts with pooled ones. */
export interface Replacement {
  readonly tx: Transaction;
  readonly vsize: number;
  /** Satoshis, with the delta of prioritisation. */
  readonly modifiedFee: bigint;
  /** Entries that share an input with it. */
  readonly conflicts: ReadonlySet<MempoolEntry>;
}

/**
 * Checks the replacement rules of BIP125.
 * @returns the entries to evict: the conflicting ones and their descendants
 * @throws {TxInvalid} in the order of docs/protocol/chain.md 5.4
 * @see BIP125
 */
export function checkReplacement(
  { tx, vsize, modifiedFee, conflicts }: Replacement,
  pool: Pick<Pool, 'get'>,
  incrementalRelayFeeRate: bigint,
): Set<MempoolEntry> {
  const rejecting = `rejecting replacement ${formatHash(tx.txid)}`;
  const rate = feeRateOf(modifiedFee, vsize);
  const knownParents = new Set<string>();
  let count = 0;
  for (const conflict of conflicts) {
    const replaced = feeRateOf(conflict.modifiedFee, conflict.vsize);
    if (rate <= replaced) {
      throw new TxInvalid('insufficient fee', `${rejecting}; new feerate ${formatRate(rate)} <= old feerate ${formatRate(replaced)}`);
    }
    for (const { prevout } of conflict.tx.vin) knownParents.add(toHex(prevout.txid));
    count += conflict.descendants.count;
  }
  if (count > MAX_REPLACED) {
    const debug = `${rejecting}; too many potential replacements (${count} > ${MAX_REPLACED})\n`;
    throw new TxInvalid('too many potential replacements', debug);
  }
  const leaving = withDescendants(conflicts);
  checkNoNewParents(tx, knownParents, pool);
  checkFees(rejecting, modifiedFee, leaving, feeForSize(incrementalRelayFeeRate, vsize));
  return leaving;
}

function withDescendants(conflicts: ReadonlySet<MempoolEntry>): Set<MempoolEntry> {
  const all = new Set(conflicts);
  for (const conflict of conflicts) for (const descendant of conflict.allDescendants()) all.add(descendant);
  return all;
}

/** A new unconfirmed parent of low fee rate could make the replacement less attractive to miners than the replaced transactions. */
function checkNoNewParents(tx: Transaction, knownParents: ReadonlySet<string>, pool: Pick<Pool, 'get'>): void {
  tx.vin.forEach(({ prevout }, i) => {
    if (knownParents.has(toHex(prevout.txid)) || !pool.get(prevout.txid)) return;
    throw new TxInvalid('replacement-adds-unconfirmed', `replacement ${formatHash(tx.txid)} adds unconfirmed input, idx ${i}`);
  });
}

function checkFees(rejecting: string, fee: bigint, leaving: ReadonlySet<MempoolEntry>, relayCost: bigint): void {
  let replaced = 0n;
  for (const entry of leaving) replaced += entry.modifiedFee;
  if (fee < replaced) {
    const debug = `${rejecting}, less fees than conflicting txs; ${formatMoney(fee)} < ${formatMoney(replaced)}`;
    throw new TxInvalid('insufficient fee', debug);
  }
  const more = fee - replaced;
  if (more < relayCost) {
    const debug = `${rejecting}, not enough additional fees to relay; ${formatMoney(more)} < ${formatMoney(relayCost)}`;
    throw new TxInvalid('insufficient fee', debug);
  }
}

function formatRate(rate: bigint): string {
  return `${formatAmount(rate)} DFI/kB`;
}
