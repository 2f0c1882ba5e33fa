import type { Hash256 } from '../primitives/hash.js';
import type { WritableView } from '../storage/view.js';
import { BalanceChanges, type BlockHistory } from './history.js';
import { Accounts } from './state/accounts.js';

/** Changes of balances that the history shows under numbers of block events, wherever they were made. They wait until it is sure that they stand. */
export class EventRecords {
  readonly #records: { readonly changes: BalanceChanges; readonly category: number; readonly txid: Hash256 }[] = [];

  change(view: WritableView, writer: { readonly category: number; readonly txid: Hash256 }, change: (accounts: Accounts) => void): void {
    const changes = new BalanceChanges();
    change(new Accounts(view, changes));
    this.#records.push({ changes, ...writer });
  }

  addTo(history: BlockHistory): void {
    for (const { changes, category, txid } of this.#records) history.add(changes, { category, txid, txn: history.takeEventTxn() });
  }
}
