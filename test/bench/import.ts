import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { Chain } from '../../src/chain/chain.js';
import { chainColumns } from '../../src/chain/database.js';
import { verify } from '../../src/crypto/ecdsa.js';
import { threadsOf, VerifyPool } from '../../src/crypto/verify-pool.js';
import { dfiColumns } from '../../src/dfi/state/columns.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { fromHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { paramsOfFlags } from '../chains/recorded-chain.js';
import { readRecording, sharedPath } from '../shared.js';
import { verifyWorkerProgram } from '../verify-worker.js';

/** Imports a chain of signature-heavy blocks into a store on disk; the floor is verifying as many signatures and nothing else. */
export async function run(): Promise<void> {
  const path = sharedPath('golden', 'load', 'load_10k.jsonl.gz');
  if (!path) return;
  const { header, steps } = readRecording(path);
  const blocks = steps.filter((step) => 'hex' in step).map((step) => ({ ...step, bytes: fromHex(step.hex) }));
  const directory = mkdtempSync(join(tmpdir(), 'dfi-bench-'));
  const params = paramsOfFlags(header.flags);
  const clock = new FixedClock(params.genesis.header.time);
  const store = await RocksStore.open(join(directory, 'chain'), [...chainColumns, ...dfiColumns]);
  const files = new BlockFiles(join(directory, 'blocks'), { magic: params.p2pMagic });
  const pool = new VerifyPool(threadsOf(0), {
    program: verifyWorkerProgram(),
    onError(error) {
      throw error;
    },
  });
  pool.start();
  const chain = new Chain({ params }, { store, blocks: files, clock, log: silentLogger, scripts: { batch: pool } });
  let inputs = 0;
  chain.on('connected', ({ spent }) => {
    for (const coins of spent) inputs += coins.length;
  });
  const seconds = timed(() => {
    for (const { bytes, time } of blocks) {
      clock.set(time);
      chain.submitBlock(bytes);
    }
    chain.close();
  });
  if (chain.tip.height !== header.blocks) throw new Error(`stopped at ${chain.tip.height} of ${header.blocks}`);
  const transactions = chain.tip.chainTx - (chain.genesis.chainTx ?? 0);
  await pool.stop();
  files.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
  const floor = verifying(inputs);
  console.log(
    `import of load_10k: ${header.blocks} blocks, ${transactions} transactions, ${inputs} inputs in ${seconds.toFixed(2)} s: ` +
      `${Math.round(header.blocks / seconds)} blocks/s, ${Math.round(transactions / seconds)} transactions/s`,
  );
  console.log(`  verifying as many signatures alone: ${floor.toFixed(2)} s; ratio ${(seconds / floor).toFixed(2)}`);
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}

/** Seconds for that many verifications of one good signature. */
function verifying(count: number): number {
  const key = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
  // r = s = 1 by key G over a hash of zero is no signature of anything, but it costs what a good one costs.
  const signature = fromHex('3006020101020101');
  const hash = new Uint8Array(32).fill(1);
  return timed(() => {
    for (let i = 0; i < count; i++) verify(key, signature, hash);
  });
}
