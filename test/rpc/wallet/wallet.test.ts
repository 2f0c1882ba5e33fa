import assert from 'node:assert/strict';
import { copyFileSync, existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { formatWif } from '../../../src/crypto/keys.js';
import type { WorkReport } from '../../../src/util/work-report.js';
import { rotateBackup } from '../../../src/wallet/store/backups.js';
import { WalletFile } from '../../../src/wallet/store/file.js';
import { isTemporary } from '../../../src/wallet/store/file-names.js';
import { withBrokenDisk } from '../../unit/wallet/broken-disk.js';
import { regtest, startWalletNode } from './wallet-node.js';

// docs/protocol/wallet.md 6
const SEED = 'cMceqPhHedrhbcR9eXgzmfWy7kRqLyAxMYwFT6ABDWsiwUp9Nsq9';
const FIRST_ADDRESS = '2N7JGLrXaygEgrDemZCshQSjHviVHCP5VjN';
const FIRST_CHANGE = '2MuXPYH2XNp6yeH7jcQAdzHXZCirBYka36L';
const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';

test('a known seed gives the published addresses', async () => {
  const node = await startWalletNode();
  // A seed can be set only when the chain is recent.
  await node.mint(1, ELSEWHERE);
  assert.equal(await node.call('sethdseed', [true, SEED]), null);
  assert.equal(await node.call('getnewaddress'), FIRST_ADDRESS);
  assert.equal(await node.call('getrawchangeaddress'), FIRST_CHANGE);
  const info = (await node.call('getaddressinfo', [FIRST_ADDRESS])) as Record<string, unknown>;
  assert.equal(info.hdkeypath, "m/0'/0'/0'");
  assert.equal(info.hdmasterfingerprint, '4ba43603');
  assert.equal(info.hdseedid, '8359238bb526d24c1a5014a994b226768800b079');
  assert.equal(info.pubkey, '029a70f83cc1232954fa3fa74f73f0c24f1cda51237af78ddd420817bf22e9dfd3');
  assert.equal(info.ismine, true);
  assert.equal(info.ischange, false);
  assert.deepEqual(info.labels, [{ name: '', purpose: 'receive' }]);
  const uncompressed = formatWif({ secret: new Uint8Array(32).fill(1), compressed: false }, regtest.address);
  for (const form of [SEED, uncompressed]) {
    assert.equal(await node.call('sethdseed', [true, form]), '-5 Already have this key (either as an HD seed or as a loose private key)');
  }
  await node.end();
});

test('selection of the wallet of a call', async () => {
  const node = await startWalletNode({}, []);
  assert.equal(await node.call('getbalance'), '-32601 Method not found (wallet method is disabled because no wallet is loaded)');
  assert.deepEqual(await node.call('createwallet', ['a']), { name: 'a', warning: '' });
  assert.equal(await node.call('getbalance'), 0);
  assert.deepEqual(await node.call('createwallet', ['deep/b']), { name: 'deep/b', warning: '' });
  assert.equal(
    await node.call('getbalance'),
    '-19 Wallet file not specified (must request wallet RPC through /wallet/<filename> uri-path).',
  );
  assert.equal(await node.call('getbalance', [], 'a'), 0);
  assert.equal(await node.call('getbalance', [], 'c'), '-18 Requested wallet does not exist or is not loaded');
  // The wallet is checked before the number of arguments.
  assert.equal(await node.call('getbalance', [1, 2, 3, 4, 5, 6, 7], 'c'), '-18 Requested wallet does not exist or is not loaded');
  assert.deepEqual(await node.call('listwallets'), ['a', 'deep/b']);
  assert.equal(await node.call('createwallet', ['a']), '-4 Wallet a already exists.');
  assert.equal(await node.call('loadwallet', ['no']), '-18 Wallet no not found.');
  assert.equal(await node.call('unloadwallet', [], 'a'), null);
  assert.equal(await node.call('unloadwallet', ['a']), '-18 Requested wallet does not exist or is not loaded');
  assert.deepEqual(await node.call('listwallets'), ['deep/b']);
  assert.deepEqual(await node.call('loadwallet', ['a']), { name: 'a', warning: '' });
  const listed = (await node.call('listwalletdir')) as { wallets: { name: string }[] };
  assert.deepEqual(listed.wallets.map(({ name }) => name).sort(), ['a', 'deep/b']);
  await node.end();
});

test('coins: minted, mature after a hundred blocks, spent and confirmed', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress', ['mine']);
  await node.mint(1, own);
  const immature = (await node.call('getbalances')) as { mine: { trusted: number; immature: number } };
  assert.deepEqual(immature.mine, { trusted: 0, untrusted_pending: 0, immature: 50 });
  await node.mint(100, ELSEWHERE);
  assert.equal(await node.call('getbalance'), 50);
  assert.equal(await node.call('sendtoaddress', [ELSEWHERE, 51]), '-6 Insufficient funds');
  assert.equal(await node.call('sendtoaddress', ['nonsense', 1]), '-5 Invalid address');
  const txid = (await node.call('sendtoaddress', [ELSEWHERE, 20, 'for bread', 'the baker'])) as string;
  assert.match(txid, /^[0-9a-f]{64}$/);
  const waiting = (await node.call('gettransaction', [txid])) as Record<string, unknown>;
  assert.equal(waiting.amount, -20);
  assert.equal(waiting.confirmations, 0);
  assert.equal(waiting.trusted, true);
  assert.equal(waiting.comment, 'for bread');
  assert.equal(waiting.to, 'the baker');
  const fee = -(waiting.fee as number);
  assert.ok(fee > 0 && fee < 0.0001, `fee ${fee}`);
  assert.equal(await node.call('getbalance'), Number((30 - fee).toFixed(8)));
  await node.mint(1, ELSEWHERE);
  const confirmed = (await node.call('gettransaction', [txid])) as Record<string, unknown>;
  assert.equal(confirmed.confirmations, 1);
  const [coin] = (await node.call('listunspent')) as Record<string, unknown>[];
  assert.equal(coin?.txid, txid);
  assert.equal(coin?.safe, true);
  const entries = (await node.call('listtransactions')) as { category: string; amount: number }[];
  assert.deepEqual(
    entries.map(({ category, amount }) => [category, amount]),
    [
      ['generate', 50],
      ['send', -20],
    ],
  );
  await node.end();
});

test('a reloaded wallet catches up, and keeps its addresses, labels and transactions', async () => {
  let node = await startWalletNode();
  const own = await node.call('getnewaddress', ['savings']);
  await node.mint(2, own);
  node = await node.restart();
  assert.deepEqual(await node.call('listlabels'), ['savings']);
  const info = (await node.call('getwalletinfo')) as { txcount: number; immature_balance: number };
  assert.equal(info.txcount, 2);
  assert.equal(info.immature_balance, 100);
  assert.equal(await node.call('unloadwallet', ['']), null);
  await node.mint(3, own);
  assert.deepEqual(await node.call('loadwallet', ['']), { name: '', warning: '' });
  const later = (await node.call('getwalletinfo')) as { txcount: number };
  assert.equal(later.txcount, 5);
  const next = await node.call('getnewaddress');
  assert.notEqual(next, own);
  await node.end();
});

test('encryption: no plain key is left in the file, and calls that need keys report the lock', async () => {
  const node = await startWalletNode();
  await node.mint(1, ELSEWHERE);
  await node.call('sethdseed', [true, SEED]);
  const own = (await node.call('getnewaddress')) as string;
  const secret = Buffer.alloc(32, 1);
  const file = join(node.wallets.directory, 'wallet.dat');
  assert.ok(readFileSync(file).includes(secret), 'the seed is in the plain file');
  assert.equal(await node.call('walletlock'), '-15 Error: running with an unencrypted wallet, but walletlock was called.');
  for (const empty of ['', '\0', '\0text']) assert.equal(await node.call('encryptwallet', [empty]), '-8 passphrase can not be empty');
  assert.match(String(await node.call('encryptwallet', ['right'])), /^wallet encrypted;/);
  assert.ok(!readFileSync(file).includes(secret), 'the seed is not in the encrypted file');
  assert.deepEqual(readdirSync(dirname(file)).filter(isTemporary), []);
  const locked = '-13 Error: Please enter the wallet passphrase with walletpassphrase first.';
  assert.equal(await node.call('dumpprivkey', [own]), locked);
  assert.equal(await node.call('walletpassphrase', ['wrong', 10]), '-14 Error: The wallet passphrase entered was incorrect.');
  assert.equal(await node.call('walletpassphrase', ['right', -1]), '-8 Timeout cannot be negative.');
  assert.equal(await node.call('walletpassphrase', ['\0right', 10]), '-8 passphrase can not be empty');
  for (const pair of [
    ['\0right', 'new'],
    ['right', '\0new'],
  ]) {
    assert.equal(await node.call('walletpassphrasechange', pair), '-8 passphrase can not be empty');
  }
  assert.equal(await node.call('walletpassphrase', ['right', 1000]), null);
  assert.match(String(await node.call('dumpprivkey', [own])), /^c/);
  const open = (await node.call('getwalletinfo')) as { unlocked_until: number };
  assert.equal(open.unlocked_until, node.clock.seconds() + 1000);
  assert.equal(await node.call('walletpassphrasechange', ['right', 'new']), null);
  assert.equal(await node.call('walletlock'), null);
  assert.equal(await node.call('walletpassphrase', ['right', 1]), '-14 Error: The wallet passphrase entered was incorrect.');
  assert.equal(await node.call('walletpassphrase', ['new', 1000]), null);
  await node.end();
});

test('the key pool of a locked wallet runs out', async () => {
  const node = await startWalletNode({ keypoolSize: 1 });
  await node.call('encryptwallet', ['p']);
  assert.match(String(await node.call('getnewaddress')), /^2/);
  assert.equal(await node.call('getnewaddress'), '-12 Error: Keypool ran out, please call keypoolrefill first');
  assert.equal(await node.call('keypoolrefill', [3]), '-13 Error: Please enter the wallet passphrase with walletpassphrase first.');
  await node.end();
});

test('imports: watch-only addresses are counted separately, imported keys are rescanned for', async () => {
  const node = await startWalletNode();
  await node.mint(101, FIRST_ADDRESS);
  assert.equal(await node.call('importaddress', [FIRST_ADDRESS, 'theirs']), null);
  const watched = (await node.call('getbalances')) as { mine: { trusted: number }; watchonly: { trusted: number; immature: number } };
  assert.equal(watched.mine.trusted, 0);
  assert.equal(watched.watchonly.trusted, 50);
  assert.equal(watched.watchonly.immature, 5000);
  assert.equal(await node.call('importprivkey', ['nonsense']), '-5 Invalid private key encoding');
  await node.end();
});

test('a reorganisation unconfirms a payment; once abandoned, its coins can be spent again', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress');
  await node.mint(1, own);
  await node.mint(100, ELSEWHERE);
  const txid = (await node.call('sendtoaddress', [ELSEWHERE, 10])) as string;
  await node.mint(1, ELSEWHERE);
  assert.equal(await node.call('abandontransaction', [txid]), '-5 Transaction not eligible for abandonment');
  node.chain.invalidate(node.chain.tip);
  const back = (await node.call('gettransaction', [txid])) as { confirmations: number; trusted: boolean };
  assert.equal(back.confirmations, 0);
  // It is in the mempool again.
  assert.equal(await node.call('abandontransaction', [txid]), '-5 Transaction not eligible for abandonment');
  node.wallets.get('')?.deps.mempool.clear();
  assert.equal(await node.call('getbalance'), 0);
  assert.equal(await node.call('abandontransaction', [txid]), null);
  assert.equal(await node.call('getbalance'), 50);
  await node.end();
});

test('with the mempool cleared a payment is removed, and its coin can be spent again', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress');
  await node.mint(1, own);
  await node.mint(100, ELSEWHERE);
  const txid = await node.call('sendtoaddress', [ELSEWHERE, 10]);
  // It was in the mempool and in the wallet.
  assert.deepEqual(await node.call('clearmempool'), [txid, txid]);
  assert.equal(await node.call('gettransaction', [txid]), '-5 Invalid or non-wallet transaction id');
  assert.equal(await node.call('getbalance'), 50);
  assert.match(String(await node.call('sendtoaddress', [ELSEWHERE, 40])), /^[0-9a-f]{64}$/);
  await node.end();
});

test('locked outputs are not spent', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress');
  await node.mint(1, own);
  await node.mint(100, ELSEWHERE);
  const [coin] = (await node.call('listunspent')) as { txid: string; vout: number }[];
  const point = { txid: coin?.txid, vout: coin?.vout };
  assert.equal(await node.call('lockunspent', [false, [point]]), true);
  assert.deepEqual(await node.call('listlockunspent'), [point]);
  assert.equal(await node.call('lockunspent', [false, [point]]), '-8 Invalid parameter, output already locked');
  assert.deepEqual(await node.call('listunspent'), []);
  assert.equal(await node.call('getbalance'), 50);
  assert.equal(await node.call('sendtoaddress', [ELSEWHERE, 1]), '-4 Insufficient funds');
  assert.equal(await node.call('lockunspent', [true]), true);
  assert.match(String(await node.call('sendtoaddress', [ELSEWHERE, 1])), /^[0-9a-f]{64}$/);
  await node.end();
});

test('a backup loads under another name', async () => {
  const node = await startWalletNode({}, ['a']);
  const address = await node.call('getnewaddress', ['kept'], 'a');
  const copy = join(node.wallets.directory, 'copy.dat');
  assert.equal(await node.call('backupwallet', [copy], 'a'), null);
  assert.match(
    String(await node.call('loadwallet', ['copy.dat'])),
    /^-1 BerkeleyBatch: Can't open database copy.dat \(duplicates fileid [0-9a-f]{32} from wallet.dat\)$/,
  );
  assert.equal(await node.call('unloadwallet', ['a']), null);
  assert.deepEqual(await node.call('loadwallet', ['copy.dat']), { name: 'copy.dat', warning: '' });
  assert.deepEqual(await node.call('getaddressesbylabel', ['kept']), { [String(address)]: { purpose: 'receive' } });
  await node.end();
});

test('the file of a loaded wallet is neither replaced by a backup nor loaded again, by whatever path', async () => {
  const node = await startWalletNode({}, ['a', 'b']);
  const fileOf = (name: string) => join(node.wallets.directory, name, 'wallet.dat');
  const [link, hardLink] = [join(node.wallets.directory, 'link.dat'), join(node.wallets.directory, 'hard.dat')];
  symlinkSync(fileOf('a'), link);
  linkSync(fileOf('a'), hardLink);
  const refused = '-4 Error: Wallet backup failed!';
  for (const destination of ['', fileOf('a'), fileOf('b'), link, hardLink, dirname(fileOf('a'))]) {
    assert.equal(await node.call('backupwallet', [destination], 'a'), refused, destination);
  }
  assert.match(String(await node.call('loadwallet', ['hard.dat'])), /^-1 BerkeleyBatch: Can't open database hard.dat /);
  const address = await node.call('getnewaddress', ['kept'], 'a');
  assert.equal(await node.call('unloadwallet', ['a']), null);
  assert.deepEqual(await node.call('loadwallet', ['a']), { name: 'a', warning: '' });
  assert.deepEqual(await node.call('getaddressesbylabel', ['kept'], 'a'), { [String(address)]: { purpose: 'receive' } });
  await node.end();
});

test('a backup replaces an older one, but no other wallet of the wallet directory', async () => {
  const node = await startWalletNode({}, ['', 'a']);
  const { directory } = node.wallets;
  const refused = '-4 Error: Wallet backup failed!';
  assert.equal(await node.call('unloadwallet', ['']), null);
  const own = join(directory, 'wallet.dat');
  const berkeley = Buffer.alloc(512);
  berkeley.writeUInt32LE(0x00053162, 12);
  writeFileSync(join(directory, 'defid.dat'), berkeley);
  writeFileSync(join(directory, 'damaged.dat'), readFileSync(own).fill(0xff, 12, 36));
  writeFileSync(join(directory, 'notes.txt'), 'no wallet');
  for (const name of ['wallet.dat', 'defid.dat', 'damaged.dat']) {
    const path = join(directory, name);
    const before = readFileSync(path);
    assert.equal(await node.call('backupwallet', [path], 'a'), refused, name);
    assert.deepEqual(readFileSync(path), before);
  }
  // The directory stands for the default wallet's file in it.
  assert.equal(await node.call('backupwallet', [directory], 'a'), refused);
  for (const name of ['copy.dat', 'copy.dat', 'notes.txt']) {
    const path = join(directory, name);
    assert.equal(await node.call('backupwallet', [path], 'a'), null, name);
    assert.ok(WalletFile.isWallet(path));
  }
  const outside = mkdtempSync(join(tmpdir(), 'backups-'));
  copyFileSync(own, join(outside, 'wallet.dat'));
  assert.equal(await node.call('backupwallet', [outside], 'a'), null);
  assert.notDeepEqual(readFileSync(join(outside, 'wallet.dat')), readFileSync(own));
  rmSync(outside, { recursive: true });
  assert.deepEqual(await node.call('loadwallet', ['']), { name: '', warning: '' });
  await node.end();
});

test('DVM and EVM addresses of the same key', async () => {
  const node = await startWalletNode();
  await node.mint(1, ELSEWHERE);
  await node.call('sethdseed', [true, SEED]);
  assert.equal(await node.call('getnewaddress'), FIRST_ADDRESS);
  const bech32 = 'bcrt1qp2uhzhhucfqpma9uqudvdr6wqx5cs89ncd0yec';
  const erc55 = '0x58cA890947d786AA5DC583c8372802338eeD59e7';
  const legacy = 'n1KskD3b7ZmRKsY5Mspvn5bN1qFXnhDQJK';
  for (const type of [0, 1]) assert.deepEqual(await node.call('addressmap', [bech32, type]), { input: bech32, type: 1, format: { erc55 } });
  const lower = erc55.toLowerCase();
  for (const type of [0, 2]) {
    assert.deepEqual(await node.call('addressmap', [lower, type]), { input: lower, type: 2, format: { bech32, legacy } });
  }
  assert.equal(await node.call('addressmap', [bech32, 3]), '-8 Invalid type parameter');
  assert.equal(await node.call('addressmap', [bech32, 2]), '-8 Invalid address format');
  assert.equal(await node.call('addressmap', [erc55, 1]), '-8 Invalid address format');
  assert.equal(
    await node.call('addressmap', [FIRST_ADDRESS, 0]),
    '-8 Unsupported type or unable to determine conversion type automatically from the input',
  );
  assert.equal(await node.call('addressmap', [ELSEWHERE, 1]), `-5 no full public key for address ${ELSEWHERE}`);
  const nobody = `0x${'0'.repeat(40)}`;
  assert.equal(await node.call('addressmap', [nobody, 0]), `-5 ${nobody} does not refer to a key`);
  await node.end();
});

test('automatic backups keep the one before the last, and open as wallets', async () => {
  const node = await startWalletNode();
  const wallet = node.wallets.get('');
  if (!wallet) throw new Error('no wallet');
  const first = await node.call('getnewaddress');
  await rotateBackup(wallet);
  const second = await node.call('getnewaddress');
  await rotateBackup(wallet);
  const base = join(dirname(wallet.path), 'auto.backup.default');
  await node.call('unloadwallet', ['']);
  const knows = async (ending: string, address: unknown): Promise<unknown> => {
    const name = `copy${ending}`;
    copyFileSync(`${base}.${ending}`, join(dirname(wallet.path), name));
    assert.deepEqual(await node.call('loadwallet', [name]), { name, warning: '' });
    const labels = (await node.call('getaddressesbylabel', [''], name)) as Record<string, unknown>;
    await node.call('unloadwallet', [name]);
    return String(address) in labels;
  };
  assert.deepEqual([await knows('bak2', first), await knows('bak2', second)], [true, false]);
  assert.deepEqual([await knows('bak1', first), await knows('bak1', second)], [true, true]);
  await node.end();
});

test('a pruned node refuses imports that need a rescan of pruned blocks', async () => {
  const reports: WorkReport[] = [];
  const node = await startWalletNode({}, [''], regtest, { report: (each) => void reports.push(each) });
  await node.mint(2, ELSEWHERE);
  Object.defineProperty(node.chain, 'pruning', { value: { targetBytes: undefined } });
  assert.equal(await node.call('importaddress', [ELSEWHERE]), null, 'nothing was deleted yet');
  assert.deepEqual(await node.call('rescanblockchain'), { start_height: 0, stop_height: 2 });
  assert.deepEqual(reports.at(-1), { work: 'rescanning blocks', wallet: '', percent: 100, isOver: true });
  const entry = node.chain.entryAt(1);
  if (entry) entry.position = undefined;
  Object.defineProperty(node.chain, 'lowestStored', { value: () => node.chain.entryAt(2) });
  const refusal = '-4 Rescan is disabled when blocks are pruned';
  assert.equal(await node.call('importprivkey', [SEED]), refusal);
  assert.equal(await node.call('importaddress', [ELSEWHERE]), refusal);
  assert.equal(await node.call('importpubkey', ['029a70f83cc1232954fa3fa74f73f0c24f1cda51237af78ddd420817bf22e9dfd3']), refusal);
  assert.equal(await node.call('importwallet', ['/nowhere']), '-4 Importing wallets is disabled when blocks are pruned');
  assert.equal(await node.call('importaddress', [ELSEWHERE, '', false]), null, 'without a scan it is accepted');
  assert.equal(
    await node.call('rescanblockchain'),
    "-1 Can't rescan beyond pruned data. Use RPC call getblockchaininfo to determine your pruned height.",
  );
  await node.end();
});

test('a full disk: calls report it, nothing is sent, and earlier and later addresses are kept', async () => {
  let node = await startWalletNode();
  const own = await node.call('getnewaddress');
  await node.mint(102, own);
  const full = `-4 Error: ${join(node.wallets.directory, 'wallet.dat')} could not be written: ENOSPC: no space left on device, write`;
  await withBrokenDisk({ writeSync: 'full' }, async () => {
    assert.equal(await node.call('getnewaddress'), full);
    assert.equal(await node.call('sendtoaddress', [ELSEWHERE, 20]), full);
    // Blocks are still connected.
    await node.mint(1, own);
  });
  assert.deepEqual([...node.modules.mempool.pool.entries()], []);
  assert.equal(await node.call('getbalance'), 150);
  const later = (await node.call('getnewaddress')) as string;
  const txid = await node.call('sendtoaddress', [ELSEWHERE, 20]);
  const known = (await node.call('listtransactions', ['*', 1_000])) as { txid: string }[];
  node = await node.restart();
  assert.deepEqual(await node.call('listtransactions', ['*', 1_000]), known);
  assert.equal(known.filter((each) => each.txid === txid).length, 1);
  for (let n = 0; n < 3; n++) assert.match(String(await node.call('dumpprivkey', [later])), /^c/);
  // Keys that were made while the disk was full are stored as well.
  const address = await node.call('getnewaddress');
  assert.match(String(await node.call('dumpprivkey', [address])), /^c/);
  await node.end();
});

test('a wallet whose creation fails on a write error does not exist, and can be created later', async () => {
  const node = await startWalletNode();
  for (const fault of [{ writeSync: 'full' }, { fdatasyncSync: 'broken' }, { renameSync: 'broken' }] as const) {
    await withBrokenDisk(fault, async () => {
      assert.match(String(await node.call('createwallet', ['new'])), /^-4 Error: .* could not be written: E/);
    });
    assert.deepEqual(await node.call('listwallets'), ['']);
    assert.equal(existsSync(join(node.wallets.directory, 'new')), false);
  }
  assert.deepEqual(await node.call('createwallet', ['new']), { name: 'new', warning: '' });
  await node.end();
});
