import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Family, RocksLevel } from 'rocksdb';
import { type Coin, coins } from '../../src/chain/coins.js';
import { basicFilter } from '../../src/indexes/filter/basic-filter.js';
import { encode, u32be } from '../../src/primitives/codec.js';
import type { OutPoint } from '../../src/primitives/outpoint.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { undoLog } from '../../src/storage/undo.js';
import type { Column, UndoLog } from '../../src/storage/view.js';

const BLOCKS = 60;
const COINS_PER_BLOCK = 1_000;
const SPENT_PER_BLOCK = 800;

/** Coins per second, ours and those of the bare engine with encoded bytes. */
export interface Comparison {
  readonly name: string;
  readonly ours: number;
  readonly bare: number;
}

const undoLogs: Column<number, UndoLog> = { name: 'bench/undo', key: u32be, value: undoLog };

/** Random enough for an index, and the same in each run. */
function point(n: number): OutPoint {
  const txid = Buffer.alloc(32);
  for (let i = 0; i < 8; i++) txid.writeUInt32LE(Math.imul(n * 8 + i + 1, 0x9e3779b1) >>> 0, i * 4);
  return { txid, vout: n & 3 };
}

const scriptPubKey = Buffer.from(`76a914${'5b'.repeat(20)}88ac`, 'hex');

function coin(n: number): Coin {
  return { out: { value: BigInt(n) * 1_000n, scriptPubKey, tokenId: 0 }, height: n, coinbase: false };
}

/** Duration in seconds. */
function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1_000;
}

const total = BLOCKS * COINS_PER_BLOCK;

/** Blocks of new and spent coins through overlays, with their undo data, one batch per block; then reads of the remaining coins. */
async function ours(directory: string): Promise<Record<string, number>> {
  const store = await RocksStore.open(directory, [coins, undoLogs]);
  const write = timed(() => {
    for (let block = 0; block < BLOCKS; block++) {
      const overlay = new Overlay(store);
      const first = block * COINS_PER_BLOCK;
      const spent = Array.from({ length: block > 0 ? SPENT_PER_BLOCK : 0 }, (_, i) => point(first - COINS_PER_BLOCK + i));
      overlay.getMany(coins, spent);
      for (const key of spent) overlay.delete(coins, key);
      for (let n = first; n < first + COINS_PER_BLOCK; n++) overlay.put(coins, point(n), coin(n));
      overlay.put(undoLogs, block, overlay.undo());
      store.write(overlay.changes());
    }
  });
  const keys = Array.from({ length: total }, (_, n) => point(n));
  let found = 0;
  const read = timed(() => {
    for (let at = 0; at < total; at += 1_000) {
      for (const value of store.getMany(coins, keys.slice(at, at + 1_000))) if (value) found += 1;
    }
  });
  let walked = 0;
  const walk = timed(() => {
    for (const [, { out }] of store.entries(coins)) walked += out.value > 0n ? 1 : 0;
  });
  if (found !== walked) throw new Error(`read ${found} coins, walked over ${walked}`);
  await store.close();
  return { write, read, walk };
}

/** The same rows as encoded bytes, by calls of the engine. */
async function bare(directory: string): Promise<Record<string, number>> {
  const db = new RocksLevel(directory, {
    columns: { default: {}, coins: {} },
    createIfMissing: true,
    walCompression: false,
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
  });
  await db.open();
  const column = db.columns.coins as Family;
  const rows = Array.from({ length: total }, (_, n) => [encode(coins.key, point(n)), encode(coins.value, coin(n))] as const);
  const write = timed(() => {
    for (let block = 0; block < BLOCKS; block++) {
      const batch = db._chainedBatch();
      const first = block * COINS_PER_BLOCK;
      for (let i = 0; block > 0 && i < SPENT_PER_BLOCK; i++) batch._del(rows[first - COINS_PER_BLOCK + i]?.[0] as Uint8Array, { column });
      for (const [key, value] of rows.slice(first, first + COINS_PER_BLOCK)) batch._put(key, value, { column });
      batch._writeSync({ sync: false });
      batch._closeSync();
      db.detachResource(batch);
    }
  });
  const keys = rows.map(([key]) => key);
  const read = timed(() => {
    for (let at = 0; at < total; at += 1_000) db._getManySync(keys.slice(at, at + 1_000), { column, valueEncoding: 'buffer' });
  });
  const walk = timed(() => {
    const iterator = db._iterator({ column, keyEncoding: 'buffer', valueEncoding: 'buffer' });
    while (!iterator._nextvSync(512).finished);
    iterator._closeSync();
    db.detachResource(iterator);
  });
  await db.close();
  return { write, read, walk };
}

export async function run(): Promise<Comparison[]> {
  const root = mkdtempSync(join(tmpdir(), 'dfi-bench-'));
  try {
    const mine = await ours(join(root, 'ours'));
    const floor = await bare(join(root, 'bare'));
    const rows = { write: total + (BLOCKS - 1) * SPENT_PER_BLOCK, read: total, walk: total - (BLOCKS - 1) * SPENT_PER_BLOCK };
    const names = { write: 'coins changed in blocks, with undo', read: 'coins read by the thousand', walk: 'coins walked over' };
    const compared = (['write', 'read', 'walk'] as const).map((what) => ({
      name: names[what],
      ours: rows[what] / (mine[what] as number),
      bare: rows[what] / (floor[what] as number),
    }));
    for (const { name, ours, bare } of compared) {
      console.log(`store: ${name}: ${Math.round(ours)}/s, bare RocksDB ${Math.round(bare)}/s, ratio ${(ours / bare).toFixed(2)}`);
    }
    const scripts = Array.from({ length: 20_000 }, (_, n) => encode(coins.key, point(n)));
    const seconds = timed(() => basicFilter(new Uint8Array(32), scripts));
    console.log(`filter: ${Math.round(scripts.length / seconds)} elements/s`);
    return compared;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
