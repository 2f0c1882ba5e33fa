/**
 * Four daemons that mint, restart and lose each other at random, for as many minutes as the first argument says (10): in the end all
 * must have the same tip. Prints memory and heights on the way. Not part of `npm test`.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon, freePort } from '../daemon.js';

const NODES = 4;
const STEP_MS = 2_000;
const SETTLE_MS = 60_000;
const minutes = Number(process.argv[2] ?? 10);

/** A repeatable sequence of numbers from 0 up to 1. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randomOf(Number(process.argv[3] ?? 1));
const operator = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';
const owner = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const ports = await Promise.all(Array.from({ length: NODES }, freePort));
const nodes = ports.map((port, i) => {
  const others = ports.filter((_, at) => at !== i).map((other) => `-addnode=127.0.0.1:${other}`);
  return new Daemon([
    '-listen=1',
    `-port=${port}`,
    `-bind=127.0.0.1:${port}`,
    `-masternode_operator=${operator}`,
    '-dummypos=1',
    ...others,
  ]);
});
for (const node of nodes) await node.start();

const counts = { minted: 0, restarts: 0, kills: 0, cuts: 0 };
const end = performance.now() + minutes * 60_000;
let printedAt = performance.now();
while (performance.now() < end) {
  const node = nodes[Math.floor(random() * NODES)] as Daemon;
  const dice = random();
  if (dice < 0.6) {
    counts.minted += (await nodes[0]?.ask('generatetoaddress', 1, owner, 5)) as number;
  } else if (dice < 0.7 && node !== nodes[0]) {
    await node.end(random() < 0.5 ? 'SIGKILL' : 'SIGTERM');
    counts.restarts += 1;
    await node.start();
  } else if (dice < 0.9) {
    await node.ask('setnetworkactive', false);
    counts.cuts += 1;
    await sleep(STEP_MS);
    await node.ask('setnetworkactive', true);
  } else await sleep(STEP_MS * random());
  if (performance.now() - printedAt > 60_000) {
    printedAt = performance.now();
    await tell();
  }
}

const tips = async () => new Set(await Promise.all(nodes.map((node) => node.ask('getbestblockhash'))));
for (const until = performance.now() + SETTLE_MS; (await tips()).size > 1 && performance.now() < until; ) await sleep(STEP_MS);
await tell();
const { size } = await tips();
console.log(`${JSON.stringify(counts)}: ${size === 1 ? 'all nodes end at one tip' : `${size} tips are left`}`);
for (const node of nodes) await node.destroy();
process.exit(size === 1 ? 0 : 1);

async function tell(): Promise<void> {
  const heights = await Promise.all(nodes.map((node) => node.ask('getblockcount')));
  const peers = await Promise.all(nodes.map((node) => node.ask('getconnectioncount')));
  console.log(`heights ${heights.join(' ')}, peers ${peers.join(' ')}, resident MiB ${nodes.map(residentMiB).join(' ')}`);
}

function residentMiB({ process: child }: Daemon): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child?.pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}
