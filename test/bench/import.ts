import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { Chain } from '../../src/chain/chain.js';
import { chainColumns } from '../../src/chain/database.js';
import { VerifiedScripts } from '../../src/consensus/script-cache.js';
import { blockScriptFlags } from '../../src/consensus/script-flags.js';
import type { ScriptJob } from '../../src/consensus/script-jobs.js';
import { ScriptPool, threadsOf } from '../../src/consensus/script-pool.js';
import type { ScriptHelpers, ScriptThreads } from '../../src/consensus/scripts.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import type { NetworkParams } from '../../src/params/network.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { fromHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { paramsOfFlags } from '../chains/recorded-chain.js';
import { type RecordedBlock, readRecording, sharedPath } from '../shared.js';
import { scriptWorkerProgram } from '../worker-program.js';

/** Other work on the machine distorts single measurements: floor and imports alternate, and medians are compared. */
const ROUNDS = 7;

interface Block extends RecordedBlock {
  readonly bytes: Uint8Array;
}

interface Measured {
  readonly seconds: number;
  /** CPU time of all threads. */
  readonly cpuSeconds: number;
}

interface Imported extends Measured {
  /** Time to check, connect and write the blocks; the rest is reading them. */
  readonly stages: Readonly<Record<'check' | 'connect' | 'write', number>>;
  readonly chain: Chain;
}

/**
 * Imports a chain of signature-heavy blocks into a store on disk, as a node far behind the tip does. The floor is verification of the
 * same scripts in the same threads.
 */
export async function run(): Promise<void> {
  const path = sharedPath('golden', 'load', 'load_10k.jsonl.gz');
  if (!path) return;
  const { header, steps } = readRecording(path);
  const blocks = steps.flatMap((step) => ('hex' in step ? [{ ...step, bytes: fromHex(step.hex) }] : []));
  const params = paramsOfFlags(header.flags);
  const pool = startPool();
  const { threads, jobs } = recorded(pool);
  const cache = new VerifiedScripts();
  const first = await importBlocks(blocks, params, { threads }, (chain) => {
    chain.on('connected', ({ block, entry }) => {
      for (const tx of block.transactions) cache.add(tx, blockScriptFlags(entry.height, params));
    });
  });
  const floors: Measured[] = [];
  const cold: Imported[] = [];
  const warm: Imported[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(verifyAll(jobs, pool));
    cold.push(await importBlocks(blocks, params, { threads: pool }));
    warm.push(await importBlocks(blocks, params, { threads: pool, cache }));
  }
  await pool.stop();
  const transactions = first.chain.tip.chainTx - first.chain.genesis.chainTx;
  const count = jobs.reduce((sum, each) => sum + each.length, 0);
  const seconds = medianOf(cold, (each) => each.seconds);
  console.log(`import of load_10k: ${blocks.length} blocks, ${transactions} transactions, ${count} with scripts, ${pool.threads} threads`);
  console.log(`  medians of ${ROUNDS}; the very first run, before the engine had compiled anything, took ${first.seconds.toFixed(2)} s`);
  printLine('verifying the scripts alone', floors);
  printLine('import', cold);
  printLine('import, scripts known from the mempool', warm);
  console.log(`  ${Math.round(blocks.length / seconds)} blocks/s, ${Math.round(transactions / seconds)} transactions/s`);
  const ratios = floors.map((floor, i) => (cold[i]?.seconds ?? 0) / floor.seconds);
  const cpuRatio = medianOf(cold, (each) => each.cpuSeconds) / medianOf(floors, (each) => each.cpuSeconds);
  console.log(`  import to scripts alone: ratio ${median(ratios).toFixed(2)} (processor time ${cpuRatio.toFixed(2)})`);
  const connects = cold.map((each, i) => each.stages.connect / (warm[i]?.stages.connect ?? 1));
  const wholes = cold.map((each, i) => each.seconds / (warm[i]?.seconds ?? 1));
  console.log(
    `  connecting with a warm cache: ${median(connects).toFixed(2)} times faster; the whole import ${median(wholes).toFixed(2)} times`,
  );
  console.log(`  resident ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB, of this process with the recording in it`);
}

function startPool(): ScriptPool {
  return new ScriptPool(threadsOf(0), {
    program: scriptWorkerProgram(),
    onError(error) {
      throw error;
    },
  });
}

/** Threads whose batches record the scripts that they verify, block by block. */
function recorded(pool: ScriptPool): { readonly threads: ScriptThreads; readonly jobs: readonly (readonly ScriptJob[])[] } {
  const jobs: ScriptJob[][] = [];
  const threads: ScriptThreads = {
    open() {
      const batch = pool.open();
      const ofBlock: ScriptJob[] = [];
      jobs.push(ofBlock);
      return {
        add(job) {
          ofBlock.push(job);
          return batch.add(job);
        },
        addIfRoom(job) {
          const isAdded = batch.addIfRoom(job);
          if (isAdded) ofBlock.push(job);
          return isAdded;
        },
        help: () => batch.help(),
        finish: () => batch.finish(),
        discard: () => batch.discard(),
      };
    },
  };
  return { threads, jobs };
}

function verifyAll(jobs: readonly (readonly ScriptJob[])[], pool: ScriptPool): Measured {
  return measured(() => {
    for (const ofBlock of jobs) {
      const batch = pool.open();
      for (const job of ofBlock) batch.add(job);
      if (!batch.finish()) throw new Error('a script of the recording is invalid');
    }
  });
}

async function importBlocks(
  blocks: readonly Block[],
  params: NetworkParams,
  scripts: ScriptHelpers,
  prepare: (chain: Chain) => void = () => {},
): Promise<Imported> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-bench-'));
  const store = await RocksStore.open(join(directory, 'chain'), [...chainColumns, ...dfiColumns]);
  const files = new BlockFiles(join(directory, 'blocks'), { magic: params.p2pMagic });
  const clock = new FixedClock((blocks.at(-1)?.time ?? 0) + 10 * params.maxTipAge);
  const chain = new Chain({ params }, { store, blocks: files, clock, log: silentLogger, scripts });
  prepare(chain);
  const stages = { check: 0, connect: 0, write: 0 };
  chain.on('timed', ({ stage, seconds }) => {
    stages[stage] += seconds;
  });
  const result = measured(() => {
    for (const { bytes } of blocks) chain.submitBlock(bytes);
    chain.close();
  });
  if (chain.tip.height !== blocks.length) throw new Error(`stopped at ${chain.tip.height} of ${blocks.length}`);
  files.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
  return { ...result, stages, chain };
}

function measured(work: () => void): Measured {
  const before = process.cpuUsage();
  const start = performance.now();
  work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

function printLine(what: string, runs: readonly (Measured & Partial<Imported>)[]): void {
  const ms = (value: (each: Measured & Partial<Imported>) => number) => Math.round(medianOf(runs, value) * 1000);
  const stages = runs[0]?.stages ? Object.keys(runs[0].stages) : [];
  const parts = stages.map((stage) => `${stage} ${ms((each) => each.stages?.[stage as keyof Imported['stages']] ?? 0)}`);
  console.log(
    `  ${what}: ${ms((each) => each.seconds)} ms, processor ${ms((each) => each.cpuSeconds)} ms${parts.map((part) => `, ${part}`).join('')}`,
  );
}

function medianOf<T>(items: readonly T[], value: (item: T) => number): number {
  return median(items.map(value));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
