import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { formatWif } from '../../../src/crypto/keys.js';
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

test('a key keeps the origin of its first import when it is imported again', async () => {
  const node = await startWalletNode();
  const [watched, hidden] = [21, 22].map((n) => ({
    wif: formatWif({ secret: new Uint8Array(32).fill(n), compressed: true }, regtest.address),
    pubkey: publicKeyNo(n),
    address: encodeDestination({ type: 'pkh', hash: hash160(Buffer.from(publicKeyNo(n), 'hex')) }, regtest.address),
  })) as [Key, Key];
  const shown = async ({ address }: Key) => {
    const { hdkeypath, hdmasterfingerprint, timestamp } = await infoOf(node, address);
    return [hdkeypath, hdmasterfingerprint, timestamp];
  };
  assert.equal(await importOne(node, `pkh([d34db33f/7]${watched.pubkey})`, { timestamp: 1_000 }), true);
  assert.deepEqual(await shown(watched), ['m/7', 'd34db33f', 1_000]);
  assert.equal(await node.call('importprivkey', [watched.wif, '', false]), null);
  assert.deepEqual(await shown(watched), ['m/7', 'd34db33f', 1]);
  // A multisig names the origins of keys that it does not import.
  assert.equal(await importOne(node, `wsh(multi(1,[d34db33f/8]${hidden.pubkey},[d34db33f/9]${hidden.pubkey}))`), true);
  assert.equal(await node.call('importpubkey', [hidden.pubkey, '', false]), null);
  assert.deepEqual(await shown(hidden), ['m/8', 'd34db33f', 1]);
  await node.end();
});

interface Key {
  readonly wif: string;
  readonly pubkey: string;
  readonly address: string;
}

const TPRV = 'tprv8ZgxMBicQKsPdDdJFAqvG3mt4VqsVV125X4vsor5NxK366upt6qvovLQqaCi5SJiCE1aLkt3HtxsnTpzeGu27kPC5RUCr4h3oPBPYnAvhdE';
const TPUB = 'tpubD6NzVbkrYhZ4XYa9MoLt4BiMZ4gkt2faZ4BcmKu2a9te4LDpQmvEz2L2yDERivHxFPnxXXhqDRkUNnQCpZggCyEZLBktV7VaSmwayqMJy1s';

test('importmulti of a descriptor that cannot be expanded imports its private keys alone', async () => {
  const node = await startWalletNode();
  const ranged = { range: 0, watchonly: false };
  assert.equal(await importOne(node, `pkh(${TPUB}/0'/*)`, ranged), true);
  const noRange = { code: -8, message: 'Range must be specified as end or as [begin,end]' };
  assert.deepEqual(await importOne(node, `pkh(${TPUB}/0'/*)`, { range: null }), noRange);
  const single = await withChecksum(node, `pkh(${TPRV}/3/0)`);
  const ofSingle = (await node.call('getdescriptorinfo', [single])) as { descriptor: string };
  const [address] = (await node.call('deriveaddresses', [ofSingle.descriptor])) as string[];
  assert.equal((await infoOf(node, address)).ismine, false);
  assert.equal(await importOne(node, `sh(multi(1,${TPUB}/1'/*,${TPRV}/3/*))`, ranged), true);
  assert.equal((await infoOf(node, address)).ismine, true);
  await node.end();
});

test('importmulti names the shortest of several scripts that are spendable already', async () => {
  const node = await startWalletNode();
  const { pubkey } = await infoOf(node, await node.call('getnewaddress'));
  const program = toHex(hash160(Buffer.from(String(pubkey), 'hex')));
  const message = `The wallet already contains the private key for this address or script ("0014${program}")`;
  assert.deepEqual(await importOne(node, `combo(${pubkey})`), { code: -4, message });
  await node.end();
});

test('importmulti warns of irrelevant public keys in the order of their ids', async () => {
  const node = await startWalletNode();
  const keys = [1, 2, 3, 4].map(publicKeyNo);
  const ids = keys.map((key) => toHex(hash160(Buffer.from(key, 'hex'))));
  const request = { scriptPubKey: `21${keys[0]}ac`, internal: true, timestamp: 1, watchonly: true, pubkeys: keys };
  const answer = (await node.call('importmulti', [[request], { rescan: false }])) as {
    warnings: string[];
  }[];
  const named = answer[0]?.warnings.map((text) => /"([0-9a-f]{40})"/.exec(text)?.[1]);
  assert.deepEqual(named, [...ids].sort());
  assert.notDeepEqual(named, ids);
  await node.end();
});
