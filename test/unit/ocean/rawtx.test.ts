import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompositeSwap, compositeSwap } from '../../../src/dfi/pools/swap-transactions.js';
import { networkParams } from '../../../src/params/index.js';
import { type Codec, encode } from '../../../src/primitives/codec.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { customTxScript } from '../../../src/script/custom-tx.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { type FakeOperations, oceanNode } from './ask.js';

const TXID = 'ab'.repeat(32);
const HEX = '0011';

/** Constraints of each field that the answer names. */
async function faultsOf(body: string) {
  const answer = await oceanNode({})('rawtx/send', body);
  assert.equal(answer.status, 422);
  return (answer.body.error as { validation?: { properties: unknown } }).validation?.properties;
}

/** Message of a refusal, with its status. */
async function refusalOf(operations: FakeOperations, path: string, body?: string) {
  const answer = await oceanNode(operations)(path, body);
  return [answer.status, answer.body.error?.message];
}

test('a transaction is sent with the limit of the fee rate, its digits unchanged', async () => {
  const asked: string[] = [];
  const ask = oceanNode({
    sendrawtransaction: (params) => {
      asked.push(params);
      return `"${TXID}"`;
    },
  });
  assert.deepEqual((await ask('rawtx/send', `{"hex":"${HEX}"}`)).body, { data: TXID });
  await ask('rawtx/send', `{"hex":"${HEX}","maxFeeRate":0.50}`);
  await ask('rawtx/send', `{"hex":"${HEX}","maxFeeRate":0}`);
  assert.deepEqual(asked, [`["${HEX}",{"text":"0.1"}]`, `["${HEX}",{"text":"0.50"}]`, `["${HEX}",{"text":"0"}]`]);
});

test('refusals have the texts that wallets know', async () => {
  const refused = (message: string, code = -26) => ({ sendrawtransaction: { code, message } });
  const send = (operations: FakeOperations) => refusalOf(operations, 'rawtx/send', `{"hex":"${HEX}"}`);
  assert.deepEqual(await send(refused('TX decode failed', -22)), [400, 'Transaction decode failed']);
  assert.deepEqual(await send(refused('absurdly-high-fee, 100000000 > 11100000 (code 256)')), [400, 'Absurdly high fee']);
  assert.deepEqual(await send(refused('Missing inputs', -25)), [400, 'Missing inputs']);
});

test('a test of a transaction answers nothing, or a refusal', async () => {
  const tested = (answer: string) => ({ testmempoolaccept: answer });
  const body = `{"hex":"${HEX}"}`;
  assert.deepEqual((await oceanNode(tested('[{"txid":"00","allowed":true}]'))('rawtx/test', body)).body, {});
  const not = tested('[{"txid":"00","allowed":false,"reject-reason":"x"}]');
  assert.deepEqual(await refusalOf(not, 'rawtx/test', body), [400, 'Transaction is not allowed to be inserted']);
  const malformed = { testmempoolaccept: { code: -22, message: 'TX decode failed' } };
  assert.deepEqual(await refusalOf(malformed, 'rawtx/test', body), [400, 'Transaction decode failed']);
});

test('fields of the body are validated', async () => {
  const notHex = 'hex must be a hexadecimal number';
  const empty = 'hex should not be empty';
  assert.deepEqual(await faultsOf('{"hex":""}'), [{ property: 'hex', value: '', constraints: [notHex, empty] }]);
  assert.deepEqual(await faultsOf('{}'), [{ property: 'hex', constraints: [notHex, empty] }]);
  const negative = 'maxFeeRate must not be less than 0';
  assert.deepEqual(await faultsOf('{"hex":"zz","maxFeeRate":-1.5}'), [
    { property: 'hex', value: 'zz', constraints: [notHex] },
    { property: 'maxFeeRate', value: -1.5, constraints: [negative] },
  ]);
  assert.deepEqual(await faultsOf(`{"hex":"${HEX}","maxFeeRate":"a"}`), [
    { property: 'maxFeeRate', value: 'a', constraints: [negative, 'maxFeeRate must be a number conforming to the specified constraints'] },
  ]);
});

test('a transaction is shown as hex, or as the operation describes it', async () => {
  const ask = oceanNode({ getrawtransaction: (params) => (params === `["${TXID}",true]` ? '{"size":7}' : `"${HEX}"`) });
  assert.deepEqual((await ask(`rawtx/${TXID}`)).body, { data: HEX });
  assert.deepEqual((await ask(`rawtx/${TXID}?verbose=true`)).body, { data: { size: 7 } });
  assert.equal((await ask(`rawtx/${TXID}?verbose=1`)).body.error?.message, 'Validation failed (boolean string is expected)');
  const unknown = { getrawtransaction: { code: -5, message: 'No such mempool or blockchain transaction.' } };
  assert.deepEqual(await refusalOf(unknown, `rawtx/${TXID}`), [404, 'Transaction could not be found']);
  const malformed = { getrawtransaction: { code: -8, message: 'parameter 1 must be of length 64' } };
  assert.deepEqual(await refusalOf(malformed, 'rawtx/ab'), [400, 'parameter 1 must be of length 64']);
});

const SWAP: CompositeSwap = {
  from: Uint8Array.of(1),
  tokenFrom: 1,
  amountFrom: 10n,
  to: Uint8Array.of(1),
  tokenTo: 3,
  maxPrice: { integer: 1n, fraction: 0n },
  path: [5, 6],
};

/** Body of a request with a transaction of that message and `outputs` outputs. */
function swapBody(swap: CompositeSwap, outputs: number): string {
  const { txFormat } = networkParams({ network: 'regtest' });
  const body = encode(compositeSwap.codec as Codec<CompositeSwap>, swap);
  const first = { value: 0n, scriptPubKey: customTxScript({ type: 'i', body }), tokenId: 0 };
  const change = { value: 1n, scriptPubKey: Uint8Array.of(0x51), tokenId: 0 };
  const vin = [{ prevout: { txid: new Uint8Array(32), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [Uint8Array.of(1)] }];
  const vout = [first, ...Array.from({ length: outputs - 1 }, () => change)];
  return `{"hex":"${toHex(makeTransaction({ version: 4, vin, vout, lockTime: 0 }, txFormat).raw)}"}`;
}

const cases = [
  { name: 'the last pool has the token', swap: SWAP, outputs: 2, refused: false },
  { name: 'the last pool lacks the token', swap: { ...SWAP, tokenTo: 4 }, outputs: 2, refused: true },
  { name: 'the last pool does not exist', swap: { ...SWAP, path: [6, 7] }, outputs: 2, refused: true },
  { name: 'no pool is listed', swap: { ...SWAP, tokenTo: 4, path: [] }, outputs: 2, refused: false },
  { name: 'there is another number of outputs', swap: { ...SWAP, tokenTo: 4 }, outputs: 3, refused: false },
];
for (const { name, swap, outputs, refused } of cases)
  test(`a composite swap is ${refused ? 'refused' : 'sent'} if ${name}`, async () => {
    const getpoolpair = (params: string) =>
      params === '["6"]' ? '{"6":{"idTokenA":"2","idTokenB":"3"}}' : { code: -5, message: 'Pool not found' };
    const { status, body } = await oceanNode({ getpoolpair, sendrawtransaction: `"${TXID}"` })('rawtx/send', swapBody(swap, outputs));
    assert.deepEqual([status, body.error?.message ?? body.data], refused ? [400, 'Invalid CompositeSwap'] : [200, TXID]);
  });
