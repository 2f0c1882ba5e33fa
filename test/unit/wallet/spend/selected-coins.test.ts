import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../../../src/crypto/hash.js';
import type { Transaction } from '../../../../src/primitives/transaction.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import type { Recipient } from '../../../../src/wallet/spend/build-request.js';
import { buildTransaction, buildUnsigned } from '../../../../src/wallet/spend/builder.js';
import { dfi, Purse } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'selected-coins-'));
after(() => rmSync(directory, { recursive: true }));

const TOKEN = 3;
const DFI = 100_000_000n;
/** Virtual bytes of inputs with signatures of this wallet, and of a transaction with one output of `elsewhere` and no inputs. */
const LEGACY_INPUT = 148n;
const BECH32_INPUT = 68n;
const FIXED = 43n;
const elsewhere = witnessScript(1);

function witnessScript(n: number): Uint8Array {
  return buildScript(Op.ZERO, sha256(Uint8Array.of(n)).subarray(0, 20));
}

const pay = (amount: bigint, paysFee = false): Recipient => ({ script: elsewhere, amount, tokenId: 0, paysFee });
const indexes = ({ vin }: Pick<Transaction, 'vin'>): number[] => vin.map(({ prevout }) => prevout.vout).sort((a, b) => a - b);

test('the long-term rate of an exact selection does not follow the rate of the transaction', async () => {
  const purse = await Purse.open(directory);
  const rate = 100n;
  const target = DFI + FIXED * rate;
  const single = dfi(target + BECH32_INPUT * rate + 100n, purse.address('bech32'));
  const halves = [DFI / 2n, target - DFI / 2n].map((half) => dfi(half + LEGACY_INPUT * rate, purse.address('legacy')));
  purse.receive([single, ...halves]);
  // None needs change. The halves leave no surplus, but at this rate, above the long-term one, their inputs cost more.
  assert.deepEqual(indexes(buildTransaction(purse.wallet, [pay(DFI)], { feeRate: rate * 1_000n }).tx), [0]);
  await purse.wallet.stop();
});

test('if watch-only coins may be spent, own coins too are measured with the longest signatures', async () => {
  const purse = await Purse.open(directory);
  const rate = 1_000n;
  const [amount, longest] = [10_000_000n, LEGACY_INPUT + 1n];
  const single = dfi(amount + (FIXED + LEGACY_INPUT) * rate, purse.address('legacy'));
  const halves = [amount / 2n, amount / 2n + FIXED * rate].map((half) => dfi(half + longest * rate, purse.address('legacy')));
  purse.receive([single, ...halves]);
  const build = (spendWatched: boolean) => buildUnsigned(purse.wallet, [pay(amount)], { feeRate: rate * 1_000n, spendWatched });
  assert.deepEqual([indexes(build(false).tx), build(false).changePosition], [[0], -1]);
  assert.deepEqual([indexes(build(true).tx), build(true).changePosition], [[1, 2], -1]);
  await purse.wallet.stop();
});

test('a coin of a transaction that spends watch-only coins is one of the wallet, and needs one confirmation only', async () => {
  const purse = await Purse.open(directory);
  const watched = witnessScript(2);
  purse.wallet.addWatched(watched, 1);
  const parent = purse.receive([dfi(10n * DFI, purse.address('legacy')), dfi(2n * DFI, watched)]);
  const exact = purse.receive([dfi(DFI, purse.address('legacy'))], 1, { txid: parent.txid, vout: 1 });
  const { tx } = buildTransaction(purse.wallet, [pay(DFI, true)]);
  assert.deepEqual(
    tx.vin.map(({ prevout }) => prevout.txid),
    [exact.txid],
  );
  await purse.wallet.stop();
});

test('a preset input that is named twice counts once', async () => {
  const purse = await Purse.open(directory);
  const { txid } = purse.receive([dfi(DFI, purse.address('legacy'))]);
  const inputs = [0, 0].map((vout) => ({ txid, vout }));
  assert.deepEqual(indexes(buildUnsigned(purse.wallet, [pay(DFI / 2n)], { inputs }).tx), [0]);
  assert.throws(() => buildUnsigned(purse.wallet, [pay((3n * DFI) / 2n)], { inputs }), /Insufficient funds/);
  await purse.wallet.stop();
});

test('a preset input of another token is left out', async () => {
  const purse = await Purse.open(directory);
  const { txid } = purse.receive([{ ...dfi(DFI, purse.address('legacy')), tokenId: TOKEN }, dfi(DFI, purse.address('legacy'))]);
  const inputs = [{ txid, vout: 0 }];
  assert.deepEqual(indexes(buildUnsigned(purse.wallet, [pay(DFI / 2n)], { inputs }).tx), [1]);
  assert.throws(() => buildUnsigned(purse.wallet, [pay((3n * DFI) / 2n)], { inputs }), /Insufficient funds/);
  await purse.wallet.stop();
});

test('the size of a transaction that is signed later is limited without its signatures', async () => {
  const purse = await Purse.open(directory);
  const address = purse.address('legacy');
  purse.receive(Array.from({ length: 2_500 }, () => dfi(DFI, address)));
  const all = [...purse.wallet.unspent.confirmed()].map(({ wtx, vout }) => ({ txid: wtx.tx.txid, vout }));
  const fund = (count: number) => buildUnsigned(purse.wallet, [pay(DFI)], { inputs: all.slice(0, count) });
  // 41 bytes of each input weigh 164.
  assert.equal(fund(2_400).tx.vin.length, 2_400);
  assert.throws(() => fund(2_450), /^BuildFailed: Transaction too large/);
  await purse.wallet.stop();
});

test('coins of used addresses are left out if asked', async () => {
  const purse = await Purse.open(directory, {}, true);
  const [used, fresh] = [purse.address('bech32'), purse.address('bech32')];
  const parent = purse.receive([dfi(DFI, used)]);
  purse.chain.connect([purse.transaction([dfi(DFI, elsewhere)], { txid: parent.txid, vout: 0 })]);
  const { txid } = purse.receive([dfi(5n * DFI, used), dfi(9n * DFI, fresh)]);
  const spent = (avoidReuse: boolean) => buildTransaction(purse.wallet, [pay(DFI)], { avoidReuse }).tx.vin.map(({ prevout }) => prevout);
  assert.deepEqual(spent(true), [{ txid, vout: 1 }]);
  assert.deepEqual(spent(false), [{ txid, vout: 0 }]);
  await purse.wallet.stop();
});

test('a sample of very many coins has no preset inputs and no coins that the wallet cannot spend', async () => {
  const purse = await Purse.open(directory);
  const [own, watched] = [purse.address('legacy'), witnessScript(3)];
  purse.wallet.addWatched(watched, 1);
  const [spendable, presets, each] = [2_100, 60, 1_000_000n];
  const vout = Array.from({ length: spendable + 200 }, (_, n) => dfi(each, n < spendable ? own : watched));
  const { txid } = purse.receive(vout);
  const inputs = Array.from({ length: presets }, (_, n) => ({ txid, vout: n }));
  // Less than half of the sample, and then more than it may pay.
  for (const coins of [900n, 1_500n]) {
    const spent = indexes(buildUnsigned(purse.wallet, [pay((BigInt(presets) + coins) * each)], { inputs, feeRate: 1_000n }).tx);
    assert.equal(new Set(spent).size, spent.length);
    assert.deepEqual(spent.slice(0, presets), [...inputs.keys()]);
    assert.ok(spent.length > presets + Number(coins) && Number(spent.at(-1)) < spendable);
  }
  await purse.wallet.stop();
});
