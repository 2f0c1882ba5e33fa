import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { scriptOf } from '../../../../src/script/address.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { WalletFile } from '../../../../src/wallet/store/file.js';
import { Wallet } from '../../../../src/wallet/wallet.js';
import { ModelChain, ModelMempool, modelDeps } from '../model-node.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-key-pool-'));
after(() => rmSync(directory, { recursive: true }));

const POOL = 100;
const KIND = { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined };

/** Payments to addresses of a wallet by number, and a copy of the wallet as it was before it gave any. */
async function begin(name: string, numbers: readonly number[]) {
  const chain = new ModelChain();
  const deps = modelDeps(chain, new ModelMempool(), { keypoolSize: POOL });
  const wallet = await Wallet.create(name, join(directory, name), KIND, deps);
  const backup = join(directory, `${name}-backup`);
  wallet.backUp(backup);
  const scripts = Array.from({ length: Math.max(...numbers) }, () => scriptOf(wallet.newAddress('', 'bech32')));
  await wallet.stop();
  const payments = numbers.map(
    (number): Transaction =>
      makeTransaction(
        {
          version: 4,
          vin: [{ prevout: { txid: new Uint8Array(32).fill(number), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }],
          vout: [{ value: 1_000n, tokenId: 0, scriptPubKey: scripts[number - 1] as Uint8Array }],
          lockTime: 0,
        },
        chain.params.txFormat,
      ),
  );
  return { chain, payments, restored: Wallet.open(name, WalletFile.open(backup), deps) };
}

/** Each is within the key pool as it is after the one before. */
const NUMBERS = [90, 180, 270, 280];

for (const [how, blocks] of [
  ['in a block each', (all: readonly Transaction[]) => all.map((tx) => [tx])],
  ['in one block', (all: readonly Transaction[]) => [all]],
] as const) {
  test(`a restored wallet finds payments to ever later keys ${how}: by a rescan, and as blocks are connected`, async () => {
    for (const rescans of [true, false]) {
      const { chain, payments, restored } = await begin(`${how}-${rescans}`, NUMBERS);
      if (!rescans) await restored.start();
      for (const transactions of blocks(payments)) chain.connect(transactions);
      if (rescans) await restored.start();
      assert.deepEqual(
        payments.map(({ txid }) => restored.txs.get(txid) !== undefined),
        NUMBERS.map(() => true),
      );
      await restored.stop();
    }
  });
}
