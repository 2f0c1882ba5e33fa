import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon } from '../daemon.js';
import { makeLongChain } from './data/long-chain.js';

const SHORT = 2_000;
const LONG = Number(process.env.BENCH_BLOCKS ?? 200_000);
/** Chains stay here between runs, because long ones take minutes to make. */
const FOLDER = process.env.BENCH_CHAINS ?? join(tmpdir(), 'dfi-long-chains');
const STARTS = 3;
const CALLS = 2_000;
/** Time for work in the background of a start. */
const SETTLE_MS = 10_000;

interface Figures {
  readonly startMs: number;
  readonly startMb: number;
  readonly settledMb: number;
  readonly cpuSec: number;
  readonly hashesPerSec: number;
  readonly headersPerSec: number;
  readonly callsMb: number;
}

/**
 * A node with a short and with a long chain of empty blocks: start until the first answer, memory, processor time until it is idle, and
 * reads of random blocks. `BENCH_BLOCKS=2000000` is the length of the main network.
 */
export async function run(): Promise<void> {
  const short = await measure(SHORT);
  const long = await measure(LONG);
  console.log(`chains of ${SHORT} and ${LONG} blocks`);
  print('start until the first answer', short.startMs, long.startMs, 'ms');
  print('memory at that time', short.startMb, long.startMb, 'MB');
  print('memory when idle', short.settledMb, long.settledMb, 'MB');
  print('processor time until then', short.cpuSec, long.cpuSec, 's');
  print('getblockhash of random heights', short.hashesPerSec, long.hashesPerSec, '/s');
  print('getblockheader of random hashes', short.headersPerSec, long.headersPerSec, '/s');
  print('memory after these calls', short.callsMb, long.callsMb, 'MB');
}

function print(what: string, short: number, long: number, unit: string): void {
  const digits = unit === 's' ? 2 : 0;
  console.log(`  ${what}: ${short.toFixed(digits)} and ${long.toFixed(digits)} ${unit}, ratio ${(long / short).toFixed(2)}`);
}

async function measure(blocks: number): Promise<Figures> {
  const directory = join(FOLDER, String(blocks));
  if (!existsSync(join(directory, 'made'))) await make(directory, blocks);
  const times: number[] = [];
  for (let i = 1; i < STARTS; i++) {
    const daemon = new Daemon(['-dummypos=1'], directory);
    times.push(await daemon.start());
    await daemon.end();
  }
  const daemon = new Daemon(['-dummypos=1'], directory);
  try {
    times.push(await daemon.start());
    const startMb = memoryOf(daemon);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const settledMb = memoryOf(daemon);
    const cpuSec = processorTimeOf(daemon);
    const hashes: string[] = [];
    const hashesPerSec = await rate(async (i) => {
      hashes.push((await daemon.ask('getblockhash', spread(i, blocks))) as string);
    });
    const headersPerSec = await rate(async (i) => {
      await daemon.ask('getblockheader', hashes[i]);
    });
    return { startMs: Math.min(...times), startMb, settledMb, cpuSec, hashesPerSec, headersPerSec, callsMb: memoryOf(daemon) };
  } finally {
    await daemon.end();
  }
}

async function make(directory: string, blocks: number): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await makeLongChain(directory, blocks, (text) => console.log(`  making a chain: ${text}`));
  mkdirSync(join(directory, 'made'));
}

/** Heights in no order, the same in each run. */
function spread(i: number, blocks: number): number {
  return (i * 7_919_777) % blocks;
}

async function rate(call: (i: number) => Promise<void>): Promise<number> {
  const from = performance.now();
  for (let i = 0; i < CALLS; i++) await call(i);
  return CALLS / ((performance.now() - from) / 1000);
}

function memoryOf({ process }: Daemon): number {
  const status = readFileSync(`/proc/${process?.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Seconds of all threads since the start. */
function processorTimeOf({ process }: Daemon): number {
  const fields = readFileSync(`/proc/${process?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
