import type { Hash256 } from '../../primitives/hash.js';
import type { WritableView } from '../../storage/view.js';
import { Accounts } from '../accounts/columns.js';
import { BalanceChanges, type BlockHistory } from './history.js';
import type { VaultChange } from './vault-history.js';

/** Origin of a change in its history entry. */
interface EventWriter {
  readonly category: number;
  readonly txid: Hash256;
  /** Height in the history entry; the block's by default. */
  readonly height?: number;
}

/** Changes to be recorded in the history under event numbers, though a transaction may make them. Kept until {@link addTo}. */
export class EventRecords {
  readonly #records: ((history: BlockHistory, txn: number) => void)[] = [];

  /** Changes balances. A change that throws leaves no history entry, but uses up its number. */
  change(view: WritableView, writer: EventWriter, change: (accounts: Accounts) => void): void {
    let done = new BalanceChanges();
    this.#records.push((history, txn) => history.add(done, { ...writer, txn }));
    const changes = new BalanceChanges();
    change(new Accounts(view, changes));
    done = changes;
  }

  /** Records a change for the history of vaults only. It uses up a number even if that history is not kept. */
  vaultChange(change: VaultChange, writer: EventWriter): void {
    this.#records.push((history, txn) => history.vaults?.addChange(change, { ...writer, txn }));
  }

  /** Writes the records in the order in which they were made, each under the next event number. */
  addTo(history: BlockHistory): void {
    for (const record of this.#records) record(history, history.takeEventTxn());
  }
}
