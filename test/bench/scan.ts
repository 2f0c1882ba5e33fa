import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coins } from '../../src/chain/coins.js';
import { chainColumns } from '../../src/chain/database.js';
import { sha256 } from '../../src/crypto/hash.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { indexColumns } from '../../src/indexes/index.js';
import { encode } from '../../src/primitives/codec.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { Daemon } from '../daemon.js';
import { readRecording, sharedPath } from '../shared.js';

const COINS = 1_000_000;
const BATCH = 50_000;

/** Memory of a node after a chain of 10,000 transactions, and its answers while it counts a large set of coins. */
export async function run(): Promise<void> {
  const path = sharedPath('golden', 'load', 'load_10k.jsonl.gz');
  if (!path) return;
  const { header, steps } = readRecording(path);
  const daemon = new Daemon(header.flags);
  try {
    await daemon.start();
    const start = performance.now();
    for (const step of steps) if ('hex' in step) await daemon.ask('submitblock', step.hex);
    const seconds = (performance.now() - start) / 1000;
    console.log(
      `load_10k by submitblock: ${seconds.toFixed(2)} s; resident ${memory(daemon, 'VmRSS')} MiB, at most ${memory(daemon, 'VmHWM')} MiB`,
    );
    await daemon.end();
    await addCoins(join(daemon.directory, 'regtest', 'chainstate'));
    await daemon.start();
    await measureScan(daemon);
  } finally {
    await daemon.destroy();
  }
}

/** MiB; available on Linux only. */
function memory({ process: child }: Daemon, field: string): number {
  const line = new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(readFileSync(`/proc/${child?.pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? Number.NaN) / 1024);
}

/** Writes coins directly to the database: blocks with this many would take an hour to make. */
async function addCoins(directory: string): Promise<void> {
  const store = await RocksStore.open(directory, [...chainColumns, ...dfiColumns, ...indexColumns]);
  const value = encode(coins.value, {
    out: { value: 1_000n, scriptPubKey: new Uint8Array(25).fill(7), tokenId: 0 },
    height: 1,
    coinbase: false,
  });
  for (let from = 0; from < COINS; from += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, i) => {
      const txid = sha256(Buffer.from(String(from + i)));
      return { column: coins.name, key: encode(coins.key, { txid, vout: 0 }), value };
    });
    store.write(changes);
  }
  await store.close();
}

async function measureScan(daemon: Daemon): Promise<void> {
  const idle = await latencies(daemon, wait(1_000));
  const start = performance.now();
  const scan = daemon.ask('gettxoutsetinfo') as Promise<{ readonly txouts: number }>;
  const busy = await latencies(daemon, scan);
  const seconds = (performance.now() - start) / 1000;
  console.log(`gettxoutsetinfo over ${(await scan).txouts} coins: ${seconds.toFixed(2)} s`);
  console.log(`  getblockcount meanwhile: ${describe(busy)}; idle: ${describe(idle)}`);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Durations in milliseconds of sequential calls with a pause of one millisecond, until `end`. */
async function latencies(daemon: Daemon, end: Promise<unknown>): Promise<number[]> {
  let over = false;
  void end.then(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over) {
    const start = performance.now();
    await daemon.ask('getblockcount');
    times.push(performance.now() - start);
    await wait(1);
  }
  return times.sort((a, b) => a - b);
}

function describe(times: readonly number[]): string {
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms of ${times.length}`;
}
