import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';
import type { WalletNode } from '../wallet/wallet-node.js';
import { FIRST, startBitcoinNode } from './bitcoin-node.js';

// The key of the receiver is the seed of the wallet.
const RECEIVER = '0224e7de2f3a9d4cdc4fdc14601c75176287297c212aae9091404956955f1aea86';
const OWNER = '035fb3eadde611a39036e61d4c8288d1b896f2c94cee49e60a3d1c02236f4be490';
const SEED = 'aba5f7e9aecf6ec4372c8a1e49562680d066da4655ee8b4bb01640479fffeaa8';
const HASH = 'df95183883789f237977543885e1f82ddc045a3ba90c8f25b43a5b797a35d20e';
const HTLC = '2N1WoHKzHY59uNpXouLQc32h9k5Y3hXK4Ku';
const SCRIPT = `63a820${HASH}8821${RECEIVER}675ab27521${OWNER}68ac`;
const UNKNOWN = '2NGT3gZvc75NX8DWGqfuEvniHGj5LiY33Ui';
const EXTERNAL = 'bcrt1qfpnmx6jrn30yvscrw9spudj5aphyrc8es6epva';

interface Output {
  readonly address: string;
  readonly amount: number;
  readonly confirms: number;
  readonly spent?: { readonly txid: string; readonly confirms: number };
}

describe('HTLCs', () => {
  let node: WalletNode;
  let bitcoin: RegtestBitcoin;
  const call = (method: string, ...args: readonly unknown[]): Promise<unknown> => node.call(method, args);
  const outputs = async (...args: readonly unknown[]): Promise<Output[]> => (await call('spv_listhtlcoutputs', ...args)) as Output[];
  const send = async (method: string, ...args: readonly unknown[]): Promise<string> => {
    const { txid, sendmessage } = (await call(method, ...args)) as { txid: string; sendmessage: string };
    assert.equal(sendmessage, '');
    return txid;
  };

  before(async () => {
    ({ node, bitcoin } = await startBitcoinNode());
    await call('spv_getnewaddress');
    await call('spv_fundaddress', FIRST);
  });
  after(() => node.end());

  const refused: readonly (readonly [args: readonly unknown[], error: string])[] = [
    [[RECEIVER, OWNER, '4194304', HASH], '-3 Invalid block denominated relative timeout'],
    [[RECEIVER, OWNER, '-1', HASH], '-3 Invalid block denominated relative timeout'],
    [[RECEIVER, OWNER, '8', HASH], '-3 Timeout below minimum of 9'],
    [[RECEIVER, OWNER, 'x', HASH], `-3 Error parsing JSON: ${HASH}`],
    [[RECEIVER, OWNER, 'x'], '-1 JSON value is not a string as expected'],
    [[RECEIVER, OWNER, '1,2', HASH], `-3 Error parsing JSON: ${HASH}`],
    [[RECEIVER, OWNER, '"10"', HASH], '-1 JSON value is not an integer as expected'],
    [[RECEIVER, OWNER, '2147483648', HASH], '-1 JSON integer out of range'],
    [[RECEIVER, OWNER, 10, HASH], '-1 JSON value is not a string as expected'],
    [[RECEIVER.slice(2), OWNER, '10', HASH], `-5 Invalid public key: ${RECEIVER.slice(2)}`],
    [[RECEIVER, `02${'00'.repeat(32)}`, '10', HASH], `-5 Invalid public key: 02${'00'.repeat(32)}`],
    [['x', OWNER, '10', 'y'], '-3 Invalid hash image'],
    [[RECEIVER, OWNER, '10', 'ab'], '-3 Invalid hash image length, 32 (SHA256) accepted'],
  ];

  for (const [args, error] of refused) {
    test(`spv_createhtlc ${JSON.stringify(args)} fails`, async () => assert.equal(await call('spv_createhtlc', ...args), error));
  }

  test('named arguments have the names of defid', async () => {
    const named = `{"seller_key": "${RECEIVER}", "refund_key": "${OWNER}", "hash": "10", "timeout": "${HASH}"}`;
    assert.deepEqual(JSON.parse(await node.ask('spv_createhtlc', named)), { address: HTLC, redeemScript: SCRIPT });
  });

  test('an HTLC is known by its terms', async () => {
    assert.deepEqual(await call('spv_createhtlc', RECEIVER, OWNER, '10', HASH), { address: HTLC, redeemScript: SCRIPT });
    assert.deepEqual(await call('spv_decodehtlcscript', SCRIPT), { sellerkey: RECEIVER, buyerkey: OWNER, blocks: 10, hash: HASH });
    assert.deepEqual(await call('spv_validateaddress', HTLC), { isvalid: true, ismine: true });
    assert.deepEqual(await call('spv_getalladdresses'), [FIRST]);
    assert.equal(await call('spv_decodehtlcscript', SCRIPT.slice(2)), '-5 Incorrect seed hash length');
  });

  test('without the key of the owner there is no refund', async () => {
    const message = '-4 Private key relating to a HTLC pubkey is not available in the wallet';
    assert.equal(await call('spv_refundhtlc', HTLC, FIRST), message);
  });

  const badSpends: readonly (readonly [method: string, args: readonly unknown[], error: string])[] = [
    ['spv_claimhtlc', ['x', FIRST, SEED], '-5 Invalid address'],
    ['spv_claimhtlc', [FIRST, FIRST, SEED], '-5 Failed to decode address'],
    ['spv_claimhtlc', [UNKNOWN, FIRST, SEED], '-4 Redeem script not found in wallet'],
    ['spv_claimhtlc', [HTLC, 'x', SEED], '-5 Invalid destination address'],
    ['spv_claimhtlc', [HTLC, FIRST, 'x'], '-5 Provided seed is not in hex form'],
    ['spv_claimhtlc', [HTLC, FIRST, 'deadbeef'], '-5 Seed provided does not match seed hash in contract'],
    ['spv_claimhtlc', [HTLC, FIRST, SEED, 'x'], '-1 JSON value is not an integer as expected'],
    ['spv_refundhtlc', [UNKNOWN, FIRST], '-4 Redeem script not found in wallet'],
    ['spv_refundhtlc', [HTLC, 'x', 'any'], '-5 Invalid destination address'],
    ['spv_refundhtlcall', ['x'], '-5 Invalid destination address'],
    ['spv_gethtlcseed', ['x'], '-5 Error: Invalid address'],
    ['spv_listhtlcoutputs', ['x'], '-5 Invalid address'],
  ];

  for (const [method, args, error] of badSpends) {
    test(`${method} ${JSON.stringify(args)} fails`, async () => assert.equal(await call(method, ...args), error));
  }

  test('the receiver claims with the seed, which the transaction reveals', async () => {
    assert.equal(await call('spv_claimhtlc', HTLC, FIRST, SEED), '-4 No unspent HTLC outputs found');
    await send('spv_sendtoaddress', HTLC, 0.1);
    assert.equal(await call('spv_getbalance'), 0.899988);
    const [before] = await outputs(HTLC);
    assert.deepEqual([before?.amount, before?.confirms, before?.spent], [0.1, 1, undefined]);
    assert.equal(await call('spv_gethtlcseed', HTLC), '');
    const txid = await send('spv_claimhtlc', HTLC, FIRST, SEED, 1_000);
    assert.deepEqual((await outputs(HTLC))[0]?.spent, { txid, confirms: 1 });
    assert.equal(await call('spv_gethtlcseed', HTLC), SEED);
    assert.match(String(await call('spv_getrawtransaction', txid)), new RegExp(`0120${SEED}514c6e${SCRIPT}`));
    // 0.1 less the fee for 301 bytes.
    assert.equal(await call('spv_getbalance'), 0.9999579);
  });

  test('the owner gets a refund after the blocks of the HTLC, which does not count in the balance', async () => {
    await send('spv_sendtoaddress', HTLC, 0.1);
    const balance = await call('spv_getbalance');
    await call('importprivkey', 'cSumkzL3QT3aGqeQNuswkLeC5n9BMuhBNvWcCST3VEsLpwVasuQR', '', false);
    bitcoin.setHeight(8);
    assert.equal(await call('spv_refundhtlc', HTLC, FIRST), '-4 No unspent HTLC outputs found');
    bitcoin.setHeight(9);
    const txid = await send('spv_refundhtlc', HTLC, FIRST, 1_000);
    assert.match(String(await call('spv_getrawtransaction', txid)), new RegExp(`01004c6e${SCRIPT}`));
    assert.equal((await outputs()).filter(({ spent }) => spent).length, 2);
    assert.equal(await call('spv_getbalance'), balance);
  });

  test('one transaction refunds all HTLCs', async () => {
    const key = await call('spv_getaddresspubkey', FIRST);
    const made = (await call('spv_createhtlc', key, key, '9')) as { address: string; seed: string; seedhash: string };
    assert.match(`${made.seed} ${made.seedhash}`, /^[0-9a-f]{64} [0-9a-f]{64}$/);
    for (const address of [HTLC, made.address]) await send('spv_sendtoaddress', address, 0.05);
    bitcoin.setHeight(19);
    const [txid] = (await call('spv_refundhtlcall', EXTERNAL)) as string[];
    const { vin } = (await call('decoderawtransaction', await call('spv_getrawtransaction', txid))) as { vin: { sequence: number }[] };
    assert.deepEqual(vin.map(({ sequence }) => sequence).sort(), [10, 9]);
    assert.equal(
      (await outputs()).every(({ spent }) => spent),
      true,
    );
    const addresses = (await outputs()).map(({ address }) => address);
    assert.deepEqual(addresses, [...addresses].sort());
  });

  test('confirmations below zero count on from 2^32', async () => {
    await send('spv_sendtoaddress', HTLC, 0.05);
    bitcoin.setHeight(10);
    assert.equal((await outputs(HTLC)).find(({ spent }) => !spent)?.confirms, 2 ** 32 - 8);
  });
});
