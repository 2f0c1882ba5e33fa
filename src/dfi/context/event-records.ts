import type { Hash256 } from '../../primitives/hash.js';
import type { WritableView } from '../../storage/view.js';
import { Accounts } from '../accounts/columns.js';
import { BalanceChanges, type BlockHistory } from './history.js';
import type { VaultChange } from './vault-notes.js';

/** Who changes something, as the history shows it. */
interface EventWriter {
  readonly category: number;
  readonly txid: Hash256;
  /** By default that of the block. */
  readonly height?: number;
}

/** Changes that the history shows under numbers of block events, wherever they were made. They wait until the event is over. */
export class EventRecords {
  readonly #records: ((history: BlockHistory, txn: number) => void)[] = [];

  /** A change that fails shows nothing, but uses up its number. */
  change(view: WritableView, writer: EventWriter, change: (accounts: Accounts) => void): void {
    let done = new BalanceChanges();
    this.#records.push((history, txn) => history.add(done, { ...writer, txn }));
    const changes = new BalanceChanges();
    change(new Accounts(view, changes));
    done = changes;
  }

  /** Of what only the history of vaults shows. It has its number where that is not kept, too. */
  vaultChange(change: VaultChange, writer: EventWriter): void {
    this.#records.push((history, txn) => history.vaults?.addChange(change, { ...writer, txn }));
  }

  addTo(history: BlockHistory): void {
    for (const record of this.#records) record(history, history.takeEventTxn());
  }
}
