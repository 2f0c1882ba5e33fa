import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { masternodes } from '../../../../src/dfi/masternodes/columns.js';
import { pointKey } from '../../../../src/primitives/outpoint.js';
import type { Transaction, TxOut } from '../../../../src/primitives/transaction.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { toHex } from '../../../../src/util/bytes.js';
import { balancesOf, dfiOf } from '../../../../src/wallet/coins/balances.js';
import { availableCoins, type CoinQuery, coinsAtRandom, collectCoins, type WalletCoin } from '../../../../src/wallet/coins/coins.js';
import type { WalletTx } from '../../../../src/wallet/txs/wallet-tx.js';
import { dfi, elsewhere, foreign, Purse, watched } from '../purse.js';

const directory = mkdtempSync(join(tmpdir(), 'coins-'));
after(() => rmSync(directory, { recursive: true }));

const TOKEN = 7;
const NULL_POINT = { txid: new Uint8Array(32), vout: 0xffffffff };
const HASH = new Uint8Array(20).fill(5);
const token = (value: bigint, scriptPubKey: Uint8Array): TxOut => ({ value, scriptPubKey, tokenId: TOKEN });

async function open(avoidReuse = false): Promise<{ purse: Purse; own: Uint8Array }> {
  const purse = await Purse.open(directory, {}, avoidReuse);
  purse.wallet.addWatched(watched, 1);
  return { purse, own: purse.address('bech32') };
}

const amountOf = ({ wtx, vout }: WalletCoin): number => Number(wtx.tx.vout[vout]?.value);
/** Values of the coins that are found in each way, which must agree. */
async function found(purse: Purse, query: CoinQuery = {}): Promise<number[]> {
  const values = availableCoins(purse.wallet, query).map(amountOf);
  assert.deepEqual((await collectCoins(purse.wallet, query)).map(amountOf), values);
  return values;
}
const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

for (const [where, isConfirmed] of [
  ['in blocks', true],
  ['in the mempool', false],
] as const) {
  test(`coins ${where} are found by value, token, outpoint, script and lock`, async () => {
    const { purse, own } = await open();
    const other = purse.address('legacy');
    const vout = [dfi(10n, own), dfi(20n, other), dfi(30n, watched), token(40n, own), dfi(50n, elsewhere), dfi(60n, own), dfi(0n, other)];
    const tx = purse.transaction(vout, foreign(1));
    if (isConfirmed) purse.chain.connect([tx]);
    else purse.mempool.accept(tx);
    const point = (at: number) => pointKey({ txid: tx.txid, vout: at });
    assert.deepEqual(await found(purse), [10, 20, 30, 40, 60, 0]);
    assert.deepEqual(await found(purse, { minAmount: 1n, maxAmount: 10n }), [10]);
    assert.deepEqual(await found(purse, { minAmount: 20n, maxAmount: 40n }), [20, 30, 40]);
    assert.deepEqual(await found(purse, { minAmount: 21n, maxAmount: 39n }), [30]);
    assert.deepEqual(await found(purse, { tokenId: 0 }), [10, 20, 30, 60, 0]);
    assert.deepEqual(await found(purse, { tokenId: TOKEN }), [40]);
    assert.deepEqual(await found(purse, { selected: new Set([point(1), point(4), point(5)]) }), [20, 60]);
    assert.deepEqual(await found(purse, { script: own }), [10, 40, 60]);
    assert.deepEqual(sorted(await found(purse, { anyOrder: true })), [0, 10, 20, 30, 40, 60]);
    purse.wallet.outputLocks.add({ txid: tx.txid, vout: 0 });
    assert.deepEqual(await found(purse), [20, 30, 40, 60, 0]);
    await purse.wallet.stop();
  });

  test(`a search ends ${where} when it has found the sum or the number of coins`, async () => {
    const { purse, own } = await open();
    const tx = purse.transaction(
      [10n, 20n, 30n, 40n].map((value) => dfi(value, own)),
      foreign(1),
    );
    if (isConfirmed) purse.chain.connect([tx]);
    else purse.mempool.accept(tx);
    assert.deepEqual(await found(purse, { minSum: 30n }), [10, 20]);
    assert.deepEqual(await found(purse, { minSum: 31n }), [10, 20, 30]);
    assert.deepEqual(await found(purse, { minSum: 0n }), [10]);
    assert.deepEqual(await found(purse, { maxCount: 3 }), [10, 20, 30]);
    assert.deepEqual(await found(purse, { maxCount: 1 }), [10]);
    assert.deepEqual(await found(purse, { maxCount: 0 }), [10, 20, 30, 40]);
    assert.deepEqual(await found(purse, { minSum: 1_000n, maxCount: 2 }), [10, 20]);
    await purse.wallet.stop();
  });
}

test('coins are those with the asked confirmations, by raw txid across blocks and mempool', async () => {
  const { purse, own } = await open();
  const txs: Transaction[] = [];
  for (let n = 0; n < 3; n++) txs.push(purse.receive([dfi(BigInt(n + 1), own)], 1, foreign(n)));
  for (let n = 3; n < 6; n++) {
    const tx = purse.transaction([dfi(BigInt(n + 1), own)], foreign(n));
    purse.mempool.accept(tx);
    txs.push(tx);
  }
  const byTxid = [...txs].sort((a, b) => (toHex(a.txid) < toHex(b.txid) ? -1 : 1)).map(({ vout }) => Number(vout[0]?.value));
  assert.deepEqual(await found(purse), byTxid);
  const depths = async (minDepth: number, maxDepth?: number) =>
    sorted(await found(purse, { minDepth, ...(maxDepth !== undefined && { maxDepth }) }));
  assert.deepEqual(await depths(0, 0), [4, 5, 6]);
  assert.deepEqual(await depths(1), [1, 2, 3]);
  assert.deepEqual(await depths(2), [1, 2]);
  assert.deepEqual(await depths(3), [1]);
  assert.deepEqual(await depths(1, 2), [2, 3]);
  assert.deepEqual(
    availableCoins(purse.wallet, { maxAmount: 3n }).map((coin) => coin.depth + amountOf(coin)),
    [4, 4, 4],
  );
  const atRandom = [...coinsAtRandom(purse.wallet, { minDepth: 2 }, () => 0)];
  assert.deepEqual(sorted(atRandom.map(amountOf)), [1, 2]);
  await purse.wallet.stop();
});

test('coins that are spent, conflict with a block, have left the mempool or are immature are not found', async () => {
  const { purse, own } = await open();
  const parent = purse.receive([dfi(10n, own), dfi(20n, own), dfi(30n, own)], 1);
  const spend = (vout: number, value: bigint) => purse.transaction([dfi(value, own)], { txid: parent.txid, vout });
  const [mined, pooled, gone, loser] = [spend(0, 9n), spend(1, 19n), spend(2, 29n), spend(0, 8n)];
  purse.mempool.accept(loser);
  purse.mempool.remove(loser);
  purse.chain.connect([mined]);
  purse.mempool.accept(pooled);
  purse.mempool.accept(gone);
  purse.mempool.remove(gone);
  assert.deepEqual(sorted(await found(purse)), [9, 19]);
  purse.receive([dfi(60n, own)], 100, NULL_POINT);
  assert.deepEqual(sorted(await found(purse)), [9, 19]);
  purse.chain.connect([]);
  assert.deepEqual(sorted(await found(purse)), [9, 19, 60]);
  await purse.wallet.stop();
});

test('a coin is safe if its transaction is trusted, and neither replaces nor is replaced while unconfirmed', async () => {
  const { purse, own } = await open();
  const parent = purse.receive([dfi(10n, own)], 1);
  const payment = purse.transaction([dfi(5n, own)], foreign(1));
  const change = purse.transaction([dfi(9n, own)], { txid: parent.txid, vout: 0 });
  purse.mempool.accept(payment);
  purse.mempool.accept(change);
  const safe = () => availableCoins(purse.wallet, { onlySafe: true }).map(amountOf);
  const flags = () => Object.fromEntries(availableCoins(purse.wallet).map((coin) => [amountOf(coin), coin.safe]));
  assert.deepEqual([safe(), flags()], [[9], { 5: false, 9: true }]);
  const wtx = purse.wallet.txs.get(change.txid) as WalletTx;
  for (const note of ['replaces_txid', 'replaced_by_txid']) {
    wtx.note(note, '');
    assert.deepEqual([safe(), flags()], [[], { 5: false, 9: false }]);
    wtx.dropNote(note);
  }
  wtx.note('replaces_txid', '');
  purse.chain.connect([change, payment]);
  assert.deepEqual([sorted(safe()), flags()], [[5, 9], { 5: true, 9: true }]);
  await purse.wallet.stop();
});

test('watch-only coins are spendable if they are asked for and solvable, or the check is skipped', async () => {
  const { purse, own } = await open();
  const { wallet } = purse;
  purse.receive([dfi(10n, own), dfi(20n, watched)], 1);
  purse.mempool.accept(purse.transaction([dfi(30n, own), dfi(40n, watched)], foreign(1)));
  const spendable = (query: CoinQuery) =>
    sorted(
      availableCoins(wallet, query)
        .filter((coin) => coin.spendable)
        .map(amountOf),
    );
  assert.deepEqual(spendable({}), [10, 30]);
  assert.deepEqual(spendable({ spendWatched: true }), [10, 30]);
  assert.deepEqual(spendable({ skipsSolvable: true }), [10, 30]);
  assert.deepEqual(spendable({ spendWatched: true, skipsSolvable: true }), [10, 20, 30, 40]);
  Object.assign(wallet, { isSolvable: () => true });
  assert.deepEqual(spendable({ spendWatched: true }), [10, 20, 30, 40]);
  assert.deepEqual(spendable({}), [10, 30]);
  await wallet.stop();
});

test('coins of used addresses are left out if asked, in a wallet that avoids reuse', async () => {
  for (const avoidReuse of [true, false]) {
    const { purse, own } = await open(avoidReuse);
    purse.reuse(own, [10n, 20n], [30n, 40n]);
    assert.deepEqual(sorted(await found(purse)), [10, 20, 30, 40]);
    assert.deepEqual(sorted(await found(purse, { includeUsed: true })), [10, 20, 30, 40]);
    assert.deepEqual(sorted(await found(purse, { includeUsed: false })), avoidReuse ? [20, 40] : [10, 20, 30, 40]);
    await purse.wallet.stop();
  }
});

for (const isConfirmed of [true, false]) {
  test(`output 1 of a ${isConfirmed ? 'mined' : 'pending'} transaction that holds a masternode is locked until that has resigned`, async () => {
    const { purse, own } = await open();
    const payload = Uint8Array.of(...Buffer.from('DfTxC'), 1, ...new Uint8Array(20));
    const parent = purse.receive([dfi(100n, own), dfi(100n, own)], 1);
    const spend = (vout: readonly TxOut[], at: number) => purse.transaction(vout, { txid: parent.txid, vout: at });
    const creation = spend([dfi(0n, buildScript(Op.RETURN, payload)), dfi(20n, own), dfi(30n, own)], 0);
    const plain = spend([dfi(1n, own), dfi(2n, own)], 1);
    if (isConfirmed) purse.chain.connect([creation, plain]);
    else for (const tx of [creation, plain]) purse.mempool.accept(tx);
    const keys = { ownerType: 1, ownerKey: HASH, operatorType: 1, operatorKey: HASH, rewardType: 0, rewardKey: HASH };
    const life = { mintedBlocks: 0, creationHeight: 1, version: -1, resignTx: NULL_POINT.txid, collateralTx: NULL_POINT.txid };
    const facts = async (resignHeight: number) => {
      for (const { txid } of [creation, plain]) purse.chain.state.put(masternodes, txid, { ...keys, ...life, resignHeight });
      const { trusted, pending, immature } = balancesOf(purse.wallet).mine;
      const safe = sorted(availableCoins(purse.wallet, { onlySafe: true }).map(amountOf));
      assert.deepEqual(sorted(await found(purse)), safe);
      return [safe, dfiOf(trusted), dfiOf(pending), immature];
    };
    const locked = [[1, 2, 30], 33n, 0n, 0n];
    assert.deepEqual(await facts(-1), locked);
    // It has resigned after ten blocks, which the next one must have reached.
    while (purse.chain.tip.height < 20) purse.chain.connect([]);
    assert.deepEqual(await facts(12), locked);
    assert.deepEqual(await facts(11), [[1, 2, 20, 30], 53n, 0n, 0n]);
    await purse.wallet.stop();
  });
}
