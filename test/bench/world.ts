import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '../../src/devnet/world/script.js';
import { makeWorld } from '../../src/devnet/world/world.js';
import { networkParams } from '../../src/params/index.js';
import { UPGRADE_FLAGS } from '../../src/params/upgrade-heights.js';
import { Daemon, freePort } from '../daemon.js';

const params = networkParams({ network: 'regtest', jellyfish: true, allUpgrades: true });
/** Upgrades without an option in `defid` 3.2.8. */
const UNKNOWN = new Set(['bayfrontMarina', 'metachain', 'df23', 'df24']);
const OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';

/** Time to the world of -dev: at the first start, by calls over JSON-RPC, and at later starts. With DEFID=<path>, also on `defid` by the same calls. */
export async function run(): Promise<void> {
  const own = new Daemon(['-dev', '-devmine=off', '-devprices=0']);
  try {
    const first = await own.start();
    await own.end();
    const later = await own.start();
    await own.end();
    const calls = await worldByCalls();
    console.log(`first start with its world ${seconds(first)}, later starts ${seconds(later)}, by calls over JSON-RPC ${seconds(calls)}`);
    const program = process.env.DEFID;
    if (program === undefined) return;
    const theirs = await worldOfDefid(program);
    console.log(`defid, start and the same calls ${seconds(theirs)}: ${(theirs / first).toFixed(1)} times the first start`);
    console.log(`${(theirs / later).toFixed(1)} times a later start`);
  } finally {
    await own.destroy();
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Start of a daemon and the world by calls. @returns milliseconds */
async function worldByCalls(): Promise<number> {
  const daemon = new Daemon(['-dev', '-devworld=0', '-devmine=off', '-devprices=0']);
  try {
    const started = await daemon.start();
    return started + (await timeOf((method, ...args) => daemon.ask(method, ...args), true));
  } finally {
    await daemon.destroy();
  }
}

async function timeOf(call: Call, hasEvm: boolean): Promise<number> {
  const from = performance.now();
  await makeWorld(call, params, Math.floor(Date.now() / 1000), { hasEvm });
  return performance.now() - from;
}

/** The same for `defid`, without its EVM. */
async function worldOfDefid(program: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-defid-'));
  const port = await freePort();
  const heights = UPGRADE_FLAGS.filter(({ upgrade }) => !UNKNOWN.has(upgrade)).map(({ flag }) => `${flag}=1`);
  const flags = [`-datadir=${directory}`, `-rpcport=${port}`, '-rpcuser=user', '-rpcpassword=password', '-listen=0', '-printtoconsole=0'];
  const network = ['-regtest', '-jellyfish_regtest=1', '-txnotokens=0', `-masternode_operator=${OPERATOR}`, ...heights];
  const from = performance.now();
  const child = spawn(program, [...flags, ...network], { stdio: 'ignore' });
  try {
    const call = callerOf(port);
    await untilReady(child, call);
    return performance.now() - from + (await timeOf(call, false));
  } finally {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    if (child.exitCode === null) await exited;
    rmSync(directory, { recursive: true, force: true });
  }
}

function callerOf(port: number): Call {
  return async (method, ...params) => {
    const headers = { authorization: Daemon.authorization };
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) });
    const { result, error } = (await response.json()) as { result: unknown; error: { message: string } | null };
    if (error) throw new Error(`${method} ${JSON.stringify(params)}: ${error.message}`);
    return result;
  };
}

async function untilReady(child: ChildProcess, call: Call): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
    if (
      await call('getblockcount')
        .catch(() => undefined)
        .then((height) => height !== undefined)
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
