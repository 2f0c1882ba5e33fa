import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureConsequenceOf } from '../../../../src/dfi/execution/input-trial.js';
import { networkParams } from '../../../../src/params/index.js';
import { makeTransaction } from '../../../../src/primitives/transaction.js';
import { customTxScript } from '../../../../src/script/custom-tx.js';

const heights = { dakota: 100, grandCentral: 200, metachain: 300 };
const params = networkParams({ network: 'regtest', upgradeHeights: heights });

const cases = [
  { name: 'minting before Dakota', type: 'M', height: 99, expected: 'fatal' },
  { name: 'minting from Dakota on', type: 'M', height: 100, expected: undefined },
  { name: 'an account paid out before Dakota', type: 'b', height: 99, expected: 'fatal' },
  { name: 'an update of a masternode before Grand Central', type: 'm', height: 199, expected: undefined },
  { name: 'an update of a masternode from Grand Central on', type: 'm', height: 200, expected: 'fatal' },
  { name: 'an update of a masternode from Metachain on', type: 'm', height: 300, expected: undefined },
  { name: 'any other message', type: 'B', height: 99, expected: undefined },
];
for (const { name, type, height, expected } of cases) {
  test(`message tried before the inputs: ${name}`, () => assert.equal(failureConsequenceOf(messageOf(type), height, params), expected));
}

test('before Dakota a failed masternode update is harmless', () => {
  const early = networkParams({ network: 'regtest', upgradeHeights: { grandCentral: 200 } });
  assert.equal(failureConsequenceOf(messageOf('m'), 200, early), 'harmless');
});

function messageOf(type: string) {
  const vout = [{ value: 0n, scriptPubKey: customTxScript({ type, body: new Uint8Array(2) }), tokenId: 0 }];
  return makeTransaction({ version: 4, vin: [], vout, lockTime: 0 }, params.txFormat);
}
