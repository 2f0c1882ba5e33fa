import { carriedTransaction } from '../../../src/dfi/evm/carried.js';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import type { ServingNode } from './serving-node.js';

/** Adds a DVM transaction with an EVM transaction to the mempool. @param time seconds since 1970 */
export function pooled(node: ServingNode, tx: Transaction, time = 1): MempoolEntry {
  const facts = { tx, fee: 0n, vsize: 100, sigOpsCost: 0, time, height: 1, spendsCoinbase: false };
  const carried = carriedTransaction(tx);
  return node.pool.add({ ...facts, evm: carried && { ...carried, tip: 0n, replacementTip: 0n } });
}

/** Hash of the EVM transaction. */
export function hashOf(entry: MempoolEntry): string {
  return `0x${Buffer.from(entry.evm?.signed.hash ?? []).toString('hex')}`;
}
