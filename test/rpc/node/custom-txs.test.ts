import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountToUtxos, anyAccountsToAccounts } from '../../../src/dfi/accounts/transactions.js';
import type { DefinedTx } from '../../../src/dfi/context/custom-tx.js';
import { customTxs } from '../../../src/dfi/execution/registry.js';
import { setGovVariable } from '../../../src/dfi/governance/transactions.js';
import { submitDfcHtlc } from '../../../src/dfi/icx/htlc-transactions.js';
import { setCollateralToken } from '../../../src/dfi/loan-tokens/transactions.js';
import { createMasternode } from '../../../src/dfi/masternodes/transactions.js';
import { setOracleData } from '../../../src/dfi/oracles/transactions.js';
import { burnToken, createToken, mintToken } from '../../../src/dfi/tokens/transactions.js';
import { updateToken } from '../../../src/dfi/tokens/updates.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { customTxJson } from '../../../src/services/format/custom-tx-json/index.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { dataScript, dfi, legacyScript, script } from '../../unit/dfi/fixture.js';
import { startServices } from '../service-node.js';

const regtest = networkParams({ network: 'regtest' });
const ADDRESS_1 = 'mfcGAzvis9JQAb6avB6WBGiGrgWzLxuGaC';
const ADDRESS_2 = 'mfha3wmTvGAYZ4iZ7nDdXdDDrNSGjLwRxV';
const DATA_VALUE = 0n;

function transaction(scriptPubKey: Uint8Array, more: readonly TxOut[] = []): Transaction {
  const input = { prevout: { txid: new Uint8Array(32).fill(7), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] };
  const vout = [dfi(DATA_VALUE, scriptPubKey), ...more];
  return makeTransaction({ version: 4, vin: [input], vout, lockTime: 0 }, regtest.txFormat);
}

function carrying<Body>(definition: DefinedTx<Body>, body: Body, more: readonly TxOut[] = []): Transaction {
  assert.ok(definition.codec);
  return transaction(dataScript(definition.type, encode(definition.codec, body)), more);
}

test('every type with a message has a JSON form', () => {
  const shown = new Set(customTxJson.map(({ type }) => type));
  assert.equal(shown.size, customTxJson.length);
  const missing = customTxs.filter(({ type, codec }) => codec && !shown.has(type)).map(({ name }) => name);
  assert.deepEqual(missing, []);
});

const amounts = [
  { tokenId: 0, amount: 150_000_000n },
  { tokenId: 128, amount: 1n },
];
const messages: readonly { readonly name: string; readonly tx: Transaction; readonly results: string }[] = [
  {
    name: 'an unknown key type is shown as a witness key',
    tx: carrying(createMasternode, { operatorType: 9, operatorKey: new Uint8Array(20).fill(1), timelock: 520 }),
    results:
      '{"collateralamount":2.00000000,"masternodeoperator":"bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t","timelock":"TENYEARTIMELOCK"}',
  },
  {
    name: 'amounts by token, then the recipient',
    tx: carrying(mintToken, { balances: amounts, to: legacyScript(1) }),
    results: `{"0":1.50000000,"128":0.00000001,"to":"${ADDRESS_1}"}`,
  },
  {
    name: 'a burn without a context',
    tx: carrying(burnToken, { amounts, from: legacyScript(1), burnType: 1, context: undefined }),
    results: `{"0":1.50000000,"128":0.00000001,"from":"${ADDRESS_1}","type":"Unexpected"}`,
  },
  {
    name: 'outputs from the first minted one on',
    tx: carrying(accountToUtxos, { from: legacyScript(1), balances: [], mintingOutputsStart: 2 }, [
      dfi(5n, legacyScript(1)),
      dfi(6n, legacyScript(2)),
    ]),
    results: `{"from":"${ADDRESS_1}","to":{"${ADDRESS_2}":"0.00000006@0"}}`,
  },
  {
    name: 'balances as text by owner, scripts without an address in hex',
    tx: carrying(anyAccountsToAccounts, {
      from: [{ owner: Uint8Array.of(0x51), balances: amounts }],
      to: [{ owner: legacyScript(2), balances: amounts }],
    }),
    results: `{"from":{"51":"1.50000000@0,0.00000001@128"},"to":{"${ADDRESS_2}":"1.50000000@0,0.00000001@128"}}`,
  },
  {
    name: 'prices by token and currency',
    tx: carrying(setOracleData, {
      oracleId: new Uint8Array(32).fill(3),
      timestamp: 1_600_000_000n,
      prices: [{ token: 'TSLA', currency: 'USD', price: 87_000_000_000n }],
    }),
    results: `{"oracleId":"${'03'.repeat(32)}","timestamp":1600000000,"tokenPrices":[{"currency":"USD","tokenAmount":"870.00000000@TSLA"}]}`,
  },
  {
    name: 'a height of 32 bits is shown with a sign',
    tx: carrying(setCollateralToken, {
      tokenId: 79,
      factor: 100_000_000n,
      pair: { token: 'BTC', currency: 'USD' },
      activateAfterBlock: 2 ** 31,
    }),
    results: '{"factor":1.00000000,"fixedIntervalPriceId":"BTC/USD","activateAfterBlock":-2147483648}',
  },
  {
    name: 'a timeout of 32 bits is shown with a sign',
    tx: carrying(submitDfcHtlc, { offerTx: new Uint8Array(32), amount: 1n, hash: new Uint8Array(32), timeout: 0xff0005a0 }),
    results: `{"type":"DFC","offerTx":"${'0'.repeat(64)}","amount":0.00000001,"hash":"${'0'.repeat(64)}","timeout":-16775776}`,
  },
  {
    name: 'variables by name, the last one first, unknown ones left out',
    tx: carrying(setGovVariable, [
      { name: 'ORACLE_DEVIATION', value: 4_000_000n },
      { name: 'LP_SPLITS', value: [{ pool: 4, share: 100_000_000n }] },
      { name: 'NOTHING' },
    ]),
    results: '{"LP_SPLITS":{"4":1.00000000},"ORACLE_DEVIATION":0.04000000}',
  },
  {
    name: 'of the two variables with one bucket, the later one directly before the earlier one',
    tx: carrying(setGovVariable, [
      { name: 'ICX_TAKERFEE_PER_BTC', value: 7n },
      { name: 'ORACLE_DEVIATION', value: 3n },
      { name: 'LP_DAILY_LOAN_TOKEN_REWARD', value: 9n },
      { name: 'LP_DAILY_DFI_REWARD', value: 100n },
    ]),
    results:
      '{"LP_DAILY_DFI_REWARD":0.00000100,"ORACLE_DEVIATION":0.00000003,' +
      '"LP_DAILY_LOAN_TOKEN_REWARD":0.00000009,"ICX_TAKERFEE_PER_BTC":0.00000007}',
  },
];

for (const { name, tx, results } of messages) {
  test(`decodecustomtx: ${name}`, async () => {
    const { ask } = startServices(regtest);
    const answer = await ask('decodecustomtx', JSON.stringify([toHex(tx.raw)]));
    assert.equal(answer.slice(answer.indexOf('"results":') + 10, -1), results);
    assert.match(answer, new RegExp(`^{"txid":"${formatHash(tx.txid)}","type":"[A-Za-z]+","valid":true,`));
  });
}

test('decodecustomtx: undecodable, obsolete, no, and unknown custom transactions', async () => {
  const { ask } = startServices(regtest);
  const decoded = async (tx: Transaction) => ask('decodecustomtx', JSON.stringify([toHex(tx.raw), true]));
  const token = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: 0 };
  const whole = encode(createToken.codec as NonNullable<typeof createToken.codec>, token);
  const answer = (tx: Transaction, type: string, error: string) =>
    `{"txid":"${formatHash(tx.txid)}","type":"${type}","valid":false,"error":"${error}"}`;
  const longer = transaction(dataScript('T', Uint8Array.of(...whole, 0)));
  assert.equal(await decoded(longer), answer(longer, 'CreateToken', 'deserialization failed: excess 1 bytes'));
  const cut = transaction(dataScript('T', whole.subarray(0, -1)));
  assert.equal(await decoded(cut), answer(cut, 'CreateToken', 'CDataStream::read(): end of data: iostream error'));
  const old = carrying(updateToken, { tokenTx: new Uint8Array(32), isDat: true });
  assert.equal(await decoded(old), answer(old, 'UpdateToken', 'called after Bayfront height'));
  const unknown = transaction(dataScript('~', EMPTY_BYTES));
  assert.equal(await decoded(unknown), `{"txid":"${formatHash(unknown.txid)}","type":"Reject","valid":true,"results":{}}`);
  assert.equal(await decoded(transaction(script(1))), '"Not a custom transaction"');
  assert.equal(await ask('decodecustomtx', '["00"]'), '-22 TX decode failed');
});

test('getcustomtx: in the genesis block, a coinbase, no custom transaction, a block without it', async () => {
  const { ask, chain } = startServices(regtest, { operate: [0] });
  const [, masternode] = chain.params.genesis.transactions;
  const genesis = chain.params.genesis.transactions.find(({ vout }) => vout.length === 2) ?? masternode;
  assert.ok(genesis);
  const place = `"blockhash":"${formatHash(chain.genesis.hash)}","blockHeight":0,"blockTime":1579045065,"confirmations":1`;
  const results = '"collateralamount":10.00000000,"masternodeoperator":"mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy","timelock":"NONE"';
  assert.equal(
    await ask('getcustomtx', JSON.stringify([formatHash(genesis.txid)])),
    `{"type":"CreateMasternode","valid":true,"results":{${results}},${place}}`,
  );
  const address = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
  await ask('generatetoaddress', `[1, "${address}"]`);
  const [coinbase] = chain.block(chain.tip)?.transactions ?? [];
  assert.ok(coinbase);
  const named = JSON.stringify([formatHash(coinbase.txid), formatHash(chain.tip.hash)]);
  assert.equal(await ask('getcustomtx', named), '"Coinbase transaction. Not a custom transaction."');
  const missing = JSON.stringify(['ab'.repeat(32), formatHash(chain.tip.hash)]);
  assert.equal(await ask('getcustomtx', missing), '-5 No such transaction found in the provided block.');
  assert.equal(await ask('getcustomtx', `["${'ab'.repeat(32)}"]`), '-5 No such mempool, wallet or blockchain transaction.');
  assert.equal(await ask('getcustomtx', '["ab"]'), `-8 txid must be of length 64 (not 2, for 'ab')`);
});
