import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../../../src/crypto/hash.js';
import { destinationOf } from '../../../../src/script/address.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { toHex } from '../../../../src/util/bytes.js';
import type { BuildOptions, Recipient } from '../../../../src/wallet/spend/build-request.js';
import { buildTransaction } from '../../../../src/wallet/spend/builder.js';
import { dfi, Purse } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'coins-and-fee-'));
after(() => rmSync(directory, { recursive: true }));

const DFI = 100_000_000n;
/** One satoshi for each virtual byte: 10, and 147 for each legacy input, and 32 for each output to a witness script. */
const RATE = 1_000n;
const ONE_OUTPUT = 189n;
const TWO_OUTPUTS = 221n;

const elsewhere = (n: number): Uint8Array => buildScript(Op.ZERO, sha256(Uint8Array.of(n)).subarray(0, 20));
const pay = (amount: bigint, paysFee = false, n = 1): Recipient => ({ script: elsewhere(n), amount, tokenId: 0, paysFee });

/** Deterministic random numbers. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Spends legacy coins of the given values. @returns values of the inputs that were chosen, the payments and the change */
async function spend(coins: readonly bigint[], recipients: readonly Recipient[], options: BuildOptions = {}, seed = 1) {
  const purse = await Purse.open(directory);
  const address = purse.address('legacy');
  const parent = purse.receive(coins.map((value) => dfi(value, address)));
  const preset = options.inputs?.map(({ vout }) => ({ txid: parent.txid, vout }));
  try {
    const all = { feeRate: RATE, ...options, ...(preset && { inputs: preset }) };
    const { tx, fee, changePosition } = buildTransaction(purse.wallet, recipients, all, seeded(seed));
    const values = tx.vout.map(({ value }) => value);
    return {
      spent: tx.vin.map(({ prevout }) => coins[prevout.vout] as bigint).sort((a, b) => Number(b - a)),
      paid: values.filter((_, i) => i !== changePosition),
      change: values[changePosition],
      fee,
    };
  } finally {
    await purse.wallet.stop();
  }
}

test('the fee is that of the size, and taken from the change', async () => {
  const built = await spend([DFI], [pay(DFI / 2n)]);
  assert.deepEqual(built, { spent: [DFI], paid: [50_000_000n], change: 49_999_779n, fee: TWO_OUTPUTS });
  const dear = await spend([DFI], [pay(DFI / 2n)], { feeRate: 1_999n });
  assert.deepEqual([dear.change, dear.fee], [49_999_559n, 441n]);
});

test('change below the dust threshold of the discard rate becomes part of the fee', async () => {
  // At the discard rate of 10,000, an output of 32 bytes with an input of 67 is worth 990. The fee is subtracted from the recipient.
  const built = async (rest: bigint) => {
    const { paid, change, fee } = await spend([DFI + rest], [pay(DFI, true)]);
    return [paid[0], change, fee];
  };
  assert.deepEqual(await built(989n), [DFI, undefined, 989n]);
  assert.deepEqual(await built(990n), [DFI - TWO_OUTPUTS, 990n, TWO_OUTPUTS]);
  assert.deepEqual(await built(0n), [DFI - ONE_OUTPUT, undefined, ONE_OUTPUT]);
  assert.deepEqual(await built(188n), [DFI - ONE_OUTPUT, undefined, 377n]);
  assert.deepEqual(await built(189n), [DFI, undefined, 189n]);
});

test('the fee is divided among the recipients who pay it, the first of them also pays the remainder', async () => {
  const recipients = [pay(10_000_000n), pay(20_000_000n, true, 2), pay(30_000_000n, true, 3)];
  const odd = await spend([DFI], recipients);
  assert.deepEqual(odd, { spent: [DFI], paid: [10_000_000n, 19_999_857n, 29_999_858n], change: 40_000_000n, fee: 285n });
  const even = await spend([DFI], recipients, { feeRate: 1_004n });
  assert.deepEqual([even.paid, even.change, even.fee], [[10_000_000n, 19_999_857n, 29_999_857n], 40_000_000n, 286n]);
  const three = await spend([DFI], [pay(10_000_000n, true), ...recipients.slice(1)], { feeRate: 1_008n });
  assert.deepEqual([three.paid, three.fee], [[9_999_903n, 19_999_905n, 29_999_905n], 287n]);
});

test('payments below the dust threshold are refused, and say whether the fee made them so', async () => {
  const refusal = async (recipient: Recipient, feeRate = RATE) => {
    try {
      await spend([DFI], [recipient], { feeRate });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const small = 'Transaction amount too small';
  const afterFee = 'The transaction amount is too small to send after the fee has been deducted';
  assert.equal(await refusal(pay(296n)), small);
  assert.equal(await refusal(pay(297n)), undefined);
  assert.equal(await refusal(pay(296n, true)), small);
  assert.equal(await refusal(pay(297n + TWO_OUTPUTS - 1n, true)), afterFee);
  assert.equal(await refusal(pay(297n + TWO_OUTPUTS, true)), undefined);
  assert.equal(await refusal(pay(442n, true), 2_000n), afterFee);
  assert.equal(await refusal(pay(441n, true), 2_000n), 'The transaction amount is too small to pay the fee');
});

test('a fee that turns out too high, because fewer coins suffice in the end, raises the change', async () => {
  // The sum of the small coins is the payment, but they cannot pay for a transaction with two inputs.
  const built = await spend([30_000_000n, 20_000_000n, 5n * DFI], [pay(50_000_000n)]);
  assert.deepEqual(built, { spent: [5n * DFI], paid: [50_000_000n], change: 450_000_000n - TWO_OUTPUTS, fee: TWO_OUTPUTS });
});

test('a fee that turns out high enough for change and its dust threshold makes a change output', async () => {
  // Seven coins are the payment, but cannot pay the 1,071 for their size; then one coin suffices. 223, two bytes more than needed, and 990
  // are enough for change.
  const smaller = Array.from({ length: 7 }, () => 100_000n);
  const built = async (surplus: bigint) => {
    const large = 700_000n + 1_071n + surplus;
    const { spent, change, fee } = await spend([...smaller, large], [pay(700_000n)], {}, 5);
    assert.deepEqual(spent, [large]);
    return [change, fee];
  };
  assert.deepEqual(await built(141n), [undefined, 1_212n]);
  assert.deepEqual(await built(142n), [992n, TWO_OUTPUTS]);
});

test('a coin is spent without change if its surplus is no more than the cost of change', async () => {
  // 43 for the transaction without its input, 148 for that, as it is rounded up with its empty witness; 712 for an output of 32 bytes, and
  // an input of 68 at the discard rate.
  const [least, most] = [DFI + 43n + 148n, DFI + 43n + 148n + 712n];
  const built = async (value: bigint) => {
    const { spent, change, fee } = await spend([value, 7n * DFI], [pay(DFI)]);
    return [spent[0], change, fee];
  };
  const withChange = [7n * DFI, 6n * DFI - TWO_OUTPUTS, TWO_OUTPUTS];
  assert.deepEqual(await built(least - 1n), withChange);
  assert.deepEqual(await built(least), [least, undefined, 191n]);
  assert.deepEqual(await built(most), [most, undefined, 903n]);
  assert.deepEqual(await built(most + 1n), withChange);
});

test('coins are not selected exactly if a recipient pays the fee or there are preset inputs', async () => {
  const coins = [DFI + 300n, 7n * DFI, 1_000n];
  assert.deepEqual((await spend(coins, [pay(DFI)])).spent, [DFI + 300n]);
  assert.deepEqual((await spend(coins, [pay(DFI, true)])).spent, [7n * DFI]);
  const inputs = [{ txid: new Uint8Array(32), vout: 2 }];
  assert.deepEqual((await spend(coins, [pay(DFI + 800n)], { inputs })).spent, [7n * DFI, 1_000n]);
});

test('the coins must suffice for the payment and the fee', async () => {
  assert.equal((await spend([DFI + ONE_OUTPUT], [pay(DFI)])).fee, ONE_OUTPUT);
  await assert.rejects(spend([DFI + ONE_OUTPUT - 1n], [pay(DFI)]), /^BuildFailed: Insufficient funds$/);
});

test('the change output is at the requested position, which must exist', async () => {
  const purse = await Purse.open(directory);
  purse.receive([dfi(DFI, purse.address('legacy'))]);
  const changeDestination = destinationOf(elsewhere(9));
  const build = (changePosition: number) =>
    buildTransaction(purse.wallet, [pay(10_000_000n), pay(20_000_000n, false, 2)], { changePosition, changeDestination });
  for (const position of [0, 1, 2]) {
    const { tx, changePosition } = build(position);
    assert.equal(changePosition, position);
    assert.equal(toHex(tx.vout[position]?.scriptPubKey as Uint8Array), toHex(elsewhere(9)));
    assert.deepEqual(
      tx.vout.filter((_, i) => i !== position).map(({ value }) => value),
      [10_000_000n, 20_000_000n],
    );
  }
  assert.throws(() => build(3), /^BuildFailed: Change index out of range/);
  await purse.wallet.stop();
});

test('with -fallbackfee=0 and no estimate nothing is built', async () => {
  const purse = await Purse.open(directory, { fallbackFeeRate: 0n });
  purse.receive([dfi(DFI, purse.address('legacy'))]);
  const build = (options: BuildOptions) => () => buildTransaction(purse.wallet, [pay(10_000_000n)], options);
  assert.throws(build({}), /^BuildFailed: Fee estimation failed\. Fallbackfee is disabled\. Wait a few blocks or enable -fallbackfee\.$/);
  assert.equal(build({ feeRate: 0n, isVerbatim: true })().fee, 0n);
  await purse.wallet.stop();
});

test('amounts, tokens and the number of recipients are checked first', async () => {
  const purse = await Purse.open(directory);
  const build = (recipients: readonly Recipient[]) => () => buildTransaction(purse.wallet, recipients);
  assert.throws(build([pay(1n), pay(-1n)]), /^BuildFailed: Transaction amounts must not be negative$/);
  assert.throws(build([{ ...pay(DFI), tokenId: 1 }]), /^BuildFailed: Unexpected token type set for recipient\. Only native DFI token type/);
  assert.throws(build([]), { name: 'BuildFailed', message: 'Transaction must have at least one recipient', fee: 0n });
  assert.throws(build([pay(0n)]), /^BuildFailed: Transaction amount too small$/);
  await purse.wallet.stop();
});

test('the fee may be as high as -maxtxfee, and no satoshi higher', async () => {
  const purse = await Purse.open(directory, { maxFee: TWO_OUTPUTS });
  purse.receive([dfi(DFI, purse.address('legacy'))]);
  assert.equal(buildTransaction(purse.wallet, [pay(10_000_000n)], { feeRate: RATE }).fee, TWO_OUTPUTS);
  const dearer = () => buildTransaction(purse.wallet, [pay(10_000_000n)], { feeRate: 1_005n });
  assert.throws(dearer, /^BuildFailed: Fee exceeds maximum configured by -maxtxfee$/);
  await purse.wallet.stop();
});

test('with -walletrejectlongchains a transaction that would exceed the limits of the mempool for chains is not built', async () => {
  for (const rejectLongChains of [true, false]) {
    const purse = await Purse.open(directory, { rejectLongChains });
    purse.receive([dfi(DFI, purse.address('legacy'))]);
    /** @param sizeBytes of the unconfirmed parent with its descendants; the limit is 101,000 */
    const build = (sizeBytes: number) => () => {
      const descendants = { count: 1, size: sizeBytes };
      const parent = { key: '', vsize: 100, tx: { txid: new Uint8Array(32) }, parents: [], descendants };
      Object.assign(purse.mempool.pool, { parentsOf: () => new Set([parent]) });
      return buildTransaction(purse.wallet, [pay(10_000_000n)], { feeRate: RATE });
    };
    if (rejectLongChains) assert.throws(build(111_000), /^BuildFailed: Transaction has too long of a mempool chain$/);
    assert.equal(build(rejectLongChains ? 100 : 111_000)().tx.vin.length, 1);
    await purse.wallet.stop();
  }
});
