import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { accountToUtxos } from '../../../../src/dfi/accounts/transactions.js';
import { encode } from '../../../../src/primitives/codec.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../../src/primitives/transaction.js';
import { type Destination, destinationOf, scriptOf } from '../../../../src/script/address.js';
import { customTxScript } from '../../../../src/script/custom-tx.js';
import { countEntries, type EntryQuery, entriesOf, netOf } from '../../../../src/wallet/coins/history.js';
import { ownOutputs, spendableOutputs, watchedOutputs } from '../../../../src/wallet/coins/trust.js';
import type { WalletTx } from '../../../../src/wallet/txs/wallet-tx.js';
import { dfi, elsewhere, foreign, Purse, watched } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'history-'));
after(() => rmSync(directory, { recursive: true }));

const NULL_POINT = { txid: new Uint8Array(32), vout: 0xffffffff };
const token = (value: bigint, scriptPubKey: Uint8Array): TxOut => ({ value, scriptPubKey, tokenId: 7 });

/** A wallet with a labelled address, a change script, a watch-only script and a mined coin of 1,000 of each. */
async function open() {
  const purse = await Purse.open(directory);
  const { wallet } = purse;
  wallet.addWatched(watched, 1);
  wallet.book.set(destinationOf(watched) as Destination, '', 'receive');
  wallet.book.set(destinationOf(elsewhere) as Destination, 'baker', 'send');
  const own = purse.address('bech32');
  wallet.book.set(destinationOf(own) as Destination, 'shop', 'receive');
  const change = scriptOf(wallet.newChangeAddress('bech32'));
  const parent = purse.receive(
    [dfi(1_000n, own), dfi(1_000n, change), dfi(1_000n, watched), token(1_000n, own), dfi(1n, own), dfi(1n, watched)],
    1,
  );
  const record = (tx: Transaction) => wallet.txs.get(tx.txid) as WalletTx;
  /** A pending transaction that spends outputs of `parent`. */
  const spend = (vout: readonly TxOut[], ...at: readonly number[]): WalletTx => {
    const vin = at.map((each) => ({ ...parent.vin[0], prevout: { txid: parent.txid, vout: each } })) as Transaction['vin'];
    const tx = makeTransaction({ ...parent, vin, vout }, purse.chain.params.txFormat);
    purse.mempool.accept(tx);
    return record(tx);
  };
  return { purse, wallet, own, change, record, spend };
}

type Opened = Awaited<ReturnType<typeof open>>;
/** Entries as category, amount, index, fee, label and interest in watch-only outputs. */
function entries({ wallet }: Opened, wtx: WalletTx, query: EntryQuery) {
  const list = entriesOf(wallet, wtx, query);
  assert.equal(countEntries(wallet, wtx, query), list.length);
  return list.map(({ category, amount, vout, fee, label, involvesWatched }) => [category, amount, vout, fee, label, involvesWatched]);
}
const spendable = { filter: spendableOutputs };

test('a payment has an entry for each output but change, sent ones with the fee before received ones', async () => {
  const opened = await open();
  const { wallet, own, change, spend } = opened;
  const wtx = spend([dfi(400n, elsewhere), dfi(300n, change), dfi(200n, own), token(5n, elsewhere)], 0, 3);
  assert.deepEqual(entries(opened, wtx, spendable), [
    ['send', -400n, 0, -100n, 'baker', false],
    ['send', -200n, 2, -100n, 'shop', false],
    ['send', -5n, 3, -100n, 'baker', false],
    ['receive', 200n, 2, undefined, 'shop', false],
  ]);
  assert.deepEqual(entries(opened, wtx, { ...spendable, label: 'shop' }), [['receive', 200n, 2, undefined, 'shop', false]]);
  assert.deepEqual(entries(opened, wtx, { ...spendable, label: 'baker' }), []);
  assert.deepEqual(netOf(wallet, wtx, spendableOutputs), { amount: -400n, fee: -100n });
  await wallet.stop();
});

test('the filter decides which inputs make a payment a sent one, and which outputs are received', async () => {
  const opened = await open();
  const { wallet, own, spend } = opened;
  const wtx = spend([dfi(600n, own), dfi(250n, watched), dfi(50n, elsewhere)], 2);
  assert.deepEqual(entries(opened, wtx, spendable), [['receive', 600n, 0, undefined, 'shop', true]]);
  const sent = [
    ['send', -600n, 0, -100n, 'shop', true],
    ['send', -250n, 1, -100n, '', true],
    ['send', -50n, 2, -100n, 'baker', true],
  ];
  assert.deepEqual(entries(opened, wtx, { filter: ownOutputs }), [
    ...sent,
    ['receive', 600n, 0, undefined, 'shop', true],
    ['receive', 250n, 1, undefined, '', true],
  ]);
  assert.deepEqual(entries(opened, wtx, { filter: watchedOutputs }), [...sent, ['receive', 250n, 1, undefined, '', true]]);
  assert.deepEqual(netOf(wallet, wtx, spendableOutputs), { amount: 600n, fee: undefined });
  assert.deepEqual(netOf(wallet, wtx, ownOutputs), { amount: -50n, fee: -100n });
  await wallet.stop();
});

test('a single satoshi that is spent makes a payment a sent one', async () => {
  const opened = await open();
  const mine = opened.spend([dfi(1n, elsewhere)], 4);
  assert.deepEqual(entries(opened, mine, spendable), [['send', -1n, 0, 0n, 'baker', false]]);
  const others = opened.spend([dfi(1n, elsewhere)], 5);
  assert.deepEqual(entries(opened, others, { filter: ownOutputs }), [['send', -1n, 0, 0n, 'baker', true]]);
  assert.deepEqual(netOf(opened.wallet, mine, spendableOutputs), { amount: -1n, fee: 0n });
  await opened.wallet.stop();
});

test('a received payment is shown from the asked number of confirmations on, with its change outputs', async () => {
  const opened = await open();
  const { purse, wallet, own, change, record } = opened;
  const tx = purse.transaction([dfi(10n, own), dfi(20n, change), dfi(30n, watched), dfi(40n, elsewhere)], foreign(1));
  purse.chain.connect([tx]);
  const received = [
    ['receive', 10n, 0, undefined, 'shop', false],
    ['receive', 20n, 1, undefined, undefined, false],
  ];
  assert.deepEqual(entries(opened, record(tx), { ...spendable, minDepth: 1 }), received);
  assert.deepEqual(entries(opened, record(tx), { ...spendable, minDepth: 2 }), []);
  assert.deepEqual(entries(opened, record(tx), { filter: ownOutputs }), [...received, ['receive', 30n, 2, undefined, '', true]]);
  assert.deepEqual(netOf(wallet, record(tx), ownOutputs), { amount: 60n, fee: undefined });
  await wallet.stop();
});

test('a coinbase is immature, generated after 100 more blocks, or an orphan', async () => {
  const opened = await open();
  const { purse, wallet, own, record } = opened;
  const tx = purse.receive([dfi(10n, own)], 100, NULL_POINT);
  const facts = () => [entries(opened, record(tx), spendable)[0]?.[0], netOf(wallet, record(tx), spendableOutputs).amount];
  assert.deepEqual(facts(), ['immature', 0n]);
  purse.chain.connect([]);
  assert.deepEqual(facts(), ['generate', 10n]);
  while (purse.chain.tip.height > 2) purse.chain.disconnect();
  assert.equal(facts()[0], 'immature');
  purse.chain.disconnect();
  assert.equal(facts()[0], 'orphan');
  await wallet.stop();
});

test('outputs minted from an account are not paid by the inputs', async () => {
  const opened = await open();
  const { wallet, own, change, spend } = opened;
  const body = encode(accountToUtxos.codec as NonNullable<typeof accountToUtxos.codec>, {
    from: own,
    balances: [{ tokenId: 0, amount: 300n }],
    mintingOutputsStart: 2,
  });
  const message = dfi(0n, customTxScript({ type: 'b', body }));
  const wtx = spend([message, dfi(950n, change), dfi(300n, own)], 0);
  assert.deepEqual(netOf(wallet, wtx, spendableOutputs), { amount: 300n, fee: -50n });
  assert.deepEqual(
    entries(opened, wtx, spendable).map(([category, amount, , fee]) => [category, amount, fee]),
    [
      ['send', 0n, -50n],
      ['send', -300n, -50n],
      ['receive', 300n, undefined],
    ],
  );
  await wallet.stop();
});
