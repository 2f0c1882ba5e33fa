import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { scriptOf } from '../../../../src/script/address.js';
import { EMPTY_BYTES, toHex } from '../../../../src/util/bytes.js';
import { commitTransaction } from '../../../../src/wallet/spend/commit.js';
import { readWallet } from '../../../../src/wallet/store/read-file.js';
import * as records from '../../../../src/wallet/store/records.js';
import { Wallet } from '../../../../src/wallet/wallet.js';
import { ModelChain, ModelMempool, modelDeps } from '../model-node.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-commit-'));
after(() => rmSync(directory, { recursive: true }));

const MUST_BE_ACCEPTED = { mustBeAccepted: { absurdFee: 1n } };

/** Accepts or rejects all transactions, and notes which of them were in the wallet's file at that time. */
class WatchingMempool extends ModelMempool {
  readonly onDisk: string[] = [];
  path = '';

  constructor(private readonly accepts: boolean) {
    super();
  }

  override accept(tx: Transaction): ReturnType<ModelMempool['accept']> {
    if (storedTxids(this.path).includes(toHex(tx.txid))) this.onDisk.push(toHex(tx.txid));
    if (this.accepts) return super.accept(tx);
    return { status: 'rejected', reason: 'dust', debug: '', code: 64 } as never;
  }
}

function storedTxids(path: string): string[] {
  const { tables } = readWallet(readFileSync(path), path);
  return [...tables.rows(records.transactions.name)].map(({ key }) => toHex(key));
}

async function walletWith(name: string, mempool: WatchingMempool, broadcast: boolean) {
  const chain = new ModelChain();
  const notified: string[] = [];
  const announced: string[] = [];
  const deps = {
    ...modelDeps(chain, mempool, { keypoolSize: 2, broadcast }),
    notify: (txid: Uint8Array) => notified.push(toHex(txid)),
    relay: { announce: ({ txid }: Transaction) => announced.push(toHex(txid)) },
  };
  mempool.path = join(directory, name);
  const kind = { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined };
  const wallet = await Wallet.create(name, mempool.path, kind, deps);
  await wallet.start();
  const scriptPubKey = scriptOf(wallet.newAddress('', 'bech32'));
  const format = chain.params.txFormat;
  const vin = [{ prevout: { txid: new Uint8Array(32).fill(7), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
  const tx = makeTransaction({ version: 4, vin, vout: [{ value: 1n, scriptPubKey, tokenId: 0 }], lockTime: 0 }, format);
  return { wallet, tx, key: toHex(tx.txid), point: vin[0]?.prevout as never, notified, announced };
}

test('a payment is on disk before it is submitted, and stays in the wallet if the mempool rejects it', async () => {
  const mempool = new WatchingMempool(false);
  const { wallet, tx, key, notified, announced } = await walletWith('payment', mempool, true);
  commitTransaction(wallet, tx);
  assert.deepEqual([mempool.onDisk, storedTxids(wallet.path), notified, announced], [[key], [key], [key], []]);
  await wallet.stop();
});

test('without -walletbroadcast a payment is only stored', async () => {
  const mempool = new WatchingMempool(true);
  const { wallet, tx, key, announced } = await walletWith('silent', mempool, false);
  commitTransaction(wallet, tx);
  assert.deepEqual([mempool.onDisk, storedTxids(wallet.path), announced], [[], [key], []]);
  await wallet.stop();
});

test('a transaction that must be accepted is on disk first, is sent without -walletbroadcast too, and is notified of once', async () => {
  const mempool = new WatchingMempool(true);
  const { wallet, tx, key, notified, announced } = await walletWith('custom', mempool, false);
  commitTransaction(wallet, tx, MUST_BE_ACCEPTED);
  assert.deepEqual([mempool.onDisk, storedTxids(wallet.path), notified, announced], [[key], [key], [key], [key]]);
  assert.equal(wallet.txs.get(tx.txid)?.isFromMe, false);
  await wallet.stop();
});

test('a transaction that must be accepted leaves nothing behind when it is rejected', async () => {
  const mempool = new WatchingMempool(false);
  const { wallet, tx, key, point, notified, announced } = await walletWith('rejected', mempool, true);
  wallet.outputLocks.add(point);
  assert.throws(() => commitTransaction(wallet, tx, MUST_BE_ACCEPTED), { message: 'dust (code 64)' });
  assert.deepEqual([mempool.onDisk, storedTxids(wallet.path), notified, announced], [[key], [], [], []]);
  assert.equal(wallet.txs.size, 0);
  assert.deepEqual(wallet.unspent.unconfirmedTransactions(), []);
  assert.ok(wallet.outputLocks.has(point));
  await wallet.stop();
});
