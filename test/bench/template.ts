import { performance } from 'node:perf_hooks';
import type { MempoolEntry } from '../../src/mempool/entry.js';
import { Pool } from '../../src/mempool/pool.js';
import { selectTransactions } from '../../src/minting/selection.js';
import { assembleBlock } from '../../src/minting/template.js';
import { networkParams } from '../../src/params/index.js';
import { makeTransaction } from '../../src/primitives/transaction.js';

const TRANSACTIONS = 10_000;
const ROUNDS = 5;
/** Transactions per chain. */
const CHAIN_LENGTH = 10;

const params = networkParams({ network: 'regtest' });
const script = Buffer.from(`76a914${'5b'.repeat(20)}88ac`, 'hex');

/** Fees that look random and are the same in each run. */
function feeOf(n: number): bigint {
  return BigInt(1_000 + (Math.imul(n + 1, 0x9e3779b1) >>> 16));
}

/** A mempool of chains: each transaction spends the one before it, except the first of a chain. */
function fill(chained: boolean): Pool {
  const pool = new Pool();
  let parent: MempoolEntry | undefined;
  for (let n = 0; n < TRANSACTIONS; n++) {
    const txid = Buffer.alloc(32);
    txid.writeUInt32LE(n + 1);
    const last = chained && n % CHAIN_LENGTH > 0 ? parent : undefined;
    const prevout = { txid: last?.tx.txid ?? txid, vout: 0 };
    const vin = [{ prevout, scriptSig: Buffer.alloc(107, 1), sequence: 0xffffffff, witness: [] }];
    const tx = makeTransaction(
      { version: 2, vin, vout: [{ value: 1_000n, scriptPubKey: script, tokenId: 0 }], lockTime: 0 },
      params.txFormat,
    );
    parent = pool.add({ tx, fee: feeOf(n), vsize: tx.raw.length, sigOpsCost: 4, time: n, height: 1, spendsCoinbase: false });
  }
  return pool;
}

/** Milliseconds of the fastest of some rounds. */
function best(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

/** Minimum work of any selection: sorting the entries by fee rate. */
function floor(pool: Pool): number {
  return best(() => {
    const rates = [...pool.entries()].map((entry) => ({ entry, rate: Number(entry.modifiedFee) / entry.vsize }));
    rates.sort((a, b) => b.rate - a.rate);
  });
}

export interface TemplateTimes {
  readonly name: string;
  readonly selectMs: number;
  readonly assembleMs: number;
  readonly sortMs: number;
}

/** Time to fill a block from a full mempool, compared with sorting the same entries. */
export function run(): TemplateTimes[] {
  const at = { height: 2, lockTimeCutoff: 0, witness: true, tiesByTime: false, trial: { accepts: () => true } };
  const options = { order: 'fee', maxWeight: 63_996_000, minFeeRate: 1_000n } as const;
  const parent = { ...params.genesis.header, hash: params.genesis.hash, height: 1, parent: undefined };
  const tip = { ...parent, medianTimePast: () => parent.time, ancestor: () => undefined };
  return [false, true].map((chained) => {
    const pool = fill(chained);
    const selected = () => selectTransactions(pool, options, at);
    const { entries, fees } = selected();
    if (entries.length !== TRANSACTIONS) throw new Error(`selected ${entries.length} of ${TRANSACTIONS}`);
    const transactions = entries.map(({ tx }) => tx);
    const selectMs = best(selected);
    const assembleMs = best(() => assembleBlock({ parent: tip, time: parent.time + 1, scriptPubKey: script, transactions, fees }, params));
    const sortMs = floor(pool);
    const name = chained ? `chains of ${CHAIN_LENGTH}` : 'single transactions';
    const ratio = (selectMs / sortMs).toFixed(1);
    console.log(
      `template: ${TRANSACTIONS} ${name}: select ${selectMs.toFixed(1)} ms, sorting alone ${sortMs.toFixed(1)} ms, ratio ${ratio}; roots ${assembleMs.toFixed(1)} ms`,
    );
    return { name, selectMs, assembleMs, sortMs };
  });
}
