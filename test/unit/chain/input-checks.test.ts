import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Coin } from '../../../src/chain/coins.js';
import { checkBlockInputs } from '../../../src/chain/input-checks.js';
import { networkParams } from '../../../src/params/index.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { MemoryStore } from '../../../src/storage/memory.js';

const FAILURE = 'MintTokenTx: token 9 does not exist!';
const coin: Coin = { out: { value: 5n, scriptPubKey: new Uint8Array(0), tokenId: 0 }, height: 1, coinbase: false };

/** Reason for which a transaction with a message is refused that spends 5 satoshis. */
function reasonOf(type: string, paid: bigint, { dakota = 300, isFailing = true, found = [coin as Coin | undefined] } = {}) {
  const params = networkParams({ network: 'regtest', upgradeHeights: { amk: 1, dakota, grandCentral: dakota } });
  const input = { prevout: { txid: new Uint8Array(32).fill(1), vout: 0 }, scriptSig: new Uint8Array(0), sequence: 0xffffffff, witness: [] };
  const scriptPubKey = buildScript(Op.RETURN, Buffer.from(`DfTx${type}${'\0'.repeat(33)}`, 'latin1'));
  const tx = makeTransaction({ version: 4, vin: [input], vout: [{ value: paid, scriptPubKey, tokenId: 0 }], lockTime: 0 }, params.txFormat);
  let executions = 0;
  const execute = () => {
    executions++;
    return isFailing ? FAILURE : undefined;
  };
  try {
    const fee = checkBlockInputs(tx, found, { height: 200, params, view: new MemoryStore(), execute });
    return [String(fee), executions];
  } catch (error) {
    return [(error as { readonly reason: string }).reason, executions];
  }
}

test('the failure of a message that is tried before the inputs precedes faults of the inputs, but no missing one', () => {
  assert.deepEqual(reasonOf('M', 4n), ['1', 0]);
  assert.deepEqual(reasonOf('M', 6n), ['bad-txns-customtx', 1]);
  assert.deepEqual(reasonOf('M', 6n, { isFailing: false }), ['bad-txns-in-belowout', 1]);
  assert.deepEqual(reasonOf('M', 6n, { found: [undefined] }), ['bad-txns-inputs-missingorspent', 0]);
});

test('other messages, and those of later heights, are not tried then', () => {
  assert.deepEqual(reasonOf('R', 6n), ['bad-txns-in-belowout', 0]);
  assert.deepEqual(reasonOf('M', 6n, { dakota: 200 }), ['bad-txns-in-belowout', 0]);
  assert.deepEqual(reasonOf('m', 6n, { dakota: 200 }), ['bad-txns-customtx', 1]);
});
