import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { measureTransaction, transactionWeight } from '../../../../src/primitives/transaction.js';
import { destinationOf } from '../../../../src/script/address.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { buildTransaction, buildUnsigned } from '../../../../src/wallet/spend/builder.js';
import { dfi, Purse } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'assemble-'));
after(() => rmSync(directory, { recursive: true }));

const DFI = 100_000_000n;
const EIGHT_HOURS = 28_800;
const pay = { script: buildScript(Op.ZERO, new Uint8Array(20)), amount: DFI, tokenId: 0, paysFee: false };

test('the lock time is the height of the tip, one time in ten up to 99 blocks less, and none if the tip is old', async () => {
  const purse = await Purse.open(directory);
  purse.receive([dfi(10n * DFI, purse.address('legacy'))], 120);
  /** @param oneInTen drawn below 10 @param less drawn below 100 */
  const lockTime = (oneInTen: number, less: number) => {
    const random = (below: number) => ({ 10: oneInTen, 100: less })[below] ?? 0;
    return buildTransaction(purse.wallet, [pay], {}, random).tx.lockTime;
  };
  assert.deepEqual([lockTime(1, 99), lockTime(9, 99), lockTime(0, 0), lockTime(0, 99)], [120, 120, 120, 21]);
  for (let n = 0; n < 30; n++) purse.chain.disconnect();
  assert.equal(lockTime(0, 99), 0);
  const { clock, chain } = purse.wallet.deps;
  Object.assign(clock, { seconds: () => chain.tip.time + EIGHT_HOURS });
  assert.equal(lockTime(1, 0), 90);
  Object.assign(clock, { seconds: () => chain.tip.time + EIGHT_HOURS + 1 });
  assert.equal(lockTime(1, 0), 0);
  Object.assign(clock, { seconds: () => chain.tip.time });
  Object.assign(chain, { isInitialDownload: () => true });
  assert.equal(lockTime(1, 0), 0);
  await purse.wallet.stop();
});

test('a transaction may weigh 400,000, and with its signatures no more', async () => {
  const purse = await Purse.open(directory);
  purse.receive([dfi(10n * DFI, purse.address('bech32'))]);
  const { txFormat } = purse.chain.params;
  const recipients = (sizeBytes: number) => [{ ...pay, script: new Uint8Array(sizeBytes).fill(Op.ZERO) }];
  const weight = (sizeBytes: number) =>
    transactionWeight(measureTransaction(buildUnsigned(purse.wallet, recipients(sizeBytes), {}).tx, txFormat));
  const fits = 99_902;
  assert.equal(weight(fits), 400_000);
  assert.throws(() => weight(fits + 1), /^BuildFailed: Transaction too large$/);
  assert.throws(() => buildTransaction(purse.wallet, recipients(fits)), /^BuildFailed: Transaction too large$/);
  assert.equal(buildTransaction(purse.wallet, recipients(fits - 28)).tx.vin[0]?.witness.length, 2);
  await purse.wallet.stop();
});

test('a wallet that knows how to spend a coin but has no private key for it fails to sign', async () => {
  const purse = await Purse.open(directory);
  purse.receive([dfi(10n * DFI, purse.address('bech32'))]);
  Object.assign(purse.wallet.keys, { privateKey: () => undefined });
  const options = { changeDestination: destinationOf(pay.script) };
  assert.throws(() => buildTransaction(purse.wallet, [pay], options), /^BuildFailed: Signing transaction failed$/);
  assert.equal(buildUnsigned(purse.wallet, [pay], options).tx.vin.length, 1);
  await purse.wallet.stop();
});
