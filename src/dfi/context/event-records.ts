import type { Hash256 } from '../../primitives/hash.js';
import type { WritableView } from '../../storage/view.js';
import { Accounts } from '../accounts/columns.js';
import { BalanceChanges, type BlockHistory, type OwnerChange } from './history.js';
import type { VaultChange } from './vault-history.js';

/** Origin of a change in its history entry. */
interface EventWriter {
  readonly category: number;
  readonly txid: Hash256;
  /** Height in the history entry; the block's by default. */
  readonly height?: number;
}

/** Change of balances, or of a vault, that is recorded under a number. */
type EventRecord =
  | { readonly writer: EventWriter; readonly owners: readonly OwnerChange[] }
  | { readonly writer: EventWriter; readonly vault: VaultChange };

/** Changes to be recorded in the history under event numbers, though a transaction may make them. Kept until {@link addTo}. */
export class EventRecords {
  readonly #records: EventRecord[] = [];

  /** Changes balances. A change that throws leaves no history entry, but uses up its number. */
  change(view: WritableView, writer: EventWriter, change: (accounts: Accounts) => void): void {
    const number = this.#records.push({ writer, owners: [] }) - 1;
    const changes = new BalanceChanges();
    change(new Accounts(view, changes));
    this.#records[number] = { writer, owners: [...changes.entries()] };
  }

  /** Records a change for the history of vaults only. It uses up a number even if that history is not kept. */
  vaultChange(change: VaultChange, writer: EventWriter): void {
    this.#records.push({ writer, vault: change });
  }

  /** Writes the records in the order in which they were made, each under the next event number. */
  addTo(history: BlockHistory): void {
    for (const record of this.#records) {
      const writer = { ...record.writer, txn: history.takeEventTxn() };
      if ('vault' in record) history.vaults?.addChange(record.vault, writer);
      else history.add(record.owners, writer);
    }
  }
}
