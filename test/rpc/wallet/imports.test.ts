import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { encodeDestination } from '../../../src/script/address.js';
import { toHex } from '../../../src/util/bytes.js';
import { regtest, startWalletNode, type WalletNode } from './wallet-node.js';

const publicKeyNo = (n: number): string => toHex(publicKeyOf(new Uint8Array(32).fill(n), true));
const THEIRS = publicKeyNo(1);
/** A one-of-sixteen multisig script, of 547 bytes. */
const MANY = Array.from({ length: 16 }, (_, i) => publicKeyNo(i + 1));
const LONG_SCRIPT = `51${MANY.map((key) => `21${key}`).join('')}60ae`;

async function withChecksum(node: WalletNode, descriptor: string): Promise<string> {
  const { checksum } = (await node.call('getdescriptorinfo', [descriptor])) as { checksum: string };
  return `${descriptor}#${checksum}`;
}

async function importOne(node: WalletNode, desc: string, more: object = {}, wallet?: string): Promise<unknown> {
  const request = { desc: await withChecksum(node, desc), timestamp: 1, watchonly: true, ...more };
  const [result] = (await node.call('importmulti', [[request], { rescan: false }], wallet)) as { success: boolean; error?: object }[];
  return result?.error ?? result?.success;
}

const infoOf = async (node: WalletNode, address: unknown) => (await node.call('getaddressinfo', [address])) as Record<string, unknown>;

test('importmulti of a multisig descriptor changes the origin of an own key, and not its age and seed', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress', ['', 'bech32']);
  const before = await infoOf(node, own);
  assert.equal(await importOne(node, `wsh(multi(1,[d34db33f/44'/0']${before.pubkey},${THEIRS}))`), true);
  const { hdkeypath, hdmasterfingerprint, timestamp, hdseedid } = await infoOf(node, own);
  assert.deepEqual([hdkeypath, hdmasterfingerprint], ["m/44'/0'", 'd34db33f']);
  assert.deepEqual([timestamp, hdseedid], [before.timestamp, before.hdseedid]);
  await node.end();
});

test('importmulti adds the origin of a public key that the wallet has', async () => {
  const node = await startWalletNode();
  assert.equal(await node.call('importpubkey', [THEIRS, '', false]), null);
  const address = encodeDestination({ type: 'pkh', hash: hash160(Buffer.from(THEIRS, 'hex')) }, regtest.address);
  assert.equal((await infoOf(node, address)).hdkeypath, undefined);
  assert.equal(await importOne(node, `pkh([d34db33f/1]${THEIRS})`, { timestamp: 1_000 }), true);
  const { hdkeypath, timestamp } = await infoOf(node, address);
  assert.deepEqual([hdkeypath, timestamp], ['m/1', 1]);
  await node.end();
});

test('keys imported for the pool have the time of the import in it', async () => {
  const node = await startWalletNode({}, []);
  await node.call('createwallet', ['w', true]);
  const now = node.clock.seconds();
  node.clock.setMockTime(now + 100);
  for (const [internal, n] of [
    [false, 1],
    [true, 2],
  ] as const) {
    assert.equal(await importOne(node, `wpkh(${publicKeyNo(n)})`, { keypool: true, internal }, 'w'), true);
  }
  node.clock.setMockTime(now + 300);
  const { keypoololdest } = (await node.call('getwalletinfo', [], 'w')) as { keypoololdest: number };
  assert.equal(keypoololdest, now + 100);
  await node.end();
});

test('a script of more than 520 bytes is not added as a redeem or witness script', async () => {
  const node = await startWalletNode();
  const tooLong = { code: -4, message: 'Error adding script to wallet' };
  assert.deepEqual(await importOne(node, `wsh(multi(1,${MANY.join(',')}))`), tooLong);
  assert.equal(await importOne(node, `wsh(multi(1,${MANY.slice(1).join(',')}))`), true, '15 keys, 513 bytes');
  assert.equal(await node.call('importaddress', [LONG_SCRIPT, '', false, true]), null);
  const hash = hash160(Buffer.from(LONG_SCRIPT, 'hex'));
  const info = await infoOf(node, encodeDestination({ type: 'sh', hash }, regtest.address));
  assert.deepEqual([info.iswatchonly, info.hex], [true, undefined]);
  await node.end();
});

test('importpubkey of an own key watches nothing', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress');
  const { pubkey, timestamp } = await infoOf(node, own);
  assert.equal(await node.call('importpubkey', [pubkey, 'named', false]), null);
  assert.deepEqual(Object.keys((await node.call('getbalances')) as object), ['mine']);
  const named = await infoOf(node, own);
  assert.deepEqual([named.label, named.timestamp], ['named', timestamp]);
  await node.end();
});
