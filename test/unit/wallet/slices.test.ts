import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { formatWif } from '../../../src/crypto/keys.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { withChecksum } from '../../../src/script/descriptor-checksum.js';
import { getAddressesByLabel, listLabels } from '../../../src/services/wallet/addresses/addresses.js';
import { listAddressGroupings } from '../../../src/services/wallet/addresses/groupings.js';
import { listReceivedByAddress } from '../../../src/services/wallet/balances/received.js';
import { dumpWallet, importWallet } from '../../../src/services/wallet/keys/dumping.js';
import { importMulti } from '../../../src/services/wallet/keys/import-multi.js';
import { listTransactions } from '../../../src/services/wallet/transactions/transactions.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { availableCoins, type CoinQuery, collectCoins, type WalletCoin } from '../../../src/wallet/coins/coins.js';
import { DEFAULT_LOAD } from '../../../src/wallet/options.js';
import { WalletFile } from '../../../src/wallet/store/file.js';
import { WalletUnloaded } from '../../../src/wallet/store/file-errors.js';
import { Wallet } from '../../../src/wallet/wallet.js';
import { jsonRpcCall } from '../../rpc/json-rpc-call.js';
import { regtest } from '../../rpc/wallet/wallet-node.js';
import { ModelChain, ModelMempool, modelDeps } from './model-node.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-slices-'));
after(() => rmSync(directory, { recursive: true }));

const COINS = 300;

interface Story {
  readonly chain: ModelChain;
  readonly wallet: Wallet;
  /** A payment out of a coin of the wallet to an address of its own, with change. */
  pay(n: number): Transaction;
  readonly modules: never;
}

/** A wallet with coins of many addresses, some spent and a few unconfirmed. */
async function begin(name: string): Promise<Story> {
  const chain = new ModelChain();
  const mempool = new ModelMempool();
  const deps = modelDeps(chain, mempool, { keypoolSize: 10 });
  const kind = { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined };
  const wallet = await Wallet.create(name, join(directory, name), kind, deps);
  await wallet.start();
  const scripts = Array.from({ length: 40 }, (_, n) => scriptOf(wallet.newAddress(`a${n % 5}`, 'bech32')));
  const changes = Array.from({ length: 40 }, () => scriptOf(wallet.newChangeAddress('bech32')));
  const outTo = (script: Uint8Array, value: bigint): TxOut => ({ value, tokenId: 0, scriptPubKey: script });
  const spend = (prevout: { txid: Uint8Array; vout: number }, vout: TxOut[]) =>
    makeTransaction(
      { version: 4, vin: [{ prevout, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }], vout, lockTime: 0 },
      chain.params.txFormat,
    );
  const received = Array.from({ length: COINS }, (_, n) =>
    spend({ txid: sha256(Uint8Array.of(n, n >> 8)), vout: 0 }, [outTo(scripts[n % 40] as Uint8Array, 1_000_000n + BigInt(n))]),
  );
  const pay = (n: number): Transaction =>
    spend({ txid: (received[n] as Transaction).txid, vout: 0 }, [
      outTo(scripts[(n * 7) % 40] as Uint8Array, 400_000n),
      outTo(changes[n % 40] as Uint8Array, 500_000n),
    ]);
  chain.connect(received);
  chain.connect(Array.from({ length: 60 }, (_, n) => pay(n)));
  for (let n = 60; n < 70; n++) mempool.accept(pay(n));
  const modules = { chain: deps.chain, mempool: deps.mempool, clock: deps.clock, deprecated: [], wallets: { find: () => wallet } };
  return { chain, wallet, pay, modules: modules as never };
}

/** Runs work with a clock that advances a millisecond per reading, so that it needs many slices. @returns number of slices */
async function inTurns<T>(
  work: () => Promise<T>,
  eachTurn: (turn: number) => void,
): Promise<{ readonly result: T; readonly turns: number }> {
  let now = 0;
  const clock = mock.method(performance, 'now', () => ++now);
  let [turns, isOver] = [0, false];
  const note = (): void => {
    if (isOver) return;
    eachTurn(turns++);
    setImmediate(note);
  };
  setImmediate(note);
  try {
    return { result: await work(), turns };
  } finally {
    isOver = true;
    clock.mock.restore();
  }
}

const shown = (coins: readonly WalletCoin[]) => coins.map(({ wtx, vout, depth, safe }) => `${wtx.key} ${vout} ${depth} ${safe}`);

test('coins collected in slices are those at the start, whatever changes in the meantime', async () => {
  const queries: CoinQuery[] = [{}, { minDepth: 2 }, { minAmount: 450_000n, maxCount: 200 }, { minSum: 150_000_000n }];
  for (const [i, query] of queries.entries()) {
    const { chain, wallet, pay } = await begin(`coins ${i}`);
    const expected = shown(availableCoins(wallet, query));
    const { result, turns } = await inTurns(
      () => collectCoins(wallet, query),
      (turn) => {
        if (turn < 30) chain.connect([pay(100 + 2 * turn), pay(101 + 2 * turn)]);
      },
    );
    assert.ok(turns > 10, `${turns} turns`);
    assert.deepEqual(shown(result), expected);
    assert.notDeepEqual(shown(availableCoins(wallet, query)), expected);
    await wallet.stop();
  }
});

test('address groupings are a snapshot', async () => {
  const { chain, wallet, pay, modules } = await begin('groupings');
  const ask = async () => listAddressGroupings(modules, {}, jsonRpcCall);
  const expected = await ask();
  const total = expected.groups.flatMap(({ addresses }) => addresses).reduce((sum, { amount }) => sum + amount, 0n);
  assert.equal(
    total,
    availableCoins(wallet).reduce((sum, { wtx, vout }) => sum + (wtx.tx.vout[vout]?.value ?? 0n), 0n),
  );
  assert.ok(expected.groups.length > 1);
  const { result, turns } = await inTurns(ask, (turn) => {
    if (turn < 30) chain.connect([pay(100 + 2 * turn), pay(101 + 2 * turn)]);
  });
  assert.ok(turns > 10, `${turns} turns`);
  assert.deepEqual(result, expected);
  assert.notDeepEqual(await ask(), expected);
  await wallet.stop();
});

test('a backup in slices is a snapshot with all keys, whatever changes in the meantime', async () => {
  const { chain, wallet, pay } = await begin('backed up');
  const path = join(directory, 'backup');
  // Enough rows for many slices.
  for (let n = 0; n < 2_000; n++) wallet.addWatched(Uint8Array.of(0x51, n, n >> 8), 1);
  const { size } = wallet.txs;
  const publicKeys = [...wallet.keys.publicKeys()];
  let encrypting: Promise<void> | undefined;
  const { turns } = await inTurns(
    () => wallet.backUpInSlices(path, () => {}),
    (turn) => {
      // Wipes the keys in memory, so it has to wait.
      encrypting ??= wallet.encryption.encrypt('secret');
      if (turn < 5) chain.connect([pay(100 + turn)]);
    },
  );
  assert.ok(turns > 10, `${turns} turns`);
  assert.equal(wallet.keys.isEncrypted, false);
  await encrypting;
  assert.ok(wallet.keys.isEncrypted && wallet.txs.size > size);
  const copy = Wallet.open('backup', WalletFile.open(path), wallet.deps);
  assert.deepEqual([copy.keys.isEncrypted, copy.txs.size], [false, size]);
  assert.ok(publicKeys.length > 80);
  for (const publicKey of publicKeys) {
    const key = copy.keys.privateKey(hash160(publicKey));
    assert.deepEqual(key && publicKeyOf(key.secret, key.compressed), publicKey);
  }
  await Promise.all([copy.stop(), wallet.stop()]);
});

test('a backup that is refused at its end, or whose wallet is unloaded, leaves no file', async () => {
  const { wallet } = await begin('not backed up');
  const path = join(directory, 'refused');
  const refuse = (): void => {
    throw new Error('taken');
  };
  await assert.rejects(wallet.backUpInSlices(path, refuse), /could not be written: taken/);
  let aborted: Promise<void> | undefined;
  await inTurns(
    () =>
      assert.rejects(
        wallet.backUpInSlices(path, () => {}),
        WalletUnloaded,
      ),
    (turn) => {
      if (turn === 2) aborted = wallet.stop();
    },
  );
  assert.ok(aborted, 'the backup ended before the wallet was unloaded');
  await aborted;
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith('refused')),
    [],
  );
});

const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';

test('importmulti yields to other calls after every few keys', async () => {
  const { wallet, modules } = await begin('import');
  const importing = {
    timestamp: { form: { $case: 'text' as const, value: 'now' } },
    desc: withChecksum(`wpkh(${TPUB}/*)`),
    scriptpubkey: undefined,
    pubkeys: [],
    keys: [],
    range: { form: { $case: 'end' as const, value: 199n } },
    watchonly: true,
  };
  const { result, turns } = await inTurns(
    async () => importMulti(modules, { requests: [importing], rescan: false }, jsonRpcCall),
    () => {},
  );
  assert.deepEqual(
    result.results.map(({ success, error }) => ({ success, error })),
    [{ success: true, error: undefined }],
  );
  // Each key is derived, looked up and stored: a step each, of which five make a slice.
  assert.ok(turns > 100, `${turns} turns`);
  await wallet.stop();
});

test('importmulti is completed, and the chain scanned, if the client disconnects', async () => {
  const { wallet, chain, modules } = await begin('disconnected import');
  const secrets = Array.from({ length: 60 }, (_, n) => sha256(Uint8Array.of(n, 9)));
  const keyId = (secret: Uint8Array): Uint8Array => hash160(publicKeyOf(secret));
  const requests = secrets.map((secret) => ({
    timestamp: { form: { $case: 'time' as const, value: 1n } },
    desc: withChecksum(`pkh(${formatWif({ secret, compressed: true }, regtest.address)})`),
    scriptpubkey: undefined,
    pubkeys: [],
    keys: [],
    range: undefined,
  }));
  const vin = [{ prevout: { txid: sha256(Uint8Array.of(77)), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
  const vout = [{ value: 1_000n, tokenId: 0, scriptPubKey: scriptOf({ type: 'pkh', hash: keyId(secrets[0] as Uint8Array) }) }];
  const payment = makeTransaction({ version: 4, vin, vout, lockTime: 0 }, chain.params.txFormat);
  chain.connect([payment]);
  const disconnected = new AbortController();
  const { result } = await inTurns(
    async () => importMulti(modules, { requests, rescan: true }, { ...jsonRpcCall, signal: disconnected.signal }),
    (turn) => {
      if (turn === 5) disconnected.abort();
    },
  );
  assert.ok(disconnected.signal.aborted);
  assert.ok(result.results.every(({ success }) => success));
  assert.ok(secrets.every((secret) => wallet.keys.hasPrivateKey(keyId(secret))));
  assert.ok(wallet.txs.get(payment.txid));
  await wallet.stop();
});

test('importwallet yields to other calls after every few keys, and a locked wallet keeps those before', async () => {
  const { wallet, modules } = await begin('import of a dump');
  const filename = join(directory, 'import.txt');
  const { address } = regtest;
  const lines = Array.from({ length: 100 }, (_, n) => formatWif({ secret: sha256(Uint8Array.of(n)), compressed: true }, address));
  writeFileSync(filename, lines.map((line) => `${line} 2026-01-01T00:00:00Z change=1\n`).join(''));
  const before = wallet.keys.size;
  const { turns } = await inTurns(
    async () => importWallet(modules, { filename }, jsonRpcCall),
    () => {},
  );
  // Each line is parsed, and each key stored; five of these steps make a slice.
  assert.ok(turns >= 30, `${turns} turns`);
  assert.equal(wallet.keys.size, before + 100);
  await wallet.stop();
  const locked = await begin('locked import');
  const known = locked.wallet.keys.size;
  await locked.wallet.encryption.encrypt('one');
  await locked.wallet.encryption.unlock('one', 1_000);
  const withPool = locked.wallet.keys.size;
  assert.ok(withPool > known);
  await inTurns(
    () => assert.rejects(async () => importWallet(locked.modules, { filename }, jsonRpcCall), /walletpassphrase first/),
    () => {
      if (locked.wallet.keys.size > withPool) locked.wallet.encryption.lockNow();
    },
  );
  const { size } = locked.wallet.keys;
  assert.ok(size > withPool && size < withPool + 100);
  await locked.wallet.stop();
  const file = WalletFile.open(locked.wallet.path);
  assert.equal([...file.rows('key')].length, size);
  file.close();
});

test('a page of transactions equals that part of the whole list', async () => {
  const { wallet, modules } = await begin('pages');
  for (const label of [undefined, 'a3']) {
    const page = async (count: number, skip: number) => {
      const { transactions } = await listTransactions(modules, { label, count, skip }, jsonRpcCall);
      return transactions;
    };
    const all = await page(10_000, 0);
    assert.ok(all.length > 50);
    for (const [count, skip] of [
      [1, 0],
      [5, 1],
      [7, 2],
      [10, 33],
      [0, 5],
      [20, all.length - 3],
      [5, all.length + 5],
    ] as const) {
      const end = Math.max(all.length - skip, 0);
      assert.deepEqual(await page(count, skip), all.slice(Math.max(end - count, 0), end), `${count} behind ${skip}`);
    }
  }
  await wallet.stop();
});

test('a dump has the keys at its start, in any number of slices', async () => {
  const { wallet, modules } = await begin('dump');
  const dumpTo = async (name: string): Promise<string[]> => {
    const { filename } = await dumpWallet(modules, { filename: join(directory, name) }, jsonRpcCall);
    return readFileSync(filename, 'latin1').split('\n');
  };
  // The rest of a line follows the address book as it is.
  const keysIn = (lines: readonly string[]): string[] =>
    lines.filter((line) => line.includes(' # addr=') && !line.includes(' script=1 ')).map((line) => line.split(' ')[0] ?? '');
  const expected = await dumpTo('at-once.txt');
  assert.equal(keysIn(expected).length, [...wallet.keys.publicKeys()].length);
  const { result, turns } = await inTurns(
    () => dumpTo('in-slices.txt'),
    (turn) => {
      if (turn < 3) wallet.newAddress('', 'bech32');
    },
  );
  // Each of 90 keys is hashed, and later written; five of these steps make a slice.
  assert.ok(turns > 30, `${turns} turns`);
  assert.deepEqual(keysIn(result), keysIn(expected));
  for (const lines of [expected, result]) assert.deepEqual(lines.slice(-3), ['', '# End of dump', '']);
  await wallet.stop();
});

test('a dump that is aborted leaves no file', async () => {
  const { wallet, modules } = await begin('aborted dump');
  const filename = join(directory, 'aborted.txt');
  const stopping = new AbortController();
  const { result } = await inTurns(
    () => assert.rejects(async () => dumpWallet(modules, { filename }, { ...jsonRpcCall, signal: stopping.signal })),
    (turn) => {
      if (turn === 3) stopping.abort();
    },
  );
  assert.equal(result, undefined);
  assert.equal(existsSync(filename), false);
  await wallet.stop();
});

test('lists of addresses yield after every few of them', async () => {
  const { wallet, modules } = await begin('addresses');
  for (let n = 0; n < 400; n++) wallet.book.set({ type: 'pkh', hash: sha256(Uint8Array.of(n, n >> 8)).subarray(0, 20) }, `b${n % 2}`);
  const lists: readonly (() => Promise<object>)[] = [
    async () => listReceivedByAddress(modules, { minconf: 0, includeEmpty: true }, jsonRpcCall),
    async () => getAddressesByLabel(modules, { label: 'b1' }, jsonRpcCall),
    async () => listLabels(modules, {}, jsonRpcCall),
  ];
  for (const ask of lists) {
    const expected = await ask();
    const { result, turns } = await inTurns(ask, () => {});
    assert.ok(turns >= 4, `${turns} turns`);
    assert.deepEqual(result, expected);
  }
  await wallet.stop();
});

test('a wallet that is stopped while its key pool is filled reports no failure', async () => {
  const how = { ...DEFAULT_LOAD, fillsLater: true };
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
  const deps = { ...modelDeps(new ModelChain(), new ModelMempool(), { keypoolSize: 1000 }), log };
  const kind = { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined };
  const wallet = await Wallet.create('short', join(directory, 'short'), kind, deps, how);
  await wallet.start(how);
  const filling = wallet.fillKeyPool();
  await wallet.stop();
  await filling;
  assert.deepEqual(warnings, []);
});
