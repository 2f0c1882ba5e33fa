import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon } from '../daemon.js';
import { type RecordedBlock, readRecording } from '../shared.js';
import { writeLoadChain } from './load-chain.js';

const TRANSACTIONS = 60_000;
const BLOCK_TRANSACTIONS = 2_000;
const CLIENTS = 4;
const ROUNDS = 3;
/** The limit of the 99th percentile. */
const LIMIT_MS = 50;
/** Hex of a shorter block does not take long. */
const LONG_HEX = 200_000;
const INDEXES = ['-txindex=1', '-acindex=1', '-blockfilterindex=1'];
const CALLS: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['listaccounts'],
  ['listmasternodes'],
  ['getblockchaininfo'],
  ['getrawmempool'],
  ['getblockhash', 5],
  ['getblockcount'],
];

/** Time of calls of four clients while blocks of 2,000 transactions are submitted one after the other, without a pause. */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-reads-'));
  try {
    const file = join(directory, 'load.jsonl.gz');
    await writeLoadChain(file, TRANSACTIONS, BLOCK_TRANSACTIONS);
    const { header, steps } = readRecording(file);
    const blocks = steps.filter((step): step is RecordedBlock => 'hex' in step);
    for (let round = 0; round < ROUNDS; round++) await measure([...INDEXES, ...header.flags], blocks);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(flags: readonly string[], blocks: readonly RecordedBlock[]): Promise<void> {
  const daemon = new Daemon(flags);
  try {
    await daemon.start();
    // Otherwise the tip is so old that the node counts as far behind, and does not write each block.
    await daemon.ask('setmocktime', blocks.at(-1)?.time);
    // A call that needs the wallet waits until the keys of the new one are made.
    await daemon.ask('listaccounts');
    for (const { hex } of blocks) if (hex.length < LONG_HEX) await submit(daemon, hex);
    const times: number[] = [];
    let over = false;
    const readers = Array.from({ length: CLIENTS }, (_, i) => read(daemon, times, i, () => over));
    const before = cpuSeconds(daemon);
    const start = performance.now();
    for (const { hex } of blocks) if (hex.length >= LONG_HEX) await submit(daemon, hex);
    const seconds = (performance.now() - start) / 1000;
    const cpu = cpuSeconds(daemon) - before;
    over = true;
    await Promise.all(readers);
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1);
    const imported = `import ${seconds.toFixed(2)} s, processor ${cpu.toFixed(2)} s`;
    console.log(`${times.length} calls: p50 ${at(0.5)} ms, p99 ${at(0.99)} (limit ${LIMIT_MS}), most ${at(1)}; ${imported}`);
  } finally {
    await daemon.destroy();
  }
}

async function submit(daemon: Daemon, hex: string): Promise<void> {
  const verdict = await daemon.ask('submitblock', hex);
  if (verdict !== null) throw new Error(`the block was not accepted: ${String(verdict)}`);
}

/** Sends the calls in turn over one connection, each when the one before is answered, and notes their times in ms. */
async function read(daemon: Daemon, times: number[], first: number, isOver: () => boolean): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const bodies = CALLS.map(([method, ...params]) => JSON.stringify({ id: 1, method, params }));
  for (let i = first; !isOver(); i++) {
    const start = performance.now();
    await post(daemon, agent, bodies[i % bodies.length] as string);
    times.push(performance.now() - start);
  }
  agent.destroy();
}

/** The answer is not parsed: that would take processor time from the daemon. */
function post({ rpcPort: port }: Daemon, agent: http.Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: Daemon.authorization, 'content-length': body.length };
    const request = http.request({ port, method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve).on('error', reject);
    });
    request.on('error', reject).end(body);
  });
}

/** Processor time of all threads; available on Linux only. */
function cpuSeconds({ process: child }: Daemon): number {
  const fields = readFileSync(`/proc/${child?.pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
