import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../../../src/crypto/hash.js';
import { accountToUtxos } from '../../../../src/dfi/accounts/transactions.js';
import { encode } from '../../../../src/primitives/codec.js';
import { formatHash } from '../../../../src/primitives/hash.js';
import type { OutPoint } from '../../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut, virtualSize } from '../../../../src/primitives/transaction.js';
import { scriptOf } from '../../../../src/script/address.js';
import { customTxScript } from '../../../../src/script/custom-tx.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { toHex } from '../../../../src/util/bytes.js';
import type { WalletSettings } from '../../../../src/wallet/options.js';
import type { BuildOptions } from '../../../../src/wallet/spend/build-request.js';
import { buildTransaction } from '../../../../src/wallet/spend/builder.js';
import { bumpFee, bumpToTotal } from '../../../../src/wallet/spend/bump.js';
import { commitTransaction } from '../../../../src/wallet/spend/commit.js';
import type { WalletTx } from '../../../../src/wallet/txs/wallet-tx.js';
import { dfi, Purse } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'bump-'));
after(() => rmSync(directory, { recursive: true }));

const DFI = 100_000_000n;
const PAYMENT = 50_000_000n;
/** Virtual bytes of a transaction with a legacy input and two outputs to witness scripts, and its fee at the rate of `pay`, satoshis. */
const SIZE = 221n;
const REPLACEABLE = 0xfffffffd;
const FINAL = 0xfffffffe;
const elsewhere = buildScript(Op.ZERO, sha256(Uint8Array.of(1)).subarray(0, 20));
const usual = { confirmTarget: undefined, estimateMode: 'UNSET', replaceable: true } as const;

interface Payer {
  readonly purse: Purse;
  readonly pay: (options?: BuildOptions, scripts?: readonly Uint8Array[]) => WalletTx;
}

/** A wallet with coins of the given values, and a function that pays with a fee of a satoshi for each virtual byte. */
async function payer(coins: readonly bigint[], settings: Partial<WalletSettings> = {}): Promise<Payer> {
  const purse = await Purse.open(directory, { fallbackFeeRate: 1_000n, replaceable: true, ...settings });
  const address = purse.address('legacy');
  if (coins.length > 0) purse.receive(coins.map((value) => dfi(value, address)));
  const pay = (options: BuildOptions = {}, scripts: readonly Uint8Array[] = [elsewhere]) => {
    const recipients = scripts.map((script) => ({ script, amount: PAYMENT, tokenId: 0, paysFee: false }));
    const { tx } = buildTransaction(purse.wallet, recipients, { feeRate: 1_000n, ...options });
    commitTransaction(purse.wallet, tx);
    return purse.wallet.txs.get(tx.txid) as WalletTx;
  };
  return { purse, pay };
}

/** Values of the outputs that pay the script. */
const valuesTo = ({ vout }: Transaction, script: Uint8Array): bigint[] =>
  vout.filter(({ scriptPubKey }) => toHex(scriptPubKey) === toHex(script)).map(({ value }) => value);
const changeOf = ({ vout }: Transaction): Uint8Array =>
  vout.find(({ scriptPubKey }) => toHex(scriptPubKey) !== toHex(elsewhere))?.scriptPubKey as Uint8Array;
/** Fee of the least replacement: 1,326, or 1,327 if the signature is a byte shorter than assumed. @param step its rise of the rate */
const leastFee = ({ tx }: WalletTx, step = 5_000n): bigint => (((SIZE * 1_000n) / BigInt(virtualSize(tx)) + 1n + step) * SIZE) / 1_000n;
const textOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

test('a replacement pays the same from the same input, with 5,001 more for each 1,000 bytes, out of its change', async () => {
  const { purse, pay } = await payer([DFI]);
  const old = pay();
  const { tx, oldFee, newFee } = bumpFee(purse.wallet, old, usual);
  assert.deepEqual([oldFee, newFee], [SIZE, leastFee(old)]);
  assert.deepEqual(
    tx.vin.map(({ prevout, sequence }) => [prevout, sequence]),
    [[old.tx.vin[0]?.prevout, REPLACEABLE]],
  );
  assert.deepEqual(valuesTo(tx, elsewhere), [PAYMENT]);
  assert.deepEqual(valuesTo(tx, changeOf(old.tx)), [DFI - PAYMENT - newFee]);
  assert.equal(old.notes.get('replaced_by_txid'), formatHash(tx.txid));
  assert.equal(purse.wallet.txs.get(tx.txid)?.notes.get('replaces_txid'), formatHash(old.tx.txid));
  const again = textOf(() => bumpFee(purse.wallet, old, usual));
  assert.equal(again, `Cannot bump transaction ${formatHash(old.tx.txid)} which was already bumped by transaction ${formatHash(tx.txid)}`);
  await purse.wallet.stop();
});

test('the rate of a replacement follows the relay step if that is higher, and the present rate', async () => {
  const rise = async (step: bigint, fallbackFeeRate: bigint, expected: (old: WalletTx) => bigint) => {
    const { purse, pay } = await payer([DFI], { fallbackFeeRate });
    Object.assign(purse.mempool.policy, { incrementalRelayFeeRate: step });
    const old = pay();
    const { tx, newFee } = bumpFee(purse.wallet, old, { ...usual, replaceable: false });
    assert.equal(newFee, expected(old));
    assert.equal(tx.vin[0]?.sequence, FINAL);
    await purse.wallet.stop();
  };
  await rise(6_000n, 1_000n, (old) => leastFee(old, 6_000n));
  await rise(4_000n, 1_000n, (old) => leastFee(old));
  await rise(4_000n, 20_000n, () => 4_420n);
});

test('a replacement adds confirmed coins if its change does not suffice, and reports why it cannot be built', async () => {
  const { purse, pay } = await payer([PAYMENT + SIZE, 3n * DFI]);
  const exact = pay({
    inputs: [...purse.wallet.unspent.confirmed()].filter(({ vout }) => vout === 0).map(({ wtx }) => ({ txid: wtx.tx.txid, vout: 0 })),
  });
  assert.equal(exact.tx.vout.length, 1);
  const { tx } = bumpFee(purse.wallet, exact, usual);
  assert.deepEqual(tx.vin.map(({ prevout }) => prevout.vout).sort(), [0, 1]);
  await purse.wallet.stop();
  const poor = await payer([PAYMENT + SIZE]);
  const alone = poor.pay();
  assert.equal(
    textOf(() => bumpFee(poor.purse.wallet, alone, usual)),
    'Unable to create transaction: Insufficient funds',
  );
  assert.equal(alone.notes.has('replaced_by_txid'), false);
  await poor.purse.wallet.stop();
});

test('only an unconfirmed, replaceable payment without descendants, from own coins, can be replaced', async () => {
  const { purse, pay } = await payer([DFI, DFI]);
  const refusal = (wtx: WalletTx) => textOf(() => bumpFee(purse.wallet, wtx, usual));
  const [parent] = [...purse.wallet.unspent.confirmed()];
  const inputs = [{ txid: parent?.wtx.tx.txid as Uint8Array, vout: 0 }];
  const first = pay({ inputs });
  const entry = purse.mempool.pool.get(first.tx.txid) as unknown as { descendants: { count: number } };
  entry.descendants.count = 2;
  assert.equal(refusal(first), 'Transaction has descendants in the mempool');
  entry.descendants.count = 1;
  const changeAt = first.tx.vout.findIndex(({ scriptPubKey }) => toHex(scriptPubKey) !== toHex(elsewhere));
  const spent = purse.transaction([dfi(1_000n, elsewhere)], { txid: first.tx.txid, vout: changeAt });
  purse.mempool.accept(spent);
  assert.equal(refusal(first), 'Transaction has descendants in the wallet');
  assert.equal(
    textOf(() => bumpToTotal(purse.wallet, first, 1_000n, true)),
    'Transaction has descendants in the wallet',
  );
  const last = pay({ replaceable: false });
  assert.equal(refusal(last), 'Transaction is not BIP 125 replaceable');
  purse.chain.connect([last.tx]);
  assert.equal(refusal(last), 'Transaction has been mined, or is conflicted with a mined transaction');
  await purse.wallet.stop();
});

test('a payment with an input of another wallet, or a watch-only one, cannot be replaced', async () => {
  const { purse } = await payer([]);
  const watched = buildScript(Op.ZERO, new Uint8Array(20));
  purse.wallet.addWatched(watched, 1);
  const parent = purse.receive([dfi(DFI, purse.address('legacy')), dfi(DFI, watched)]);
  const foreign = { txid: new Uint8Array(32).fill(1), vout: 0 };
  const refusal = (others: readonly OutPoint[]) => {
    const single = purse.transaction([dfi(DFI, elsewhere)], { txid: parent.txid, vout: 0 });
    const vin = [...single.vin, ...others.map((prevout) => ({ ...single.vin[0], prevout }))].map((input) => ({ ...input, sequence: 0 }));
    const tx = makeTransaction({ ...single, vin: vin as Transaction['vin'] }, purse.chain.params.txFormat);
    purse.mempool.accept(tx);
    return textOf(() => bumpFee(purse.wallet, purse.wallet.txs.get(tx.txid) as WalletTx, usual));
  };
  const text = "Transaction contains inputs that don't belong to this wallet";
  assert.equal(refusal([foreign]), text);
  assert.equal(refusal([{ txid: parent.txid, vout: 1 }]), text);
  await purse.wallet.stop();
});

test('a total fee is at least the old one and the relay step for the size, the minimum, and at most -maxtxfee', async () => {
  const { purse, pay } = await payer([DFI]);
  const old = pay();
  const { settings } = purse.wallet.deps;
  const refusal = (total: bigint) => textOf(() => bumpToTotal(purse.wallet, old, total, true));
  const step = '(oldFee 0.00000221 + incrementalFee 0.00000221)';
  assert.equal(refusal(441n), `Insufficient totalFee, must be at least 0.00000442 ${step}`);
  Object.assign(settings, { minFeeRate: 3_000n });
  assert.equal(refusal(662n), 'Insufficient totalFee (cannot be less than required fee 0.00000663)');
  Object.assign(settings, { maxFee: 662n });
  const limit = '(cannot be higher than -maxtxfee 0.00000662)';
  assert.equal(refusal(663n), `Specified or calculated fee 0.00000663 is too high ${limit}`);
  Object.assign(settings, { maxFee: 1_105n });
  Object.assign(purse.mempool, { minimumFeeRate: () => 5_000n });
  const value = 'the totalFee value should be at least 0.00001105 to add transaction';
  assert.equal(
    refusal(1_104n),
    `New fee rate (0.00004995) is lower than the minimum fee rate (0.00005) to get into the mempool -- ${value}`,
  );
  const { tx, oldFee, newFee } = bumpToTotal(purse.wallet, old, 1_105n, true);
  assert.deepEqual([oldFee, newFee], [SIZE, 1_105n]);
  assert.deepEqual([valuesTo(tx, elsewhere), valuesTo(tx, changeOf(old.tx))], [[PAYMENT], [DFI - PAYMENT - 1_105n]]);
  assert.equal(purse.wallet.txs.get(tx.txid)?.notes.get('replaces_txid'), formatHash(old.tx.txid));
  await purse.wallet.stop();
});

test('the least total fees are accepted, and the sequence signals as asked', async () => {
  const bumped = async (total: bigint, replaceable: boolean, minFeeRate = 1_000n) => {
    const { purse, pay } = await payer([DFI]);
    const old = pay();
    Object.assign(purse.wallet.deps.settings, { minFeeRate });
    const { tx, newFee } = bumpToTotal(purse.wallet, old, total, replaceable);
    assert.deepEqual([tx.version, tx.lockTime], [old.tx.version, old.tx.lockTime]);
    await purse.wallet.stop();
    return [newFee, tx.vin[0]?.sequence];
  };
  assert.deepEqual(await bumped(442n, true), [442n, REPLACEABLE]);
  assert.deepEqual(await bumped(663n, false, 3_000n), [663n, FINAL]);
});

test('a total fee is taken from the change, which becomes fee if at most the dust threshold remains', async () => {
  const bumped = async (total: bigint) => {
    const { purse, pay } = await payer([PAYMENT + SIZE + 10_000n]);
    const old = pay();
    try {
      const { tx, newFee } = bumpToTotal(purse.wallet, old, total, true);
      return [valuesTo(tx, elsewhere), valuesTo(tx, changeOf(old.tx)), newFee];
    } catch (error) {
      return (error as Error).message;
    } finally {
      await purse.wallet.stop();
    }
  };
  // 990 is the dust threshold at the discard rate.
  assert.deepEqual(await bumped(SIZE + 9_009n), [[PAYMENT], [991n], 9_230n]);
  assert.deepEqual(await bumped(SIZE + 9_010n), [[PAYMENT], [], 10_221n]);
  assert.deepEqual(await bumped(SIZE + 10_000n), [[PAYMENT], [], 10_221n]);
  assert.equal(await bumped(SIZE + 10_001n), 'Change output is too small to bump the fee');
});

test('a total fee needs one change output and a key for each input', async () => {
  const { purse, pay } = await payer([3n * DFI]);
  const first = pay();
  const refusal = (wtx: WalletTx, wallet = purse.wallet) => textOf(() => bumpToTotal(wallet, wtx, 10_000n, true));
  purse.chain.connect([first.tx]);
  const second = pay({}, [elsewhere, changeOf(first.tx)]);
  assert.equal(refusal(second), 'Transaction has multiple change outputs');
  await purse.wallet.stop();
  const exact = await payer([PAYMENT + SIZE]);
  assert.equal(refusal(exact.pay(), exact.purse.wallet), 'Transaction does not have a change output');
  await exact.purse.wallet.stop();
  const locked = await payer([DFI]);
  const payment = locked.pay();
  Object.assign(locked.purse.wallet.keys, { privateKey: () => undefined });
  assert.equal(refusal(payment, locked.purse.wallet), "Can't sign transaction.");
  await locked.purse.wallet.stop();
});

test('the outputs of a custom transaction keep their positions in a replacement, and the change follows them', async () => {
  for (let n = 0; n < 8; n++) {
    const { purse } = await payer([3n * DFI]);
    const message = { script: customTxScript({ type: 'U', body: Uint8Array.of(n) }), amount: DFI, tokenId: 0, paysFee: false };
    // An output to the wallet itself without a label, such as a collateral.
    const own = { script: scriptOf(purse.wallet.newChangeAddress('legacy')), amount: PAYMENT, tokenId: 0, paysFee: false };
    const { tx } = buildTransaction(purse.wallet, [message, own], { feeRate: 1_000n, changePosition: 2 });
    commitTransaction(purse.wallet, tx);
    const old = purse.wallet.txs.get(tx.txid) as WalletTx;
    const { tx: replacement, newFee, oldFee } = bumpFee(purse.wallet, old, usual);
    const change = tx.vout[2] as TxOut;
    assert.deepEqual(replacement.vout, [...tx.vout.slice(0, 2), { ...change, value: change.value - (newFee - oldFee) }]);
    await purse.wallet.stop();
  }
});

test('a transaction with outputs that an account pays for is not replaced', async () => {
  const { purse } = await payer([3n * DFI]);
  assert.ok(accountToUtxos.codec);
  const body = encode(accountToUtxos.codec, { from: elsewhere, balances: [{ tokenId: 0, amount: PAYMENT }], mintingOutputsStart: 2 });
  const message = { script: customTxScript({ type: 'b', body }), amount: 0n, tokenId: 0, paysFee: false };
  const minted = { script: elsewhere, amount: PAYMENT, tokenId: 0, paysFee: false };
  const { tx } = buildTransaction(purse.wallet, [message, minted], { feeRate: 1_000n, changePosition: 1 });
  commitTransaction(purse.wallet, tx);
  const old = purse.wallet.txs.get(tx.txid) as WalletTx;
  for (const run of [() => bumpFee(purse.wallet, old, usual), () => bumpToTotal(purse.wallet, old, 10_000n, true)]) {
    assert.equal(textOf(run), 'Transaction has outputs that an account pays for');
  }
  await purse.wallet.stop();
});
