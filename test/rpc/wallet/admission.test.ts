import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitWalletCall } from '../../../src/services/wallet/wallets/admission.js';
import { committedCatalogue } from '../catalogue.js';
import { jsonRpcCall } from '../json-rpc-call.js';

const catalogue = committedCatalogue();
const REFUSED = 'Method not found (wallet method is disabled because no wallet is loaded)';

test('without wallets those operations are unknown that defid declares with its wallet; others are refused', () => {
  for (const [message, names] of [
    ['Method not found', ['getbalance', 'loadwallet', 'signrawtransactionwithwallet', 'walletcreatefundedpsbt']],
    [REFUSED, ['accounttoaccount', 'clearmempool', 'createvault', 'gettokenbalances', 'listpoolshares', 'setgov', 'setoracledata']],
  ] as const) {
    for (const name of names) {
      const op = catalogue.byName(name);
      assert.ok(op, name);
      assert.throws(() => admitWalletCall(op, jsonRpcCall, undefined), { kind: 'method-not-found', message }, name);
    }
  }
});

test('a caller that knows no wallets needs none', () => {
  const op = catalogue.byName('listgovproposalvotes');
  assert.ok(op?.wallet);
  assert.equal(admitWalletCall(op, { ...jsonRpcCall, anyWallet: true }, undefined), undefined);
});

test('operations that use no wallet need none', () => {
  const op = catalogue.byName('getblockcount');
  assert.ok(op);
  assert.equal(admitWalletCall(op, jsonRpcCall, undefined), undefined);
});
