import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../../src/params/index.js';
import { scriptOf } from '../../../../src/script/address.js';
import { fromHex } from '../../../../src/util/bytes.js';
import { authorise } from '../../../../src/wallet/custom-tx/auth.js';
import { Ownership } from '../../../../src/wallet/keys/ownership.js';

/** Script of the EVM address of the key 1. */
const EVM = scriptOf({ type: 'evm', hash: fromHex('7e5f4552091a69125d5dfcb7b8c2659029395bdf') });

/** Authorises as the owner of the EVM address, with a wallet without coins. */
function authoriseEvm(metachain: number | undefined, ownership: Ownership) {
  const params = networkParams({ network: 'regtest', upgradeHeights: metachain === undefined ? {} : { metachain } });
  const wallet = {
    deps: { chain: { params, state: undefined, tip: { height: 1 } } },
    keys: { impersonates: () => false },
    ownershipOf: () => ownership,
    unspent: { confirmedPaying: () => [], pendingTransactions: () => [] },
  };
  return authorise(wallet as never, { auths: [EVM] }, { add: () => assert.fail('there are no coins') } as never);
}

test('the key of an EVM address authorises', () =>
  assert.deepEqual(authoriseEvm(1, Ownership.Spendable), { scripts: [EVM], inputs: [], missing: [EVM] }));

test('a foreign EVM address is refused, and named as defid 4.2.5 does', () =>
  assert.throws(() => authoriseEvm(1, Ownership.Watched), {
    kind: 'invalid-address',
    message: 'Incorrect authorization for 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  }));

test('on a network that knows no EVM addresses the script is that of an unknown witness', () => {
  assert.deepEqual(authoriseEvm(undefined, Ownership.Spendable).missing, [EVM]);
  assert.throws(() => authoriseEvm(undefined, Ownership.None), {
    kind: 'invalid-address',
    message: 'Incorrect authorization for bcrt1smadnj2vsvhpt3dlut4w3y6g6p9fy2hm7wwwmhu',
  });
});
