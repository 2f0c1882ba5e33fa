import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../../../src/crypto/hash.js';
import { networkParams } from '../../../../src/params/index.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { EMPTY_BYTES, toHex } from '../../../../src/util/bytes.js';
import type { WalletCoin } from '../../../../src/wallet/coins/coins.js';
import { Ownership } from '../../../../src/wallet/keys/ownership.js';
import { groupsOf } from '../../../../src/wallet/spend/coin-groups.js';
import type { WalletTx } from '../../../../src/wallet/txs/wallet-tx.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';

const address = (n: number): Uint8Array => buildScript(Op.ZERO, sha256(Uint8Array.of(n)).subarray(0, 20));
const NO_ADDRESS = buildScript(Op.ONE);
const FOREIGN = new Uint8Array(32).fill(9);
const params = networkParams({ network: 'regtest' });

/** A transaction with an output of `n` satoshis for each script. */
function transaction(n: number, scripts: readonly Uint8Array[], parent: Uint8Array = FOREIGN): WalletTx {
  const vin = [{ prevout: { txid: parent, vout: 0 }, scriptSig: EMPTY_BYTES, sequence: n, witness: [] }];
  const vout = scripts.map((scriptPubKey) => ({ value: BigInt(n), scriptPubKey, tokenId: 0 }));
  return { tx: makeTransaction({ version: 4, vin, vout, lockTime: 0 }, params.txFormat) } as unknown as WalletTx;
}

const coin = (wtx: WalletTx, depth: number, vout = 0): WalletCoin => ({ wtx, vout, depth, spendable: true, safe: true });

interface Unconfirmed {
  readonly ancestors: number;
  readonly descendants: number;
  /** Numbers of descendants of its ancestors. */
  readonly above?: readonly number[];
}

/** A wallet that owns every output of its transactions; `pool` has the entries of unconfirmed ones. */
function walletOf(txs: readonly WalletTx[], pool: ReadonlyMap<WalletTx, Unconfirmed> = new Map()): Wallet {
  const byId = new Map(txs.map((wtx) => [toHex(wtx.tx.txid), wtx]));
  const entryOf = (txid: Uint8Array) => {
    const known = [...pool].find(([{ tx }]) => toHex(tx.txid) === toHex(txid))?.[1];
    if (!known) return undefined;
    const above = (known.above ?? []).map((count) => ({ descendants: { count } }));
    return { ancestors: { count: known.ancestors }, descendants: { count: known.descendants }, allAncestors: () => above };
  };
  return {
    txs: { get: (txid: Uint8Array) => byId.get(toHex(txid)) },
    outputOwnership: ({ tx }: { tx: Transaction }) => tx.vout.map(() => Ownership.Spendable),
    deps: { chain: { params }, mempool: { pool: { get: entryOf } } },
  } as unknown as Wallet;
}

function groups(wallet: Wallet, coins: readonly WalletCoin[], byAddress = true) {
  const made = groupsOf(wallet, coins, byAddress, ({ wtx, vout }) => ({
    point: { txid: wtx.tx.txid, vout },
    out: wtx.tx.vout[vout] as Transaction['vout'][number],
    inputSize: 68,
  }));
  return made.map(({ coins: members, ...facts }) => ({ size: members.length, ...facts }));
}

test('coins are grouped by address in tens, and each without an address is on its own', () => {
  const wtx = transaction(5, [...Array.from({ length: 21 }, () => address(1)), address(2), NO_ADDRESS, NO_ADDRESS]);
  const coins = wtx.tx.vout.map((_, vout) => coin(wtx, 6, vout));
  const facts = (size: number) => ({ size, value: 5n * BigInt(size), depth: 6, isFromMe: true, ancestors: 0, descendants: 0 });
  const sizes = (list: readonly WalletCoin[], byAddress: boolean) => groups(walletOf([]), list, byAddress);
  // Groups that are full come first, and those of one coin without address where they are found.
  assert.deepEqual(sizes(coins, true), [10, 10, 1, 1, 1, 1].map(facts));
  assert.deepEqual(sizes(coins.slice(0, 9), true), [facts(9)]);
  assert.deepEqual(sizes(coins.slice(0, 10), true), [facts(10)]);
  assert.deepEqual(sizes(coins.slice(0, 3), false), [1, 1, 1].map(facts));
});

test('a group is as deep as its youngest coin, and from the wallet if each coin is, or has six confirmations', () => {
  const own = transaction(1, [address(1)]);
  const [mine, theirs] = [transaction(2, [address(1)], own.tx.txid), transaction(3, [address(1)])];
  const wallet = walletOf([own, mine, theirs]);
  const facts = (coins: readonly WalletCoin[]) => groups(wallet, coins).map(({ depth, isFromMe }) => [depth, isFromMe]);
  assert.deepEqual(facts([coin(mine, 9), coin(theirs, 6)]), [[6, true]]);
  assert.deepEqual(facts([coin(mine, 1), coin(theirs, 7)]), [[1, true]]);
  assert.deepEqual(facts([coin(mine, 9), coin(theirs, 5)]), [[5, false]]);
  assert.deepEqual(facts([coin(theirs, 5), coin(theirs, 5), coin(mine, 5)]), [[5, false]]);
  // An own output without value does not make a transaction one of the wallet.
  const [free, paid] = [transaction(0, [address(1)]), transaction(1, [address(1)])];
  const ofFree = transaction(4, [address(1)], free.tx.txid);
  const ofPaid = transaction(4, [address(1)], paid.tx.txid);
  const isOwn = (coins: readonly WalletCoin[]) => groups(walletOf([free, paid]), coins).map(({ isFromMe }) => isFromMe);
  assert.deepEqual([isOwn([coin(ofFree, 1)]), isOwn([coin(ofPaid, 1)])], [[false], [true]]);
});

test('the ancestors of a group are a sum, and its descendants the most of a coin or of an ancestor; confirmed coins have none', () => {
  const [a, b, c, gone] = [1, 2, 3, 4].map((n) => transaction(n, [address(1), address(1)])) as [WalletTx, WalletTx, WalletTx, WalletTx];
  const pool = new Map<WalletTx, Unconfirmed>([
    [a, { ancestors: 3, descendants: 2, above: [4, 7, 5] }],
    [b, { ancestors: 2, descendants: 6, above: [3] }],
    [c, { ancestors: 8, descendants: 8 }],
  ]);
  const wallet = walletOf([], pool);
  const facts = (coins: readonly WalletCoin[]) => groups(wallet, coins).map(({ ancestors, descendants }) => [ancestors, descendants]);
  assert.deepEqual(facts([coin(a, 0), coin(b, 0)]), [[5, 7]]);
  assert.deepEqual(facts([coin(b, 0), coin(b, 0, 1)]), [[4, 6]]);
  // An entry of a transaction that is mined already does not count.
  assert.deepEqual(facts([coin(c, 1), coin(b, 0)]), [[2, 6]]);
  assert.deepEqual(facts([coin(gone, 0), coin(c, 2)]), [[0, 0]]);
});
