import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { MemoryBlocks } from '../../src/chain/block-store.js';
import { Chain } from '../../src/chain/chain.js';
import { chainColumns } from '../../src/chain/database.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../src/params/index.js';
import type { OutPoint } from '../../src/primitives/outpoint.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { blockOn, bytesOf, spend } from '../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const BLOCKS = 3_000;
/** Each round imports all blocks into new stores; the best of each figure counts, because other work on the machine only adds to it. */
const ROUNDS = 3;
const MATURITY = 100;
const TRANSACTIONS = 3;
/** Room of a coinbase for the fees of the transactions that spend it one after the other. */
const FEE = 1_000n;

interface Figure {
  readonly seconds: number;
  /** Processor time of all threads. */
  readonly cpuSeconds: number;
}

/**
 * Blocks a second that a node accepts if they are empty or have three transactions: at the tip, where each block is on disk before the
 * next one, and far behind it. The floor is storing the same bytes, synced one by one or together.
 */
export async function run(): Promise<void> {
  for (const [kind, transactions] of [
    ['empty', 0],
    [`${TRANSACTIONS} transactions`, TRANSACTIONS],
  ] as const) {
    const blocks = makeBlocks(transactions);
    const bytes = Math.round(blocks.reduce((sum, block) => sum + block.length, 0) / blocks.length);
    console.log(`${BLOCKS} blocks, ${kind}, ${bytes} bytes each`);
    for (const atTip of [true, false]) await compare(blocks, atTip);
  }
}

async function compare(blocks: readonly Uint8Array[], atTip: boolean): Promise<void> {
  const floors: Figure[] = [];
  const imports: Figure[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(await inDirectory((directory) => storeBytes(directory, blocks, atTip)));
    imports.push(await inDirectory((directory) => importBlocks(directory, blocks, atTip)));
  }
  const floor = bestOf(floors);
  const best = bestOf(imports);
  const perBlock = (seconds: number) => `${((seconds / BLOCKS) * 1000).toFixed(2)} ms`;
  const name = atTip ? 'at the tip' : 'far behind';
  console.log(`  ${name}: ${Math.round(BLOCKS / best.seconds)} blocks/s, processor time ${perBlock(best.cpuSeconds)} each;`);
  console.log(`    storing the bytes: ${Math.round(BLOCKS / floor.seconds)} blocks/s, ratio ${(best.seconds / floor.seconds).toFixed(2)}`);
}

/** Blocks of a chain of its own; each transaction spends the output of the one before, the first a mature coinbase. */
function makeBlocks(transactions: number): Uint8Array[] {
  const clock = new FixedClock(params.genesis.header.time + 3_000);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const coinbases: { readonly point: OutPoint; readonly value: bigint }[] = [];
  const made: Uint8Array[] = [];
  for (let height = 1; height <= BLOCKS; height++) {
    const funds = height > MATURITY + 1 ? coinbases[height - MATURITY - 2] : undefined;
    const spends = [];
    for (let i = 0, from = funds; from && i < transactions; i++) {
      const value = from.value - FEE;
      const tx = spend(chain, [from.point], [value]);
      spends.push(tx);
      from = { point: { txid: tx.txid, vout: 0 }, value };
    }
    const block = blockOn(chain, chain.tip, { transactions: spends });
    const bytes = bytesOf(chain, block);
    const { status } = chain.submitBlock(bytes);
    if (status !== 'accepted') throw new Error(`block ${height} is ${status}`);
    const coinbase = block.transactions[0];
    if (coinbase) coinbases.push({ point: { txid: coinbase.txid, vout: 0 }, value: coinbase.vout[0]?.value ?? 0n });
    made.push(bytes);
  }
  return made;
}

function storeBytes(directory: string, blocks: readonly Uint8Array[], atTip: boolean): Figure {
  const files = new BlockFiles(directory, { magic: params.p2pMagic });
  const figure = measured(() => {
    for (const block of blocks) {
      files.append(block);
      if (atTip) files.sync();
    }
    files.sync();
  });
  files.close();
  return figure;
}

async function importBlocks(directory: string, blocks: readonly Uint8Array[], atTip: boolean): Promise<Figure> {
  const store = await RocksStore.open(join(directory, 'chainstate'), [...chainColumns, ...dfiColumns]);
  const files = new BlockFiles(join(directory, 'blocks'), { magic: params.p2pMagic });
  const clock = new FixedClock(params.genesis.header.time + (atTip ? 3_000 : 3_000_000));
  const chain = new Chain({ params }, { store, blocks: files, clock, log: silentLogger });
  const figure = measured(() => {
    for (const block of blocks) {
      if (atTip) chain.submitBlock(block);
      else chain.processBlock(block, { requested: true });
    }
    while (chain.advance());
    chain.close();
  });
  if (chain.tip.height !== blocks.length) throw new Error(`the tip is at height ${chain.tip.height}`);
  files.close();
  await store.close();
  return figure;
}

async function inDirectory<T>(work: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-small-blocks-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measured(work: () => void): Figure {
  const start = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
}

function bestOf(figures: readonly Figure[]): Figure {
  return { seconds: Math.min(...figures.map((each) => each.seconds)), cpuSeconds: Math.min(...figures.map((each) => each.cpuSeconds)) };
}
