import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Transaction } from 'ethers';
import { EthereumDaemon } from './ethereum-fixture.js';

const SECRET = 'af990cc3ba17e776f7f57fcc59942a82846d75833fa17d2ba59ce6858d886e23';
const SENDER = '0x9b8a4af42140d8a4c153a822f02571a1dd037e89';
const OTHER = '0x6c34cbb9219d8caa428835d2073e8ec88ba0a110';
const PAYMENT = { from: SENDER, to: OTHER, value: '0x1', gas: '0x5208', gasPrice: '0x2540be400', nonce: '0x0' };
const NO_KEY = { code: -32001, message: 'Custom error: Error parsing SecretKey Invalid secret key' };
let node: EthereumDaemon;

before(async () => {
  node = await EthereumDaemon.start();
  await node.ask('importprivkey', SECRET);
  await node.fund(SENDER, 1);
});

after(() => node?.stop());

/** Result of a method, or its error. */
async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  const { text } = await node.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown };
  return error ?? result;
}

async function signed(fields: object = {}): Promise<Transaction> {
  return Transaction.from(`0x${await ask('eth_signTransaction', { ...PAYMENT, ...fields })}`);
}

test('accounts are those of the wallet', async () => {
  const accounts = (await ask('eth_accounts')) as string[];
  assert.ok(accounts.some((account) => account.toLowerCase() === SENDER));
});

test('a transaction is signed for this chain, with the fields of the request', async () => {
  const tx = await signed();
  assert.deepEqual([tx.from?.toLowerCase(), tx.to?.toLowerCase(), tx.value, tx.gasLimit, tx.nonce], [SENDER, OTHER, 1n, 21_000n, 0]);
  assert.deepEqual([tx.type, tx.chainId, tx.gasPrice], [0, 1133n, 10_000_000_000n]);
  assert.equal((await signed({ accessList: [] })).type, 1);
  assert.equal((await signed({ gasPrice: undefined, maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x1' })).type, 2);
  assert.equal((await signed({ data: '0x12', input: '0x34' })).data, '0x34', 'as in defid');
  assert.equal((await signed({ chainId: '0x46d' })).chainId, 1133n);
  assert.deepEqual(await ask('eth_signTransaction', { ...PAYMENT, chainId: '0x1' }), {
    code: -32001,
    message: 'Custom error: the chain id is 1133',
  });
  assert.deepEqual(await ask('eth_signTransaction', { ...PAYMENT, from: OTHER }), NO_KEY);
});

test('texts are not signed', async () => {
  for (const method of ['eth_sign', 'personal_sign', 'eth_signTypedData_v4']) {
    assert.deepEqual(await ask(method, SENDER, '0x12'), { code: -32601, message: 'Method not found' });
  }
});

test('a transaction is sent once, however often it is asked for', async () => {
  const hash = await ask('eth_sendTransaction', PAYMENT);
  assert.equal(hash, (await signed()).hash);
  assert.equal(await ask('eth_sendTransaction', PAYMENT), hash);
  await node.mint();
  assert.equal(((await ask('eth_getTransactionReceipt', hash)) as { status: string }).status, '0x1');
});

test('a locked wallet has accounts, but no keys', async () => {
  await node.ask('encryptwallet', 'secret');
  const accounts = (await ask('eth_accounts')) as string[];
  assert.ok(accounts.some((account) => account.toLowerCase() === SENDER));
  for (const method of ['eth_signTransaction', 'eth_sendTransaction'])
    assert.deepEqual(await ask(method, { ...PAYMENT, nonce: '0x1' }), NO_KEY);
  await node.ask('walletpassphrase', 'secret', 60);
  assert.equal((await signed({ nonce: '0x1' })).from?.toLowerCase(), SENDER);
  assert.match(String(await ask('eth_sendTransaction', { ...PAYMENT, nonce: '0x1' })), /^0x[0-9a-f]{64}$/);
  await node.ask('walletlock');
  assert.deepEqual(await ask('eth_signTransaction', { ...PAYMENT, nonce: '0x2' }), NO_KEY);
});
