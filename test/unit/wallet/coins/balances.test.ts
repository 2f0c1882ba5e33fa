import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { masternodes } from '../../../../src/dfi/masternodes/columns.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../../src/primitives/transaction.js';
import { addSums, type BalanceOptions, balancesOf, creditOf, dfiOf } from '../../../../src/wallet/coins/balances.js';
import { debitOf, filterOf, ownOutputs, spendableOutputs, watchedOutputs } from '../../../../src/wallet/coins/trust.js';
import type { WalletTx } from '../../../../src/wallet/txs/wallet-tx.js';
import { dfi, elsewhere, foreign, Purse, watched } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'balances-'));
after(() => rmSync(directory, { recursive: true }));

const TOKEN = 7;
const NULL_POINT = { txid: new Uint8Array(32), vout: 0xffffffff };
const token = (value: bigint, scriptPubKey: Uint8Array): TxOut => ({ value, scriptPubKey, tokenId: TOKEN });

async function open(avoidReuse = false, settings = {}): Promise<{ purse: Purse; own: Uint8Array }> {
  const purse = await Purse.open(directory, settings, avoidReuse);
  purse.wallet.addWatched(watched, 1);
  return { purse, own: purse.address('bech32') };
}

const recordOf = ({ wallet }: Purse, { txid }: Transaction): WalletTx => wallet.txs.get(txid) as WalletTx;

/** Balances as trusted, pending and immature, of spendable and of watch-only outputs. */
function buckets({ wallet }: Purse, options?: BalanceOptions) {
  const { mine, watched: others } = balancesOf(wallet, options);
  return [mine, others].map(({ trusted, pending, immature }) => [dfiOf(trusted), dfiOf(pending), immature]);
}

test('confirmed outputs are trusted, unconfirmed ones of others pending, and own change is trusted without confirmations', async () => {
  const { purse, own } = await open();
  const mined = purse.receive([dfi(1_000n, own), dfi(200n, watched), token(5n, own), token(3n, watched)], 1);
  assert.deepEqual(buckets(purse), [
    [1_000n, 0n, 0n],
    [200n, 0n, 0n],
  ]);
  purse.mempool.accept(purse.transaction([dfi(70n, own), dfi(50n, watched), token(9n, own), dfi(1n, elsewhere)], foreign(1)));
  assert.deepEqual(buckets(purse), [
    [1_000n, 70n, 0n],
    [200n, 50n, 0n],
  ]);
  const change = purse.transaction([dfi(900n, own), dfi(30n, watched)], { txid: mined.txid, vout: 0 });
  purse.mempool.accept(change);
  assert.deepEqual(buckets(purse), [
    [900n, 70n, 0n],
    [230n, 50n, 0n],
  ]);
  // Coins that wait for a confirmation are neither trusted nor pending.
  assert.deepEqual(buckets(purse, { minDepth: 1 }), [
    [0n, 70n, 0n],
    [200n, 50n, 0n],
  ]);
  assert.deepEqual(buckets(purse, { minDepth: 2 }), [
    [0n, 70n, 0n],
    [0n, 50n, 0n],
  ]);
  const { mine, watched: others } = balancesOf(purse.wallet);
  assert.deepEqual(
    [mine.trusted.get(TOKEN), mine.pending.get(TOKEN), others.trusted.get(TOKEN), others.pending.get(TOKEN)],
    [5n, 9n, 3n, undefined],
  );
  // A payment that left the mempool counts in neither, and what it spends stays spent.
  purse.mempool.remove(change);
  assert.deepEqual(buckets(purse), [
    [0n, 70n, 0n],
    [200n, 50n, 0n],
  ]);
  await purse.wallet.stop();
});

test('a payment from watch-only coins, or with an input of others, is pending', async () => {
  const { purse, own } = await open();
  const mined = purse.receive([dfi(1_000n, own), dfi(200n, watched)], 1);
  purse.mempool.accept(purse.transaction([dfi(150n, own)], { txid: mined.txid, vout: 1 }));
  assert.deepEqual(buckets(purse), [
    [1_000n, 150n, 0n],
    [0n, 0n, 0n],
  ]);
  const single = purse.transaction([dfi(900n, own)], { txid: mined.txid, vout: 0 });
  const [input] = single.vin;
  const vin = [input, { ...input, prevout: foreign(2) }] as Transaction['vin'];
  const mixed = makeTransaction({ ...single, vin }, purse.chain.params.txFormat);
  purse.mempool.accept(mixed);
  assert.deepEqual(buckets(purse), [
    [0n, 1_050n, 0n],
    [0n, 0n, 0n],
  ]);
  await purse.wallet.stop();
});

test('with -spendzeroconfchange=0 own change is pending until it confirms', async () => {
  const { purse, own } = await open(false, { spendUnconfirmedChange: false });
  const mined = purse.receive([dfi(1_000n, own)], 1);
  const change = purse.transaction([dfi(900n, own)], { txid: mined.txid, vout: 0 });
  purse.mempool.accept(change);
  assert.deepEqual(buckets(purse)[0], [0n, 900n, 0n]);
  purse.chain.connect([change]);
  assert.deepEqual(buckets(purse)[0], [900n, 0n, 0n]);
  await purse.wallet.stop();
});

test('a coinbase is immature up to 100 confirmations, and nothing if its block was disconnected', async () => {
  const { purse, own } = await open();
  const coinbase = purse.receive([dfi(60n, own), dfi(5n, watched)], 1, NULL_POINT);
  const immature = [
    [0n, 0n, 60n],
    [0n, 0n, 5n],
  ];
  assert.deepEqual(buckets(purse), immature);
  for (let n = 1; n < 100; n++) purse.chain.connect([]);
  assert.deepEqual(buckets(purse), immature);
  const last = purse.chain.connect([]);
  assert.deepEqual(buckets(purse), [
    [60n, 0n, 0n],
    [5n, 0n, 0n],
  ]);
  purse.chain.disconnect();
  assert.deepEqual(buckets(purse), immature);
  purse.chain.connect([], last);
  while (purse.chain.tip.height > 0) purse.chain.disconnect();
  assert.equal(recordOf(purse, coinbase).depth(purse.chain), 0);
  assert.deepEqual(buckets(purse), [
    [0n, 0n, 0n],
    [0n, 0n, 0n],
  ]);
  await purse.wallet.stop();
});

test('a payment that conflicts with a block, or is not final, does not count', async () => {
  const { purse, own } = await open();
  const mined = purse.receive([dfi(1_000n, own)], 1);
  const spend = (value: bigint) => purse.transaction([dfi(value, own)], { txid: mined.txid, vout: 0 });
  const [loser, winner] = [spend(900n), spend(800n)];
  purse.mempool.accept(loser);
  purse.mempool.remove(loser);
  purse.chain.connect([winner]);
  assert.equal(recordOf(purse, loser).depth(purse.chain), -1);
  assert.deepEqual(buckets(purse)[0], [800n, 0n, 0n]);
  const { vin, vout, version } = purse.transaction([dfi(700n, own)], { txid: winner.txid, vout: 0 });
  const at = (lockTime: number) => {
    const tx = makeTransaction({ version, vin, vout, lockTime }, purse.chain.params.txFormat);
    purse.mempool.accept(tx);
    const found = buckets(purse)[0];
    purse.mempool.remove(tx);
    return found;
  };
  // The next block has the height 3, and the lock time must be below it.
  assert.deepEqual(at(3), [0n, 700n, 0n]);
  assert.deepEqual(at(2), [700n, 0n, 0n]);
  await purse.wallet.stop();
});

test('a wallet that avoids reuse leaves out coins of used addresses, unless it is asked for them', async () => {
  const { purse, own } = await open(true);
  purse.reuse(own, [20n, 3n], [7n, 5n]);
  assert.deepEqual(buckets(purse)[0], [3n, 5n, 0n]);
  assert.deepEqual(buckets(purse, { avoidReuse: false })[0], [23n, 12n, 0n]);
  await purse.wallet.stop();
});

test('the coinbase of a masternode of the genesis block is not a balance of the spendable side', async () => {
  const { purse, own } = await open();
  const coinbase = purse.receive([dfi(60n, own), dfi(5n, watched)], 1, NULL_POINT);
  const { state } = purse.chain;
  state.put(masternodes, coinbase.txid, {} as never);
  // Only one with more confirmations than the height of the tip is of the genesis block.
  assert.deepEqual(buckets(purse), [
    [0n, 0n, 60n],
    [0n, 0n, 5n],
  ]);
  Object.assign(purse.chain, { confirmations: () => purse.chain.tip.height + 1 });
  assert.deepEqual(buckets(purse), [
    [0n, 0n, 0n],
    [0n, 0n, 5n],
  ]);
  Object.assign(state, { has: () => false });
  assert.deepEqual(buckets(purse), [
    [0n, 0n, 60n],
    [0n, 0n, 5n],
  ]);
  await purse.wallet.stop();
});

test('credit and debit are the DFI of outputs and inputs by ownership, spent or not', async () => {
  const { purse, own } = await open();
  const parent = purse.receive([dfi(100n, own), dfi(20n, watched), token(5n, own), dfi(3n, elsewhere), dfi(4n, own)], 1);
  const input = (vout: number) => ({ ...parent.vin[0], prevout: { txid: parent.txid, vout } });
  const vin = [0, 1, 2, 3, 4].map(input) as Transaction['vin'];
  purse.chain.connect([makeTransaction({ ...parent, vin, vout: [dfi(1n, own)] }, purse.chain.params.txFormat)]);
  const filters = [spendableOutputs, watchedOutputs, ownOutputs, filterOf(false), filterOf(true)];
  const wtx = recordOf(purse, parent);
  assert.deepEqual(
    filters.map((filter) => creditOf(purse.wallet, wtx, filter)),
    [104n, 20n, 124n, 104n, 124n],
  );
  assert.deepEqual(
    filters.map((filter) => debitOf(purse.wallet, { tx: { ...parent, vin } }, filter)),
    [104n, 20n, 124n, 104n, 124n],
  );
  assert.equal(debitOf(purse.wallet, wtx, ownOutputs), 0n);
  await purse.wallet.stop();
});

test('sums are added by token', () => {
  const a = new Map([[0, 1n]]);
  assert.deepEqual(
    [
      ...addSums(
        a,
        new Map([
          [0, 2n],
          [TOKEN, 3n],
        ]),
      ),
    ],
    [
      [0, 3n],
      [TOKEN, 3n],
    ],
  );
  assert.deepEqual([dfiOf(a), dfiOf(new Map())], [1n, 0n]);
});
