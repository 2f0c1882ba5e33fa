import { type Coin, coins } from '../../../src/chain/coins.js';
import { accountBalances, materialisedHeights } from '../../../src/dfi/accounts/columns.js';
import { historyByHeight, historyByOwner, historyCounts } from '../../../src/dfi/accounts/history-columns.js';
import { interestRates, loanAmounts } from '../../../src/dfi/loans/columns.js';
import { interestPerBlock, NO_INTEREST } from '../../../src/dfi/loans/interest.js';
import { vaultCollaterals, vaultOwners, vaults } from '../../../src/dfi/vaults/columns.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { COIN } from '../../../src/primitives/amount.js';
import { encode } from '../../../src/primitives/codec.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { Column, RawChange, Store } from '../../../src/storage/view.js';
import {
  ASSET_PRICE,
  ASSETS,
  BTC,
  BTC_PRICE,
  DFI,
  DFI_PRICE,
  DUSD,
  FIRST_ASSET,
  putMarket,
  SCHEME_RATE,
  SCHEMES,
  TOKEN_INTEREST,
} from './big-market.js';

/** Numbers of rows. */
export interface StateSizes {
  readonly accounts: number;
  readonly vaults: number;
  /** At least twice as many as accounts: the n-th belongs to the owner `n % accounts`. */
  readonly coins: number;
  /** Rows of the account history, by owner and by height together: two for each record. A multiple of twice the accounts. */
  readonly historyRows: number;
}

/** Height of the tip; the blocks of the bench follow. A price block is the next but one. */
export const TIP_HEIGHT = 600_000 - 2;
export const TIP_TIME = 1_700_000_000;

/** Records of the history in each block. */
const RECORDS_PER_BLOCK = 100;
const BATCH_ROWS = 1_000;
const ACCOUNT_TO_ACCOUNT = 'B'.charCodeAt(0);
const BALANCE = 1_000n * COIN;

/** `size` bytes that ascend with `n` of `count` and are spread over all values: keys in sorted order, distributed like hashes. */
function spread(n: number, count: number, size: number, salt: number): Uint8Array {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(Math.floor((n * 2 ** 48) / count), 0, 6);
  for (let at = 6, word = n + salt; at + 4 <= size; at += 4) {
    word = Math.imul(word + at, 0x9e3779b1) >>> 0;
    bytes.writeUInt32BE(word, at);
  }
  return bytes;
}

/** Script of the n-th of `accounts` owners, ascending. */
export function ownerScript(n: number, accounts: number): Uint8Array {
  return buildScript(Op.ZERO, spread(n, accounts, 20, 1));
}

/** Txid of the n-th coin, ascending; its output index is 0. */
export function coinTxid(n: number, sizes: Pick<StateSizes, 'coins'>): Hash256 {
  return spread(n, sizes.coins, 32, 2);
}

export function vaultIdOf(n: number, sizes: Pick<StateSizes, 'vaults'>): Hash256 {
  return spread(n, sizes.vaults, 32, 3);
}

/** Index of the owner of the n-th vault. */
export function vaultOwnerOf(n: number, sizes: StateSizes): number {
  return Math.floor((n * sizes.accounts) / sizes.vaults);
}

function row<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}

function* accountRows({ accounts }: StateSizes): Generator<RawChange> {
  for (let n = 0; n < accounts; n++) {
    for (const tokenId of [DFI, DUSD]) yield row(accountBalances, { owner: ownerScript(n, accounts), tokenId }, BALANCE);
  }
  for (let n = 0; n < accounts; n++) yield row(materialisedHeights, ownerScript(n, accounts), TIP_HEIGHT - 1_000);
}

function* coinRows(sizes: StateSizes): Generator<RawChange> {
  for (let n = 0; n < sizes.coins; n++) {
    const out = { value: COIN, scriptPubKey: ownerScript(n % sizes.accounts, sizes.accounts), tokenId: 0 };
    const coin: Coin = { out, height: 1 + (n % 500_000), coinbase: false };
    yield row(coins, { txid: coinTxid(n, sizes), vout: 0 }, coin);
  }
}

/** Collateral of DFI and BTC, one loan, and a ratio of 1.2 to 4.2 times the lowest that the scheme permits. */
function vaultAt(n: number) {
  const scheme = n % SCHEMES.length;
  const isDollar = n % 4 === 0;
  const loan = { tokenId: isDollar ? DUSD : FIRST_ASSET + (n % ASSETS), amount: (isDollar ? 1_000n : 10n) * COIN };
  const value = isDollar ? 1_000n * COIN : (loan.amount * ASSET_PRICE) / COIN;
  const percent = BigInt(Math.floor((150 + 25 * scheme) * (1.2 + (n % 301) / 100)));
  const held = (value * percent) / 100n;
  const coinShare = n % 2 === 0 ? held : (held * 3n) / 4n;
  const collateral = [{ tokenId: DFI, amount: (coinShare * COIN) / DFI_PRICE + 1n }];
  if (n % 2 === 1) collateral.push({ tokenId: BTC, amount: ((held - coinShare) * COIN) / BTC_PRICE + 1n });
  return { scheme: SCHEMES[scheme] as string, loan, collateral };
}

function* vaultRows(sizes: StateSizes, params: NetworkParams): Generator<RawChange> {
  const each = function* (of: (n: number, vaultId: Hash256) => RawChange) {
    for (let n = 0; n < sizes.vaults; n++) yield of(n, vaultIdOf(n, sizes));
  };
  const owner = (n: number) => ownerScript(vaultOwnerOf(n, sizes), sizes.accounts);
  yield* each((n, vaultId) => row(vaults, vaultId, { owner: owner(n), scheme: vaultAt(n).scheme, isUnderLiquidation: false }));
  yield* each((n, vaultId) => row(vaultOwners, { owner: owner(n), vaultId }, 0));
  yield* each((n, vaultId) => row(vaultCollaterals, vaultId, vaultAt(n).collateral));
  yield* each((n, vaultId) => row(loanAmounts, vaultId, [vaultAt(n).loan]));
  const rates = { token: TOKEN_INTEREST, scheme: SCHEME_RATE };
  yield* each((n, vaultId) => {
    const { loan } = vaultAt(n);
    const perBlock = interestPerBlock(loan.amount, rates, params);
    return row(interestRates, { vaultId, tokenId: loan.tokenId }, { height: TIP_HEIGHT - (n % 100_000), perBlock, toHeight: NO_INTEREST });
  });
}

/** Every owner has the same number of records, at heights of its own; each block has {@link RECORDS_PER_BLOCK} records. */
function* historyRows({ accounts, historyRows: rows }: StateSizes): Generator<RawChange> {
  const records = Math.floor(rows / 2 / accounts);
  if (records === 0) return;
  const lap = Math.ceil(accounts / RECORDS_PER_BLOCK);
  const first = TIP_HEIGHT - lap * records;
  const txn = (n: number) => 1 + Math.floor(n / lap);
  const record = { txid: Buffer.alloc(32), category: ACCOUNT_TO_ACCOUNT, differences: [{ tokenId: DFI, amount: -COIN }] };
  for (let n = 0; n < accounts; n++) {
    const owner = ownerScript(n, accounts);
    for (let k = records - 1; k >= 0; k--) {
      const height = first + k * lap + (n % lap);
      record.txid.writeUIntBE(height * 1_000 + txn(n), 0, 6);
      yield row(historyByOwner, { owner, height, txn: txn(n) }, record);
    }
  }
  for (let height = first + lap * records - 1; height >= first; height--) {
    for (let n = (height - first) % lap; n < accounts; n += lap) {
      yield row(historyByHeight, { height, owner: ownerScript(n, accounts), txn: txn(n) }, 0);
    }
  }
  const counted = { category: ACCOUNT_TO_ACCOUNT };
  for (const tokenId of [DFI, undefined]) yield row(historyCounts, { ...counted, owner: undefined, tokenId }, records * accounts);
  for (let n = 0; n < accounts; n++) {
    const owner = ownerScript(n, accounts);
    for (const tokenId of [DFI, undefined]) yield row(historyCounts, { ...counted, owner, tokenId }, records);
  }
}

function write(store: Store, rows: Iterable<RawChange>): void {
  let batch: RawChange[] = [];
  for (const each of rows) {
    batch.push(each);
    if (batch.length < BATCH_ROWS) continue;
    store.write(batch);
    batch = [];
  }
  store.write(batch);
}

/**
 * Fills an empty store with the state of a chain of {@link TIP_HEIGHT} blocks: exactly the rows that a node writes, in the order of their
 * keys, by the codecs of their columns. Equal sizes give equal stores. 10,000,000 coins and 50,000,000 rows of history are some 5 GB and
 * take some 10 minutes. Headers and blocks are not written: blocks are connected by `connectBlock` on literal ancestors.
 */
export function writeBigState(store: Store, sizes: StateSizes, params: NetworkParams, note: (part: string) => void = () => {}): void {
  const market = new Overlay(store);
  putMarket(market, { height: TIP_HEIGHT, time: TIP_TIME });
  store.write(market.changes());
  const parts: Readonly<Record<string, Iterable<RawChange>>> = {
    accounts: accountRows(sizes),
    vaults: vaultRows(sizes, params),
    coins: coinRows(sizes),
    history: historyRows(sizes),
  };
  for (const [name, rows] of Object.entries(parts)) {
    write(store, rows);
    note(name);
  }
}
