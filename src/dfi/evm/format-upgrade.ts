import { restBytes, u8 } from '../../primitives/codec.js';
import { StoreDamaged } from '../../storage/errors.js';
import type { Migration } from '../../storage/version.js';
import type { Column } from '../../storage/view.js';

/** Tip of the ledger that versions with format 2 kept in place of the state of the EVM, under the one key 0. */
const ledgerTips: Column<number, Uint8Array> = { name: 'dfi/evm-tip', key: u8, value: restBytes };

/** Format 2 kept a ledger of transfers where the EVM is on. The state of contracts cannot be derived from it. */
export const refuseLedger: Migration = {
  from: 2,
  run(store) {
    if (store.get(ledgerTips, 0) === undefined) return;
    throw new StoreDamaged(
      'the database was written by a version that did not execute EVM transactions; start with -reindex to build the database again',
    );
  },
};
