import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseLedger } from '../../../../src/dfi/evm/format-upgrade.js';
import { encode, u32 } from '../../../../src/primitives/codec.js';
import { StoreDamaged } from '../../../../src/storage/errors.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { checkVersion, meta } from '../../../../src/storage/version.js';
import { fromHex } from '../../../../src/util/bytes.js';

/** Store of format 2. */
function oldStore(): MemoryStore {
  const store = new MemoryStore();
  store.write([{ column: meta.name, key: encode(meta.key, 'version'), value: encode(u32, 2) }]);
  return store;
}

test('a database without an EVM is taken over as it is', async () => {
  const store = oldStore();
  await checkVersion(store, [refuseLedger], 3);
  assert.equal(store.get(meta, 'version'), 3);
});

test('a database with the ledger of earlier versions is refused, and stays as it is', async () => {
  const store = oldStore();
  store.write([{ column: 'dfi/evm-tip', key: fromHex('00'), value: fromHex(`05000000${'01'.repeat(64)}`) }]);
  await assert.rejects(checkVersion(store, [refuseLedger], 3), (error) => error instanceof StoreDamaged && /-reindex/.test(error.message));
  assert.equal(store.get(meta, 'version'), 2);
});
