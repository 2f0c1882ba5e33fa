import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hash160 } from '../../src/crypto/hash.js';
import { toHex } from '../../src/util/bytes.js';
import { rotateBackup } from '../../src/wallet/store/backups.js';
import { WalletFile } from '../../src/wallet/store/file.js';
import { isTemporary } from '../../src/wallet/store/file-names.js';
import type { Wallet } from '../../src/wallet/wallet.js';
import { regtest, startWalletNode, type WalletNode } from '../rpc/wallet/wallet-node.js';
import { type Cut, withCut } from './fixtures/cut-disk.js';
import { randomNumbers } from './fixtures/reorg-chain.js';
import { runAndKill } from './killed-writer.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const IMPORTED = 'cMceqPhHedrhbcR9eXgzmfWy7kRqLyAxMYwFT6ABDWsiwUp9Nsq9';
const CUTS: readonly Cut[] = ['kill', 'error'];
/** Real kills in this run: each starts a process. */
const KILLS = Number(process.env.WALLET_KILLS ?? 4);
const random = randomNumbers(Number(process.env.CRASH_SEED ?? 7));

/** State that a change of keys may affect. */
interface State {
  /** Passphrase that unlocks the wallet; undefined for an unencrypted one. */
  readonly passphrase: string | undefined;
  readonly seed: string;
  readonly pool: readonly [number, number];
  /** Hex of all secrets, sorted. */
  readonly secrets: readonly string[];
}

interface Scenario {
  readonly name: string;
  prepare(node: WalletNode): Promise<void>;
  change(node: WalletNode): Promise<unknown>;
  /** All passphrases that the wallet may have. */
  readonly passphrases: readonly string[];
  readonly encrypts: boolean;
  readonly changesSeed: boolean;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'encrypting',
    async prepare(node) {
      for (let n = 0; n < 2; n++) await rotateBackup(walletOf(node));
      await node.call('getnewaddress');
      await node.call('keypoolrefill');
    },
    change: (node) => node.call('encryptwallet', ['p']),
    passphrases: ['p'],
    encrypts: true,
    changesSeed: true,
  },
  {
    name: 'changing the passphrase',
    async prepare(node) {
      await node.call('encryptwallet', ['old']);
    },
    change: (node) => node.call('walletpassphrasechange', ['old', 'new']),
    passphrases: ['old', 'new'],
    encrypts: false,
    changesSeed: false,
  },
  {
    name: 'setting a seed',
    prepare: (node) => node.mint(1, ELSEWHERE),
    change: (node) => node.call('sethdseed', [true, IMPORTED]),
    passphrases: [],
    encrypts: false,
    changesSeed: true,
  },
  {
    name: 'setting a seed in an encrypted wallet',
    async prepare(node) {
      await node.mint(1, ELSEWHERE);
      await node.call('encryptwallet', ['p']);
      await node.call('walletpassphrase', ['p', 1_000_000]);
    },
    change: (node) => node.call('sethdseed', [true]),
    passphrases: ['p'],
    encrypts: false,
    changesSeed: true,
  },
  {
    name: 'importing a key',
    prepare: async () => {},
    change: (node) => node.call('importprivkey', [IMPORTED, '', false]),
    passphrases: [],
    encrypts: false,
    changesSeed: false,
  },
];

function walletOf(node: WalletNode): Wallet {
  const wallet = node.wallets.get('');
  if (!wallet) throw new Error('no wallet is loaded');
  return wallet;
}

/** Reads the state of an open wallet. */
async function stateOf(node: WalletNode, passphrases: readonly string[]): Promise<State> {
  const { keys, keyPool } = walletOf(node);
  let passphrase: string | undefined;
  for (const each of keys.isEncrypted ? passphrases : []) if (await keys.unlock(each)) passphrase = each;
  assert.equal(keys.isEncrypted, passphrase !== undefined, 'no passphrase opens the wallet');
  const secrets = [...keys.publicKeys()].map((publicKey) => toHex(keys.privateKey(hash160(publicKey))?.secret ?? new Uint8Array(0)));
  assert.ok(!secrets.includes(''), 'a key does not open');
  return {
    passphrase,
    seed: toHex(keys.hdChain?.seedId ?? new Uint8Array(0)),
    pool: [keyPool.size(false), keyPool.size(true)],
    secrets: secrets.sort(),
  };
}

function assertSealed({ secrets }: State, directory: string): void {
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name));
    for (const secret of secrets) assert.ok(!bytes.includes(Buffer.from(secret, 'hex')), `${name} contains a plain key`);
  }
}

const isOfBefore = (found: State, before: State): boolean => JSON.stringify(found) === JSON.stringify(before);

/** Asserts that every old key is present, and that passphrase, seed and pool are those of the completed change. */
function assertAfter(found: State, before: State, after: State, { changesSeed }: Scenario): void {
  for (const secret of before.secrets) assert.ok(found.secrets.includes(secret), 'a key was lost');
  assert.equal(found.passphrase, after.passphrase);
  assert.deepEqual(found.pool, after.pool);
  assert.equal(found.secrets.length, after.secrets.length);
  assert.equal(found.seed !== before.seed, changesSeed);
}

function isRefused(answer: unknown): boolean {
  return typeof answer === 'string' && /^-\d+ /.test(answer);
}

/** One change that fails at one call. @returns the number of calls that it makes, and the resulting state */
async function cutOnce(scenario: Scenario, after: State | undefined, at: number, cut: Cut): Promise<{ calls: number; state: State }> {
  const node = await startWalletNode({ keypoolSize: 3 });
  await scenario.prepare(node);
  const before = await stateOf(node, scenario.passphrases);
  const { value, calls } = await withCut(at, cut, () => scenario.change(node));
  // Copy of the disk at this moment: closing the wallet would change it.
  const directory = mkdtempSync(join(tmpdir(), 'wallet-cut-'));
  cpSync(node.wallets.directory, directory, { recursive: true });
  const wentThrough = !isRefused(value);
  if (wentThrough && scenario.encrypts) assertSealed(before, directory);
  const reopened = await node.reopen(directory);
  const found = await stateOf(reopened, scenario.passphrases);
  const where = `${cut} at call ${at} of ${calls.length}, ${calls[at]}`;
  if (after && (wentThrough || !isOfBefore(found, before))) assertAfter(found, before, after, scenario);
  if (found.passphrase !== undefined) assertSealed(found, directory);
  assert.deepEqual(readdirSync(directory).filter(isTemporary), [], where);
  if (cut === 'error' && after) {
    // A node that keeps running has the same state as its file: immediately, or after the next write if the change is appended.
    const memory = await stateOf(node, scenario.passphrases);
    if (scenario.changesSeed || scenario.passphrases.length > 0) assert.deepEqual(memory, found, where);
    walletOf(node).commit();
    cpSync(node.wallets.directory, `${directory}-later`, { recursive: true });
    const later = await node.reopen(`${directory}-later`);
    assert.deepEqual(await stateOf(later, scenario.passphrases), memory, where);
    await later.end();
  }
  await reopened.end();
  // A killed wallet may fail to close its file.
  await node.end().catch(() => {});
  rmSync(node.wallets.directory, { recursive: true, force: true });
  return { calls: calls.length, state: found };
}

for (const scenario of scenarios) {
  test(`${scenario.name}, failing at each call to the disk, leaves the wallet entirely as before or entirely changed`, async () => {
    const { calls, state } = await cutOnce(scenario, undefined, Number.POSITIVE_INFINITY, 'error');
    assert.ok(calls > 1);
    for (const cut of CUTS) for (let at = 0; at < calls; at++) await cutOnce(scenario, state, at, cut);
  });
}

test('createwallet with a passphrase, failing at each call to the disk, makes a complete wallet or none', async () => {
  let calls = 1;
  for (const cut of CUTS) {
    for (let at = -1; at < calls; at++) {
      const node = await startWalletNode({ keypoolSize: 3 }, []);
      const made = await withCut(at < 0 ? Number.POSITIVE_INFINITY : at, cut, () => node.call('createwallet', ['', false, false, 'p']));
      const path = join(node.wallets.directory, 'wallet.dat');
      if (at < 0) calls = made.calls.length;
      const directory = mkdtempSync(join(tmpdir(), 'wallet-cut-'));
      cpSync(node.wallets.directory, directory, { recursive: true });
      const reopened = await node.reopen(directory);
      const loaded = await reopened.call('loadwallet', ['']);
      if (!isRefused(made.value)) assert.ok(!isRefused(loaded), `${path}: ${String(loaded)}`);
      if (!isRefused(loaded)) {
        const state = await stateOf(reopened, ['p']);
        assert.deepEqual([state.secrets.length, state.pool], [7, [3, 3]]);
        assertSealed(state, directory);
      }
      // The caller got an error and may try again: no file of the failed attempt prevents it.
      if (cut === 'error' && isRefused(made.value))
        assert.deepEqual(
          readdirSync(directory).filter((name) => !isTemporary(name)),
          [],
        );
      await reopened.end();
      await node.end().catch(() => {});
    }
  }
});

const fill = (n: number) => ({ column: 'row', key: Uint8Array.of(n), value: new Uint8Array(1_000).fill(n) });
const rowsOf = (file: WalletFile): string[] =>
  [...file.rows('row')].map(({ key, value }) => `${key[0]} ${value[0]} ${value.length}`).sort();

test('a compaction, failing at each call to the disk, loses no row', async () => {
  let calls = 1;
  for (const cut of CUTS) {
    for (let at = -1; at < calls; at++) {
      const directory = mkdtempSync(join(tmpdir(), 'wallet-cut-'));
      const path = join(directory, 'wallet.dat');
      const file = WalletFile.create(path, new Uint8Array(16));
      for (let n = 0; n < 250; n++) file.write([fill(n)], { sync: n % 100 === 0 });
      const expected = rowsOf(file);
      const work = async (): Promise<void> => {
        const compacted = Promise.allSettled([file.compact()]);
        file.write([fill(250)], { sync: true });
        const [{ status }] = await compacted;
        if (status === 'rejected') throw new Error('not compacted');
      };
      const done = await withCut(at < 0 ? Number.POSITIVE_INFINITY : at, cut, work);
      if (at < 0) calls = done.calls.length;
      const copy = join(directory, 'copy.dat');
      cpSync(path, copy);
      const found = rowsOf(WalletFile.open(copy));
      assert.deepEqual(
        found.filter((each) => !each.startsWith('250 ')),
        expected,
      );
      if (done.error === undefined) assert.equal(found.length, 251);
      if (cut === 'error') {
        file.write([fill(251)], { sync: true });
        file.close();
        assert.ok(rowsOf(WalletFile.open(path)).some((each) => each.startsWith('251 ')));
      }
      rmSync(directory, { recursive: true });
    }
  }
});

test('a wallet that is killed while it is encrypted is plain or encrypted, with all its keys', async () => {
  let inTheMiddle = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    const directory = mkdtempSync(join(tmpdir(), 'wallet-kill-'));
    const output = await runAndKill('wallet-encrypter.ts', [directory], random(400));
    if (readdirSync(directory).some(isTemporary)) inTheMiddle += 1;
    const [address, answer] = output.split('\n') as [string, string];
    const node = await startWalletNode({ keypoolSize: 300 }, [''], regtest, { directory });
    const state = await stateOf(node, ['p']);
    if (answer !== '') assert.equal(state.passphrase, 'p');
    if (state.passphrase !== undefined) assertSealed(state, directory);
    assert.match(String(await node.call('dumpprivkey', [address])), /^c/);
    await node.end();
  }
  console.log(`wallet fault test: ${KILLS} kills, ${inTheMiddle} while the new file was written`);
});
