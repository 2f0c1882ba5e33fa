import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uncompressed } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { encodeDestination } from '../../../src/script/address.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { regtest, startWalletNode, type WalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const METACHAIN = heights({ ...GRAND_CENTRAL, metachain: 0 });

/** P2PKH address of the uncompressed form of a key. */
function longAddress(publicKey: Uint8Array): string {
  return encodeDestination({ type: 'pkh', hash: hash160(uncompressed(publicKey) as Uint8Array) }, regtest.address);
}

async function longAddressOf(node: WalletNode, address: unknown): Promise<string> {
  const { pubkey } = (await node.call('getaddressinfo', [address])) as { pubkey: string };
  return longAddress(Buffer.from(pubkey, 'hex'));
}

test('from Metachain on the address of the uncompressed form of a key belongs to the wallet, which cannot sign for it', async () => {
  let node = await startWalletNode({}, [''], METACHAIN);
  const own = await node.call('getnewaddress', ['', 'bech32']);
  const change = await node.call('getrawchangeaddress', ['bech32']);
  const long = await longAddressOf(node, own);
  const unnamed = await longAddressOf(node, change);
  await node.mint(1, long);
  await node.mint(1, own);
  await node.mint(101, ELSEWHERE);
  for (let round = 0; round < 2; round++) {
    assert.equal(await node.call('getbalance'), 33.33);
    const coins = (await node.call('listunspent')) as { address: string; spendable: boolean; solvable: boolean; desc?: string }[];
    const [coin] = coins.filter(({ address }) => address === long);
    assert.deepEqual([coin?.spendable, coin?.solvable, coin?.desc], [true, false, undefined]);
    node = await node.restart();
  }
  for (const [address, ischange] of [
    [long, false],
    [unnamed, true],
  ] as const) {
    const info = (await node.call('getaddressinfo', [address])) as Record<string, unknown>;
    assert.deepEqual([info.ismine, info.solvable, info.iscompressed, info.ischange], [true, false, true, ischange]);
    assert.match(String(info.hdkeypath), /^m\/0'\/[01]'\/0'$/);
  }
  assert.equal(await node.call('dumpprivkey', [long]), await node.call('dumpprivkey', [own]));
  assert.match(String(await node.call('signmessage', [long, 'text'])), /=$/);
  await node.call('setlabel', [unnamed, 'named']);
  assert.deepEqual(await node.call('getaddressesbylabel', ['named']), { [unnamed]: { purpose: 'receive' } });
  await node.end();
});

test('from Metachain on a payment to the uncompressed form of a key of the pool uses it up, encrypted or not', async () => {
  const node = await startWalletNode({}, [''], METACHAIN);
  await node.mint(2, await node.call('getnewaddress', ['', 'bech32']));
  await node.mint(100, ELSEWHERE);
  for (const passphrase of [undefined, 'p']) {
    if (passphrase !== undefined) {
      await node.call('encryptwallet', [passphrase]);
      await node.call('walletpassphrase', [passphrase, 1_000]);
    }
    const wallet = node.wallets.get('');
    const pooled = [...(wallet?.keys.publicKeys() ?? [])].find((publicKey) => wallet?.keyPool.has(publicKey)) as Uint8Array;
    const long = longAddress(pooled);
    assert.match(String(await node.call('sendtoaddress', [long, 1])), /^[0-9a-f]{64}$/);
    assert.equal(wallet?.keyPool.has(pooled), false);
    assert.equal(await node.call('getreceivedbyaddress', [long, 0]), 1);
  }
  await node.end();
});

test('from Metachain on the witness program of an uncompressed form is not an address of the wallet', async () => {
  const node = await startWalletNode({}, [''], METACHAIN);
  const own = await node.call('getnewaddress', ['', 'bech32']);
  const { pubkey } = (await node.call('getaddressinfo', [own])) as { pubkey: string };
  const hash = hash160(uncompressed(Buffer.from(pubkey, 'hex')) as Uint8Array);
  const info = (await node.call('getaddressinfo', [encodeDestination({ type: 'wpkh', hash }, regtest.address)])) as { ismine: boolean };
  assert.equal(info.ismine, false);
  await node.end();
});

test('without Metachain the wallet knows a key in the form that it has only', async () => {
  const node = await startWalletNode();
  const long = await longAddressOf(node, await node.call('getnewaddress'));
  const info = (await node.call('getaddressinfo', [long])) as { ismine: boolean };
  assert.equal(info.ismine, false);
  assert.equal(await node.call('dumpprivkey', [long]), `-4 Private key for address ${long} is not known`);
  await node.end();
});
