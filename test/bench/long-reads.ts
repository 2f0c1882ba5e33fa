import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { coins } from '../../src/chain/coins.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { defaultGatewayOptions } from '../../src/gateway/options.js';
import { AccessRules } from '../../src/rpc/access.js';
import { loadCatalogue } from '../../src/rpc/catalogue.js';
import { Credentials } from '../../src/rpc/credentials.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { silentLogger } from '../../src/util/logger.js';
import { NO_RESTRICTIONS } from '../access-options.js';
import { fillState, longReads, readsOf, shortAnswers } from '../long-reads.js';
import { type Held, heldBy } from './held.js';
import { AUTHORIZATION } from './http/compare.js';

const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);
/** Transactions in the block, and in the mempool. */
const TRANSACTIONS = 5_000;
const BATCH = 20_000;
/** Target for the longest turn of the event loop. */
const LIMIT_MS = 20;
const WIDTH = 20;

/**
 * Time that reads of large tables block the event loop: the iteration alone, the whole call over JSON-RPC including its answer, and the
 * encoding of the answer for gRPC. `BENCH_READS` selects operations by name.
 */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-long-reads-'));
  const store = await RocksStore.open(directory, [coins, ...dfiColumns]);
  try {
    for (let from = 0; from < ROWS; from += BATCH) {
      const view = new Overlay(store);
      fillState(view, from, from + BATCH);
      store.write(view.changes());
    }
    const { handle, invoker, encodeLong } = readsOf(store, TRANSACTIONS);
    const credentials = new Credentials(
      { rpcUser: 'bench', rpcPassword: 'bench', rpcAuth: [], cookie: undefined },
      new AccessRules(NO_RESTRICTIONS),
    );
    const catalogue = loadCatalogue(readFileSync(new URL('../../gen/image.binpb', import.meta.url)));
    const streaming = { ...invoker, stream: async function* () {} };
    const gateway = new Gateway(defaultGatewayOptions, { invoker: streaming, catalogue, credentials, log: silentLogger });
    const [endpoint] = await gateway.start();
    const only = process.env.BENCH_READS?.split(',');
    for (const { method, args } of [...longReads, ...shortAnswers].filter((read) => !only || only.includes(read.method))) {
      const walking = await heldBy(() => handle(method, args));
      console.log(`${method.padEnd(WIDTH)}${'walk'.padEnd(WIDTH)}${shown(walking)}`);
      const call = await heldBy(() => answerSize(endpoint?.port ?? 0, JSON.stringify({ method, params: args, id: 1 })));
      console.log(`${method.padEnd(WIDTH)}${`JSON-RPC ${megabytes(call.result)}`.padEnd(WIDTH)}${shown(call)}`);
      const encoding = await heldBy(() => encodeLong(method, walking.result));
      console.log(`${method.padEnd(WIDTH)}${`gRPC ${megabytes(encoding.result.length)}`.padEnd(WIDTH)}${shown(encoding)}`);
    }
    await gateway.stop();
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function shown({ totalMs, heldMs, cpuMs }: Held<unknown>): string {
  return `${totalMs.toFixed(0)} ms, held for ${heldMs.toFixed(1)} ms at most (limit ${LIMIT_MS}), of it ${cpuMs.toFixed(1)} ms of CPU time`;
}

/** Size of an answer, counted by a process of its own because reading it takes time too. */
async function answerSize(port: number, body: string): Promise<number> {
  const args = [
    '--silent',
    '--header',
    `Authorization: ${AUTHORIZATION}`,
    '--data',
    body,
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code} %{size_download}',
  ];
  const { stdout } = await promisify(execFile)('curl', [...args, `http://127.0.0.1:${port}/`]);
  const [status, size] = stdout.split(' ').map(Number);
  if (status !== 200) throw new Error(`HTTP status ${status}`);
  return size ?? 0;
}
