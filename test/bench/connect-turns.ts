import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { Chain } from '../../src/chain/chain.js';
import { chainColumns } from '../../src/chain/database.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../src/params/index.js';
import type { OutPoint } from '../../src/primitives/outpoint.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../chains/block-builder.js';

const TRANSACTIONS = 2_000;
const BLOCKS = 8;
const MATURITY = 100;
const WIDTH = 24;
const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

/** Turns of the event loop while blocks of 2,000 transactions are connected one after the other: a read waits for at least one of them. */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-turns-'));
  const store = await RocksStore.open(join(directory, 'chain'), [...chainColumns, ...dfiColumns]);
  const files = new BlockFiles(join(directory, 'blocks'), { magic: params.p2pMagic });
  const clock = new FixedClock(params.genesis.header.time + 100_000);
  const chain = new Chain({ params }, { store, blocks: files, clock, log: silentLogger });
  try {
    const coinbases = extend(chain, 2 * BLOCKS).map(({ transactions: [coinbase] }) => coinbase);
    extend(chain, MATURITY);
    const turns: Record<'at once' | 'in slices', number[]> = { 'at once': [], 'in slices': [] };
    for (const [i, coinbase] of coinbases.entries()) {
      const name = i % 2 === 0 ? 'at once' : 'in slices';
      const bytes = largeBlock(chain, { txid: coinbase?.txid ?? new Uint8Array(), vout: 0 }, coinbase?.vout[0]?.value ?? 0n, i);
      const submit = name === 'at once' ? () => chain.submitBlock(bytes) : () => chain.submitBlockInSlices(bytes);
      turns[name].push(...(await turnsOf(submit)));
    }
    for (const [name, lengths] of Object.entries(turns)) {
      const longest = Math.max(...lengths).toFixed(0);
      console.log(`${name.padEnd(WIDTH)}longest turn ${longest} ms, 99 of 100 reads wait at most ${waitOf(lengths, 0.99).toFixed(0)} ms`);
    }
  } finally {
    chain.close();
    files.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Longest wait of a share of the reads, if they arrive at random while the work runs: each waits for the end of a turn. */
function waitOf(turns: readonly number[], share: number): number {
  const total = turns.reduce((sum, each) => sum + each, 0);
  const waitingLonger = (ms: number) => turns.reduce((sum, each) => sum + Math.max(0, each - ms), 0) / total;
  let [low, high] = [0, Math.max(...turns)];
  while (high - low > 0.1) {
    const middle = (low + high) / 2;
    if (waitingLonger(middle) > 1 - share) low = middle;
    else high = middle;
  }
  return high;
}

/** A block of transactions that each spend the one before. */
function largeBlock(chain: Chain, from: OutPoint, amount: bigint, tag: number): Uint8Array {
  let point = from;
  let value = amount;
  const transactions = Array.from({ length: TRANSACTIONS }, () => {
    value -= 1_000n;
    const tx = spend(chain, [point], [], { vout: [{ value, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] });
    point = { txid: tx.txid, vout: 0 };
    return tx;
  });
  return bytesOf(chain, blockOn(chain, chain.tip, { transactions, tag }));
}

/** CPU time of each turn while the work runs, ms: steadier than wall-clock time on a busy machine. */
async function turnsOf(work: () => unknown): Promise<number[]> {
  const lengths: number[] = [];
  let over = false;
  const turn = (before: NodeJS.CpuUsage): void => {
    const { user, system } = process.cpuUsage(before);
    lengths.push((user + system) / 1000);
    if (!over) setImmediate(turn, process.cpuUsage());
  };
  setImmediate(turn, process.cpuUsage());
  await new Promise((resolve) => setImmediate(resolve));
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  over = true;
  return lengths;
}
