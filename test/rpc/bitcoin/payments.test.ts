import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hashOfBitcoinAddress } from '../../../src/bitcoin/addresses.js';
import { BITCOIN_REGTEST, type RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';
import { hash160 } from '../../../src/crypto/hash.js';
import type { Invoker } from '../../../src/rpc/invoke.js';
import { encodeDestination, scriptOf } from '../../../src/script/address.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { bitcoinHandlers } from '../../../src/services/bitcoin/index.js';
import { bitcoinModules } from '../../../src/services/bitcoin/modules.js';
import { fromHex } from '../../../src/util/bytes.js';
import { foreign, payment } from '../../unit/bitcoin/fixture.js';
import { committedCatalogue } from '../catalogue.js';
import { regtest, startWalletNode, type WalletNode } from '../wallet/wallet-node.js';
import { bindBitcoin, FIRST, SECOND, startBitcoinNode } from './bitcoin-node.js';

const EXTERNAL = 'bcrt1qfpnmx6jrn30yvscrw9spudj5aphyrc8es6epva';
const P2WSH = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';
const NO_ADDRESS = '000000000000000000000000000000000000000000';

describe('payments', () => {
  let node: WalletNode;
  let bitcoin: RegtestBitcoin;
  const call = (method: string, ...args: readonly unknown[]): Promise<unknown> => node.call(method, args);

  before(async () => {
    ({ node, bitcoin } = await startBitcoinNode());
    bitcoin.setHeight(1);
  });
  after(() => node.end());

  test('a new address is of the next key of the wallet', async () => {
    assert.equal(await call('spv_getnewaddress'), FIRST);
    assert.equal(await call('spv_getnewaddress'), SECOND);
    assert.deepEqual(await call('spv_getalladdresses'), [FIRST, SECOND]);
    const privateKey = await call('spv_dumpprivkey', FIRST);
    assert.equal(privateKey, await call('dumpprivkey', FIRST));
    const info = (await call('getaddressinfo', FIRST)) as { pubkey: string; labels: unknown };
    assert.equal(await call('spv_getaddresspubkey', FIRST), info.pubkey);
    assert.deepEqual(info.labels, [{ name: 'spv', purpose: 'spv' }]);
  });

  test('an address of another network with the same hash has the same private key', async () => {
    const hash = hashOfBitcoinAddress(FIRST) ?? assert.fail();
    const foreign = encodeDestination({ type: 'wpkh', hash }, { ...regtest.address, bech32Prefix: 'bc' });
    assert.equal(await call('spv_dumpprivkey', foreign), await call('spv_dumpprivkey', FIRST));
    assert.equal(await call('spv_dumpprivkey', 'x'), '-5 Invalid Bitcoin address');
    assert.equal(await call('spv_dumpprivkey', EXTERNAL), `-4 Private key for address ${EXTERNAL} is not known`);
  });

  test('addresses are valid with and without a key in the wallet', async () => {
    assert.deepEqual(await call('spv_validateaddress', FIRST), { isvalid: true, ismine: true });
    assert.deepEqual(await call('spv_validateaddress', EXTERNAL), { isvalid: true, ismine: false });
    assert.deepEqual(await call('spv_validateaddress', P2WSH), { isvalid: true, ismine: false });
    assert.deepEqual(await call('spv_validateaddress', NO_ADDRESS), { isvalid: false, ismine: false });
    assert.equal(await call('spv_getaddresspubkey', NO_ADDRESS), '-5 Error: Invalid address');
    assert.equal(await call('spv_getaddresspubkey', P2WSH), `-5 ${P2WSH} does not refer to a key`);
    assert.equal(await call('spv_getaddresspubkey', EXTERNAL), `-5 no full public key for address ${EXTERNAL}`);
  });

  test('only the first funding counts', async () => {
    const txid = await call('spv_fundaddress', FIRST);
    assert.equal(await node.ask('spv_getbalance', '[]'), '1.00000000');
    assert.deepEqual(await call('spv_listtransactions'), [txid]);
    // The same output and the same address: the same transaction.
    assert.equal(await call('spv_fundaddress', FIRST), txid);
    const second = await call('spv_fundaddress', SECOND);
    assert.equal(await call('spv_getbalance'), 1);
    assert.deepEqual(await call('spv_listtransactions'), [txid, second]);
    const external = await call('spv_fundaddress', EXTERNAL);
    assert.deepEqual(await call('spv_listtransactions'), [txid, second]);
    assert.match(String(await call('spv_getrawtransaction', external)), /^01000000000101(11){32}/);
    assert.equal(await call('spv_fundaddress', NO_ADDRESS), '-5 Invalid address');
  });

  test('funding has the txid of defid', async () => {
    assert.equal(
      await call('spv_fundaddress', 'bcrt1qs2qsynezncmkzef3qsaaumf5r5uvyeh8ykrg37'),
      '02b127356391035a639d855ff082c37f72417abb8ce32743fc1f70ec7dc99f66',
    );
  });

  test('a payment returns the change to a new address', async () => {
    const sent = (await call('spv_sendtoaddress', EXTERNAL, 0.1)) as { txid: string; sendmessage: string };
    assert.equal(sent.sendmessage, '');
    assert.equal(await call('spv_getbalance'), 0.899988);
    assert.equal(((await call('spv_getalladdresses')) as string[]).length, 3);
    const { vout } = (await call('decoderawtransaction', await call('spv_getrawtransaction', sent.txid))) as {
      vout: { value: number }[];
    };
    assert.deepEqual(vout.map(({ value }) => value).sort(), [0.1, 0.899988]);
    const own = (await call('spv_sendtoaddress', FIRST, '0.10000000')) as { txid: string };
    assert.equal(await call('spv_getbalance'), 0.899976);
    assert.equal(((await call('spv_listtransactions')) as string[]).at(-1), own.txid);
  });

  test('received amounts are summed over outputs, spent or not', async () => {
    bitcoin.setHeight(4);
    const [funding, , , second] = (await call('spv_listtransactions')) as string[];
    const [first] = (await call('spv_listreceivedbyaddress', 1, FIRST)) as unknown[];
    assert.deepEqual(first, { address: FIRST, type: 'Bech32', amount: 1.1, confirmations: 4, txids: [funding, second] });
    assert.equal(((await call('spv_listreceivedbyaddress')) as unknown[]).length, 4);
    assert.equal(((await call('spv_listreceivedbyaddress', 4)) as unknown[]).length, 4);
    assert.deepEqual(await call('spv_listreceivedbyaddress', 5), []);
    assert.deepEqual(await call('spv_listreceivedbyaddress', 1, EXTERNAL), []);
    assert.equal(await call('spv_listreceivedbyaddress', 1, NO_ADDRESS), '-5 Invalid address');
  });

  test('a payment to the bare key counts for its P2PKH address', async () => {
    const publicKey = fromHex(String(await call('spv_getaddresspubkey', FIRST)));
    const hash = hash160(publicKey);
    const to = [
      [buildScript(publicKey, Op.CHECKSIG), 700n],
      [scriptOf({ type: 'wpkh', hash }), 600n],
    ] as const;
    // Replaceable, so that it does not count in the balance.
    bitcoin.send(payment({ from: [foreign(9)], to, sequence: 1 }));
    const legacy = encodeDestination({ type: 'pkh', hash }, BITCOIN_REGTEST);
    const received = (await call('spv_listreceivedbyaddress')) as { address: string; type: string; amount: number }[];
    assert.deepEqual(
      received.filter(({ address }) => address === legacy).map(({ type, amount }) => [type, amount]),
      [['Bech32', 0.000007]],
    );
    assert.equal(await call('spv_getbalance'), 0.899976);
  });

  const refused: readonly (readonly [args: readonly unknown[], error: string])[] = [
    [[NO_ADDRESS, 0.1], '-5 Invalid address'],
    [[EXTERNAL, 0], '-8 Invalid amount'],
    [[EXTERNAL, 0.00000545], '-8 Amount below dust threshold, minimum required: 546'],
    [[EXTERNAL, 'x'], '-3 Invalid amount'],
    [[EXTERNAL, 0.1, 999], '-8 Fee size below minimum acceptable amount'],
    [[NO_ADDRESS, 0.1, 999], '-8 Fee size below minimum acceptable amount'],
    [[EXTERNAL, 0.1, 'x'], '-1 JSON value is not an integer as expected'],
    [[EXTERNAL, 0.899976], '-6 Insufficient funds to cover fee'],
    [[EXTERNAL, 1], '-6 Insufficient funds'],
  ];

  for (const [args, error] of refused) {
    test(`spv_sendtoaddress ${JSON.stringify(args)} fails`, async () => {
      assert.equal(await call('spv_sendtoaddress', ...args), error);
      assert.equal(await call('spv_getbalance'), 0.899976);
    });
  }

  test('a payment that fails has used up an address', async () => {
    const before = (await call('spv_getalladdresses')) as string[];
    await call('spv_sendtoaddress', EXTERNAL, 1);
    assert.equal(((await call('spv_getalladdresses')) as string[]).length, before.length + 1);
  });

  test('transactions are found by txid', async () => {
    assert.equal(await call('spv_getrawtransaction', 'ab'.repeat(32)), '');
    assert.equal(await call('spv_getrawtransaction', '00'), "-8  must be of length 64 (not 2, for '00')");
  });

  test('there is a fee rate, but there are no peers and no blocks to search', async () => {
    assert.equal(await call('spv_rescan'), '-1 SPV not connected');
    assert.equal(await call('spv_rescan', 'x'), '-1 JSON value is not an integer as expected');
    assert.equal(await call('spv_getfeerate'), 10_000);
    assert.deepEqual(await call('spv_getpeers'), {});
  });
});

describe('wallets', () => {
  test('a coin that pays the hash of a key as a script cannot be spent', async () => {
    const { node, bitcoin } = await startBitcoinNode();
    await node.call('spv_getnewaddress');
    const hash = hashOfBitcoinAddress(FIRST) ?? assert.fail();
    bitcoin.send(payment({ from: [foreign(1)], to: [[scriptOf({ type: 'sh', hash }), 100_000n]] }));
    assert.equal(await node.call('spv_getbalance'), 0.001);
    assert.equal(await node.call('spv_sendtoaddress', [EXTERNAL, 0.0001]), '-4 Failed to get address hash.');
    await node.end();
  });

  test('addresses of wallets are ours after a restart, and when a wallet file is imported', async () => {
    const { node } = await startBitcoinNode();
    await node.call('spv_getnewaddress');
    const again = await node.restart();
    bindBitcoin(again);
    assert.deepEqual(await again.call('spv_getalladdresses'), [FIRST]);
    assert.deepEqual(await again.call('spv_listtransactions'), []);
    const dump = join(again.wallets.directory, 'dump.txt');
    writeFileSync(dump, 'cSumkzL3QT3aGqeQNuswkLeC5n9BMuhBNvWcCST3VEsLpwVasuQR 2021-02-19T00:00:00Z label=spv\n');
    await again.call('importwallet', [dump]);
    const imported = 'bcrt1q28ldz0kwh0ltfad95fzpdqmuxu5getf05jlqu7';
    assert.deepEqual(await again.call('spv_getalladdresses'), [imported, FIRST]);
    await again.call('spv_fundaddress', [imported]);
    assert.equal(await again.call('spv_getbalance'), 1);
    await again.end();
  });

  test('a locked wallet gives addresses, but no private keys', async () => {
    const { node } = await startBitcoinNode();
    const { call } = node;
    await call('spv_getnewaddress');
    await call('spv_fundaddress', [FIRST]);
    await call('encryptwallet', ['test']);
    const locked = '-13 Error: Please enter the wallet passphrase with walletpassphrase first.';
    assert.equal(await call('spv_dumpprivkey', [FIRST]), locked);
    assert.equal(await call('spv_sendtoaddress', [EXTERNAL, 0.1]), locked);
    assert.equal(await call('spv_fundaddress', [FIRST]), '-4 Failed to get address private key.');
    assert.match(String(await call('spv_getnewaddress')), /^bcrt1q/);
    await node.end();
  });

  test('a payment needs the keys of all coins in the wallet of the call', async () => {
    const node = await startWalletNode({}, ['a', 'b']);
    bindBitcoin(node);
    const address = await node.call('spv_getnewaddress', [], 'a');
    await node.call('spv_fundaddress', [address], 'b');
    assert.equal(await node.call('spv_getbalance'), 1);
    assert.equal(await node.call('spv_sendtoaddress', [EXTERNAL, 0.1], 'b'), '-4 Failed to get address private key.');
    assert.equal(((await node.call('spv_sendtoaddress', [EXTERNAL, 0.1], 'a')) as { sendmessage: string }).sendmessage, '');
    await node.end();
  });
});

test('without a Bitcoin chain all operations are refused that need it', async () => {
  const node = await startWalletNode();
  const modules = bitcoinModules(undefined, node.wallets, node.clock);
  (node.modules.calls as Invoker).bind('dfi.node.v1.BitcoinService', bitcoinHandlers, modules);
  const operations = committedCatalogue().operations.filter(({ method }) => method in bitcoinHandlers);
  assert.equal(operations.length, Object.keys(bitcoinHandlers).length);
  for (const { name, signatures } of operations) {
    const answer = await node.call(name, new Array(signatures[0]?.least ?? 0).fill('1'));
    if (name === 'spv_decodehtlcscript') assert.equal(answer, '-3 Redeemscript expected in hex format');
    else assert.equal(answer, name === 'spv_fundaddress' ? '-32600 command disabled' : '-32600 spv module disabled', name);
  }
  await node.end();
});
