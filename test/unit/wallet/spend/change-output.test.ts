import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { destinationOf } from '../../../../src/script/address.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { toHex } from '../../../../src/util/bytes.js';
import type { WalletSettings } from '../../../../src/wallet/options.js';
import type { BuildOptions } from '../../../../src/wallet/spend/build-request.js';
import { buildTransaction } from '../../../../src/wallet/spend/builder.js';
import { readWallet } from '../../../../src/wallet/store/read-file.js';
import * as records from '../../../../src/wallet/store/records.js';
import { dfi, Purse } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'change-output-'));
after(() => rmSync(directory, { recursive: true }));

const DFI = 100_000_000n;
const HASH = new Uint8Array(20).fill(5);
const WITNESS = buildScript(Op.ZERO, HASH);
const LEGACY = buildScript(Op.DUP, Op.HASH160, HASH, Op.EQUALVERIFY, Op.CHECKSIG);

async function withCoin(settings: Partial<WalletSettings> = {}): Promise<Purse> {
  const purse = await Purse.open(directory, settings);
  purse.receive([dfi(10n * DFI, purse.address('legacy'))]);
  return purse;
}

/** Script of the change of a payment to `script`. */
function changeOf({ wallet }: Purse, script: Uint8Array, options: BuildOptions = {}): Uint8Array {
  const { tx, changePosition } = buildTransaction(wallet, [{ script, amount: DFI, tokenId: 0, paysFee: false }], options);
  return tx.vout[changePosition]?.scriptPubKey as Uint8Array;
}

test('the type of change: the given one, -changetype, legacy if addresses are, bech32 if a recipient is a witness program', async () => {
  const types = async (settings: Partial<WalletSettings>, options: BuildOptions = {}) => {
    const purse = await withCoin(settings);
    const found = [LEGACY, WITNESS].map((script) => destinationOf(changeOf(purse, script, options))?.type);
    await purse.wallet.stop();
    return found;
  };
  const [legacy, nested, bech32] = ['pkh', 'sh', 'wpkh'];
  assert.deepEqual(await types({}), [nested, bech32]);
  assert.deepEqual(await types({ addressType: 'bech32' }), [bech32, bech32]);
  assert.deepEqual(await types({ addressType: 'legacy' }), [legacy, legacy]);
  assert.deepEqual(await types({ addressType: 'erc55' }), [bech32, bech32]);
  assert.deepEqual(await types({ changeType: 'legacy' }), [legacy, legacy]);
  assert.deepEqual(await types({ changeType: 'bech32', addressType: 'legacy' }), [bech32, bech32]);
  assert.deepEqual(await types({ changeType: 'bech32' }, { changeType: 'p2sh-segwit' }), [nested, nested]);
});

test('a change key leaves the stored pool if the transaction is built, and returns to the pool if not', async () => {
  const purse = await withCoin();
  const { wallet } = purse;
  const path = join(directory, wallet.name);
  const stored = () => {
    wallet.commit();
    return [...readWallet(readFileSync(path), path).tables.rows(records.pool.name)].length;
  };
  const pooled = () => wallet.keyPool.size(true);
  wallet.keyChain.refill();
  const [before, first] = [stored(), pooled()];
  assert.throws(() => changeOf(purse, WITNESS, { inputs: [{ txid: HASH, vout: 0 }] }), /Insufficient funds/);
  assert.deepEqual([stored() - before, pooled() - first], [0, 0]);
  const given = changeOf(purse, WITNESS, { changeDestination: destinationOf(LEGACY) });
  assert.equal(toHex(given), toHex(LEGACY));
  assert.deepEqual([stored() - before, pooled() - first], [0, 0]);
  changeOf(purse, WITNESS);
  assert.deepEqual([stored() - before, pooled() - first], [-1, -1]);
  await wallet.stop();
});

test('without keys for change nothing is built, unless an address for it is given', async () => {
  const purse = await withCoin();
  const { keyChain, keyPool } = purse.wallet;
  Object.assign(keyChain, { canMakeKeys: () => false, reserve: () => undefined });
  assert.throws(() => changeOf(purse, WITNESS), /^BuildFailed: Keypool ran out, please call keypoolrefill first$/);
  Object.assign(keyPool, { size: () => 0 });
  const text = "Can't generate a change-address key. No keys in the internal keypool and can't generate any keys.";
  assert.throws(() => changeOf(purse, WITNESS), { name: 'BuildFailed', message: text });
  assert.equal(toHex(changeOf(purse, WITNESS, { changeDestination: destinationOf(LEGACY) })), toHex(LEGACY));
  await purse.wallet.stop();
});
