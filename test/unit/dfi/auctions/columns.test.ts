import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auctionOf, auctions } from '../../../../src/dfi/auctions/columns.js';
import { equalBytes } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { emptyState } from '../governance-context.js';

test('the auction of a vault is the first that a walk over all would find', () => {
  const vaultId = fc.nat({ max: 6 }).map((n) => Buffer.alloc(32, n));
  const key = fc.record({ height: fc.nat({ max: 12 }), vaultId });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 20 }), key, (keys, { height, vaultId: wanted }) => {
      const view = emptyState();
      for (const [batchCount, each] of keys.entries()) view.put(auctions, each, { batchCount, penalty: 0n });
      const range = { from: { height, vaultId: wanted } };
      const walked = [...view.entries(auctions, range)].find(([each]) => equalBytes(each.vaultId, wanted));
      assert.deepEqual(auctionOf(view, wanted, height), walked);
    }),
  );
});
