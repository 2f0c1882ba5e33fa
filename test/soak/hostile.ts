/**
 * A daemon under attack by peers and callers for as many seconds as the first argument says (120), while it mints, pays and encrypts
 * wallets; then it is killed three times while it works. Further arguments are names of probes: only these attack. Fails if the event
 * loop is late by more than 50 ms at p99 (plus the delay of an idle process on this machine), memory grows by more than 200 MiB, or
 * something that was acknowledged is lost. Needs Linux, where all of 127.0.0.0/8 is this machine. Not part of `npm test`.
 */
import { readFileSync } from 'node:fs';
import { constants, loadavg, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon, freePort } from '../daemon.js';
import { IdleProcess } from './hostile/idle.js';
import { post } from './hostile/post.js';
import { probes, type Target } from './hostile/probes.js';
import { Promises } from './hostile/promises.js';

const MAX_P99_MS = 50;
/** Interval of the measuring timer, which is part of every delay. */
const TIMER_MS = 10;
const MAX_GROWTH_MIB = 200;
const MATURE_BLOCKS = 110;
const KILLS = 3;
const PAYOUT = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';

const [seconds = '120', ...names] = process.argv.slice(2);
const chosen = Object.entries(probes).filter(([name]) => names.length === 0 || names.includes(name));
const [p2pPort, metricsPort, oceanPort] = [await freePort(), await freePort(), await freePort()];
const daemon = new Daemon([
  '-dummypos=1',
  '-masternode_operator=mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy',
  '-listen=1',
  `-port=${p2pPort}`,
  `-bind=127.0.0.1:${p2pPort}`,
  `-metricsport=${metricsPort}`,
  '-rest=1',
  '-oceanarchive',
  '-oceanarchiveserver',
  `-oceanarchiveport=${oceanPort}`,
  '-fallbackfee=0.0002',
  '-debuglogfile=0',
]);
const promises = new Promises();
const counts = new Map<string, number>();

await daemon.start();
const own = `${await daemon.ask('getnewaddress')}`;
for (let n = 0; n < MATURE_BLOCKS; n++) await daemon.ask('generatetoaddress', 1, own);

const idle = new IdleProcess();
await idle.ready();
putFirst();
const memory = { start: residentMiB(), max: 0, end: 0 };
// Both measure the time since the previous call.
await eventLoop();
await idle.p99();
const calls = await attack(Number(seconds) * 1_000);
const { p50, p99, max } = await eventLoop();
const idleP99 = await idle.p99();
idle.end();
const limit = MAX_P99_MS + Math.max(0, idleP99 - TIMER_MS);
memory.end = residentMiB();
tellCounts();
console.log(
  `event loop late by ms: p50 ${p50}, p99 ${p99}, max ${max}; that of an idle process at p99 ${idleP99}, load ${loadavg()[0]?.toFixed(1)}`,
);
console.log(`a call of the operator took ms: p50 ${calls.p50}, p99 ${calls.p99}, max ${calls.max}, ${calls.unanswered} unanswered`);
console.log(`resident MiB: start ${memory.start}, max ${memory.max}, end ${memory.end}`);

for (let kill = 1; kill <= KILLS; kill++) await killAtWork();
const { blocks, addresses, txids, wallets, broken } = promises;
console.log(
  `acknowledged: ${blocks.length} blocks, ${addresses.length} addresses, ${txids.length} transactions, ${wallets.length} encryptions`,
);
const faults = [
  ...(p99 > limit ? [`the event loop is late by ${p99} ms at p99, ${limit} are allowed`] : []),
  ...(memory.max > memory.start + MAX_GROWTH_MIB ? [`memory grew by ${memory.max - memory.start} MiB`] : []),
  ...new Set(broken),
];
console.log(faults.length === 0 ? 'all promises kept' : `FAILED\n  ${faults.join('\n  ')}`);
await daemon.destroy();
process.exit(faults.length === 0 ? 0 : 1);

/** Runs all probes concurrently. @returns durations of the operator's calls in the meantime */
async function attack(ms: number): Promise<Quantiles & { readonly unanswered: number }> {
  const end = performance.now() + ms;
  const isOver = (): boolean => performance.now() >= end || daemon.process?.exitCode !== null;
  const count = (what: string, times = 1): void => void counts.set(what, (counts.get(what) ?? 0) + times);
  const target: Target = { daemon, p2pPort, oceanPort, isOver, count };
  const attacks = chosen.map(([, probe]) => probe(target));
  const working = [promises.work(daemon, PAYOUT, isOver), promises.encrypt(daemon, isOver)];
  const times: number[] = [];
  let unanswered = 0;
  while (!isOver()) {
    memory.max = Math.max(memory.max, residentMiB());
    const from = performance.now();
    const answer = await post(daemon, '{"id":1,"method":"getblockcount"}');
    if (answer?.status === 200) times.push(performance.now() - from);
    else unanswered += 1;
    await sleep(200);
  }
  // Calls without an answer by then are abandoned.
  await Promise.race([Promise.all([...attacks, ...working]), sleep(35_000)]);
  if (daemon.process?.exitCode !== null) throw new Error(`the daemon ended: ${daemon.stderr}`);
  return { ...quantiles(times), unanswered };
}

async function killAtWork(): Promise<void> {
  let isOver = false;
  const working = promises.work(daemon, PAYOUT, () => isOver);
  await sleep(500 + Math.random() * 2_000);
  isOver = true;
  await daemon.end('SIGKILL');
  await working;
  await daemon.start();
  await promises.check(daemon);
}

/**
 * Raises the priority of the daemon, so that other work on this machine, the attackers included, does not count as its delay. Needs the
 * privilege to do so.
 */
function putFirst(): void {
  try {
    for (const pid of [daemon.process?.pid ?? 0, idle.pid]) setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    console.log('the daemon has no priority over other work: its delay is that of the machine as well');
  }
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Delay of the daemon's event loop since the previous call, beyond the interval of its timer. */
async function eventLoop(): Promise<Quantiles> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const ms = (name: string): number => {
    const found = new RegExp(`^dfi_nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1];
    return Math.round(Number(found) * 1_000);
  };
  return { p50: ms('p50'), p99: ms('p99'), max: ms('max') };
}

function residentMiB(): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.process?.pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}

function tellCounts(): void {
  for (const [what, times] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${what}: ${times}`);
  for (const [text, times] of promises.failures) console.log(`  operator: ${times} times ${text}`);
}
