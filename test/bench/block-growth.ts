import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coins } from '../../src/chain/coins.js';
import { connectBlock } from '../../src/chain/connect.js';
import { chainColumns } from '../../src/chain/database.js';
import { undoLogs } from '../../src/chain/records.js';
import type { CheckedBlock } from '../../src/consensus/block.js';
import { descending, historyByHeight } from '../../src/dfi/accounts/history-columns.js';
import { alarmProgress } from '../../src/dfi/auctions/alarm-columns.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { encode } from '../../src/primitives/codec.js';
import { HotStore } from '../../src/storage/hot-store.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { BUSY_RECORDS, bigParams, busyBlock, contextAt, emptyBlock, timeOf } from './data/big-block.js';
import { putPrices } from './data/big-market.js';
import { type StateSizes, TIP_HEIGHT, writeBigState } from './data/big-state.js';

/** Part of the sizes of the larger state, such as 0.01 for a quick run. */
const SCALE = Number(process.env.BENCH_SCALE ?? 0.01);
const SMALL: StateSizes = { accounts: 1_000, vaults: 200, coins: 10_000, historyRows: 50_000 };
const LARGE: StateSizes = {
  accounts: Math.max(1_000, 1_000_000 * SCALE),
  vaults: Math.max(200, 100_000 * SCALE),
  coins: Math.max(10_000, 10_000_000 * SCALE),
  historyRows: Math.max(50_000, 50_000_000 * SCALE),
};
const CACHE_BYTES = 256 * 2 ** 20;
const ROUNDS = 3;
/** Blocks from one price block to the next. */
const PRICE_INTERVAL = 120;

interface Cost {
  /** Milliseconds of processor time of the main thread: connect, undo record and write. */
  readonly cpuMs: number;
  /** Milliseconds of processor time of all threads, which include what the engine still does for earlier writes. */
  readonly allMs: number;
  readonly rows: number;
  /** Rows that the block's overlay held. */
  readonly held: number;
}

/** The store of a node, which counts the rows that it reads from disk. */
class CountingStore {
  rows = 0;

  private constructor(
    readonly store: HotStore,
    below: RocksStore,
  ) {
    const { cells, scan, hasMoreThan } = below;
    below.hasMoreThan = (column, rows) => {
      const isLarger = hasMoreThan.call(below, column, rows);
      // The rows of a smaller column are counted when they are loaded.
      if (isLarger) this.rows += rows + 1;
      return isLarger;
    };
    below.cells = (column, keys) => {
      this.rows += keys.length;
      return cells.call(below, column, keys);
    };
    const count = () => {
      this.rows += 1;
    };
    below.scan = function* (column, range) {
      for (const row of scan.call(below, column, range)) {
        count();
        yield row;
      }
    };
  }

  static async open(directory: string): Promise<CountingStore> {
    const below = await RocksStore.open(directory, [...chainColumns, ...dfiColumns], { cacheBytes: CACHE_BYTES });
    return new CountingStore(new HotStore(below, { columns: dfiColumns, largeColumns: [coins], maxBytes: CACHE_BYTES / 8 }), below);
  }
}

const DROP_PAGES = 'for file in "$1"/*; do dd if="$file" iflag=nocache count=0 status=none; done';

/** Drops the files of the database from the page cache of the operating system. A fork of this process for each file would take minutes. */
function dropPages(directory: string): void {
  spawnSync('sh', ['-c', DROP_PAGES, 'sh', directory]);
}

/** Milliseconds of processor time that the main thread used so far; as Linux counts it. */
function mainThreadMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

function connect(counter: CountingStore, block: CheckedBlock, height: number): Cost {
  const { store, rows: before } = counter;
  const [started, startedHere] = [process.cpuUsage(), mainThreadMs()];
  const overlay = new Overlay(store);
  connectBlock(block, contextAt(height), overlay);
  overlay.put(undoLogs, block.hash, overlay.undo());
  store.write(overlay.changes());
  const { user, system } = process.cpuUsage(started);
  const cpuMs = mainThreadMs() - startedHere;
  const records = [...overlay.entries(historyByHeight, { prefix: encode(descending, height) })].length;
  if (block.transactions.length > 1 && records < BUSY_RECORDS) throw new Error(`only ${records} records of history`);
  return { cpuMs, allMs: (user + system) / 1_000, rows: counter.rows - before, held: overlay.size };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

/** Connects empty blocks until the next but one is a price block. @returns height of the last one */
function skip(counter: CountingStore, from: number): number {
  let height = from;
  while ((height + 2) % PRICE_INTERVAL !== 0) connect(counter, emptyBlock(++height), height);
  return height;
}

/** Connects empty blocks until the alarms of all vaults are set. @returns height of the last one */
async function settle(directory: string): Promise<number> {
  const counter = await CountingStore.open(directory);
  let height = counter.store.get(alarmProgress, 0)?.height ?? TIP_HEIGHT;
  const isSettled = () => {
    const progress = counter.store.get(alarmProgress, 0);
    return progress !== undefined && progress.next === undefined;
  };
  while (!isSettled()) connect(counter, emptyBlock(++height), height);
  height = skip(counter, height);
  await counter.store.close();
  return height;
}

/** Costs of a busy block that is no price block, of a busy price block, and of the price block without transactions. */
async function costsIn(directory: string, sizes: StateSizes, run = 0): Promise<ReadonlyMap<string, readonly Cost[]>> {
  const costs = new Map<string, Cost[]>();
  let height = await settle(directory);
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of ['plain', 'price'] as const) {
      dropPages(directory);
      const counter = await CountingStore.open(directory);
      if (kind === 'price') {
        // Prices 2 % lower in each round, reported before the block.
        const overlay = new Overlay(counter.store);
        putPrices(overlay, timeOf(height), 100n - 2n * BigInt(round));
        counter.store.write(overlay.changes());
      }
      height += 1;
      const cost = connect(counter, busyBlock(height, 2 * (run * ROUNDS + round) + (kind === 'price' ? 1 : 0), sizes), height);
      costs.set(kind, [...(costs.get(kind) ?? []), cost]);
      if (kind === 'price') height = skip(counter, height);
      await counter.store.close();
    }
  }
  return costs;
}

/** Writes a state into an empty directory. */
async function generate(directory: string, sizes: StateSizes, note?: (part: string) => void): Promise<void> {
  const { store } = await CountingStore.open(directory);
  writeBigState(store, sizes, bigParams, note);
  await store.close();
}

async function costsAt(sizes: StateSizes): Promise<ReadonlyMap<string, readonly Cost[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'growth-'));
  try {
    await generate(directory, sizes);
    return await costsIn(directory, sizes);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Like {@link costsAt}, but keeps the state, which takes minutes to write, if a directory for it is given. */
async function costsAtKept(directory: string, sizes: StateSizes): Promise<ReadonlyMap<string, readonly Cost[]>> {
  if (!existsSync(directory)) {
    const started = performance.now();
    await generate(directory, sizes, (part) => {
      console.log(`  ${part} written after ${Math.round((performance.now() - started) / 1_000)} s`);
    });
  }
  return costsIn(directory, sizes, Number(process.env.BENCH_RUN ?? 0));
}

/**
 * Connects blocks of 100 transfers, 20 swaps and 20 vault messages to a small and to a large state, from stores that were just opened,
 * with no page of their files in memory. BENCH_SCALE=1 is 1,000,000 accounts, 100,000 vaults, 10,000,000 coins and 50,000,000 rows of
 * history. BENCH_STATE keeps the large state in that directory; each run on it needs a BENCH_RUN of its own, from 0 on.
 */
export async function run(): Promise<void> {
  // The code is compiled by then.
  await costsAt(SMALL);
  const small = await costsAt(SMALL);
  const kept = process.env.BENCH_STATE;
  const large = kept ? await costsAtKept(kept, LARGE) : await costsAt(LARGE);
  console.log(`  small: ${JSON.stringify(SMALL)}`);
  console.log(`  large: ${JSON.stringify(LARGE)}`);
  for (const [kind, costs] of small) {
    const others = large.get(kind) ?? [];
    for (const [name, of] of [
      ['ms of the main thread', (cost: Cost) => cost.cpuMs],
      ['ms of all threads', (cost: Cost) => cost.allMs],
      ['rows read from disk', (cost: Cost) => cost.rows],
      ['rows held in memory', (cost: Cost) => cost.held],
    ] as const) {
      const [a, b] = [median(costs.map(of)), median(others.map(of))];
      console.log(`  ${kind.padEnd(6)} ${name.padEnd(22)} ${a.toFixed(1)} small, ${b.toFixed(1)} large, ratio ${(b / a).toFixed(2)}`);
    }
  }
  console.log(
    `  resident at the end ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB, at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`,
  );
}
