import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawChange } from '../../../../src/storage/view.js';
import { Keys } from '../../../../src/wallet/keys/keys.js';
import * as records from '../../../../src/wallet/store/records.js';
import { WalletStore } from '../../../../src/wallet/store/store.js';

const NOW = 2_000_000_000;
const SCRIPT = Uint8Array.of(0x51);

/** Keys of a wallet with a private key of second 1,000 and a watched script of second 500, without the rows of a column. */
function reloaded(without?: string): Keys {
  const written: RawChange[] = [];
  const store = new WalletStore({ rows: () => [], write: (rows) => void written.push(...rows) });
  const keys = new Keys(store);
  keys.addPrivateKey({ secret: new Uint8Array(32).fill(1), compressed: true }, { createdAt: 1_000, origin: undefined, seedId: undefined });
  keys.addWatched(SCRIPT, 500);
  store.commit();
  const rows = (name: string) =>
    written.flatMap(({ column, key, value }) => (column === name && column !== without && value ? { key, value } : []));
  return new Keys(new WalletStore({ rows, write: () => {} }));
}

test('birthday: the earliest time of a key or script, or 1 if one has no metadata', () => {
  assert.equal(reloaded().birthday(NOW), 500);
  assert.equal(reloaded(records.keyMetadata.name).birthday(NOW), 1);
  assert.equal(reloaded(records.scriptMetadata.name).birthday(NOW), 1);
  assert.equal(reloaded(records.watched.name).birthday(NOW), 500);
});
