import type { EntryFacts, MempoolEntry } from '../../../src/mempool/entry.js';
import { Pool } from '../../../src/mempool/pool.js';
import type { SelectionContext, SelectionOptions } from '../../../src/minting/selection.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';

const SCRIPT = Uint8Array.of(0x51);

export interface Wish extends Partial<Omit<EntryFacts, 'tx'>> {
  readonly parents?: readonly MempoolEntry[];
  readonly lockTime?: number;
  readonly witness?: readonly Uint8Array[];
  /** Padding, bytes. */
  readonly padding?: number;
}

/** A pool of transactions that are not validated. */
export class MadeUpPool {
  readonly pool = new Pool();
  #unique = 0;

  /** Adds a transaction that spends a coin of its own and an output of each parent. */
  add({ parents = [], lockTime = 0, witness = [], padding = 0, ...facts }: Wish = {}): MempoolEntry {
    const inputs = parents.map(({ tx }) => ({ txid: tx.txid, vout: this.#freeOutput(tx) }));
    const vin = [this.#coin(), ...inputs].map((prevout) => ({ prevout, scriptSig: new Uint8Array(0), sequence: 0, witness }));
    const vout = Array.from({ length: 8 }, (_, i) => ({
      value: 1_000n,
      scriptPubKey: i === 0 && padding > 0 ? new Uint8Array(padding) : SCRIPT,
      tokenId: 0,
    }));
    const tx = makeTransaction({ version: 2, vin, vout, lockTime }, { tokenIds: true });
    const vsize = tx.strippedSize;
    return this.pool.add({ tx, fee: 1_000n, vsize, sigOpsCost: 4, time: 10, height: 5, spendsCoinbase: false, ...facts });
  }

  #freeOutput({ txid, vout }: Transaction): number {
    return vout.findIndex((_, i) => !this.pool.spender({ txid, vout: i }));
  }

  #coin(): OutPoint {
    this.#unique += 1;
    const txid = new Uint8Array(32);
    new DataView(txid.buffer).setUint32(0, this.#unique);
    return { txid, vout: 0 };
  }
}

export const OPTIONS: SelectionOptions = { order: 'fee', maxWeight: 63_996_000, minFeeRate: 1n };
export const AT: SelectionContext = {
  height: 100,
  lockTimeCutoff: 1_600_000_000,
  witness: true,
  tiesByTime: false,
  trial: { accepts: () => true },
};
