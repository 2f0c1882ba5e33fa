import { readFileSync } from 'node:fs';
import { serviceDefinitions } from '../../src/grpc/definitions.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { bindJson } from '../../src/rpc/document.js';
import { type JsonObject, parseJson } from '../../src/util/json.js';
import { Daemon } from '../daemon.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { readRecording, sharedPath } from '../shared.js';
import { callsPerSecond } from './http/grpc-load.js';
import { requestsPerSecond } from './http/load.js';

const SECONDS = 1;
const CONNECTIONS = 16;
/** Owner of the first masternodes of regtest. */
const address = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';

interface Row {
  readonly name: string;
  /** Arguments by position, for JSON-RPC. */
  readonly params: readonly unknown[];
  /** The same by name, for gRPC. */
  readonly named: object;
  /** The same as path and query. */
  readonly url: string;
}

/** Rate of calls, and processor time of the daemon for each. */
interface Cost {
  readonly rate: number;
  readonly micros: number;
}

/**
 * The same operations over gRPC, JSON-RPC and REST, against a daemon as it is shipped: first with the cache of answers, then without. The
 * processor time of the daemon is the steady figure; the rates depend on the load of the machine.
 */
export async function run(): Promise<void> {
  const path = sharedPath('golden', 'load', 'load_10k.jsonl.gz');
  if (!path) return;
  const { header, steps } = readRecording(path);
  for (const flags of [[], ['-rpccache=0']]) {
    const daemon = new Daemon([...header.flags, ...flags]);
    try {
      await daemon.start();
      for (const step of steps) {
        if (!('hex' in step)) continue;
        await daemon.ask('setmocktime', step.time);
        await daemon.ask('submitblock', step.hex);
      }
      console.log(flags.length === 0 ? 'repeated calls, answers cached:' : 'answers computed, -rpccache=0:');
      console.log('| operation | gRPC /s | JSON-RPC /s | REST /s | gRPC us | JSON-RPC us | REST us | gRPC : JSON-RPC |');
      console.log('|---|---|---|---|---|---|---|---|');
      for (const row of await rowsOf(daemon)) console.log(await lineOf(daemon, row));
    } finally {
      await daemon.destroy();
    }
  }
}

async function rowsOf(daemon: Daemon): Promise<readonly Row[]> {
  const hash = String(await daemon.ask('getblockhash', 50));
  return [
    { name: 'getblockcount', params: [], named: {}, url: '/v1/chain/height' },
    { name: 'getbestblockhash', params: [], named: {}, url: '/v1/chain/tip' },
    { name: 'getblockhash', params: [50], named: { height: 50 }, url: '/v1/chain/hashes/50' },
    { name: 'getblockheader', params: [hash], named: { blockhash: hash }, url: `/v1/blocks/${hash}/header` },
    { name: 'getblock', params: [hash, 2], named: { blockhash: hash, verbosity: 2 }, url: `/v1/blocks/${hash}?verbosity=2` },
    { name: 'getblockchaininfo', params: [], named: {}, url: '/v1/chain' },
    { name: 'getaccount', params: [address], named: { owner: address }, url: `/v1/accounts/${address}` },
    { name: 'getburninfo', params: [], named: {}, url: '/v1/burn-info' },
    { name: 'getgov', params: ['ATTRIBUTES'], named: { name: 'ATTRIBUTES' }, url: '/v1/gov/ATTRIBUTES' },
  ];
}

async function lineOf(daemon: Daemon, row: Row): Promise<string> {
  const op = committedCatalogue().byName(row.name) as Operation;
  const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method: row.name, params: row.params });
  const head = `Host: 127.0.0.1\r\nAuthorization: ${Daemon.authorization}\r\n`;
  const http = (request: string): Promise<number> =>
    requestsPerSecond({ port: daemon.rpcPort, request, connections: CONNECTIONS, seconds: SECONDS, lengthsVary: true });
  const { grpcPort: port } = daemon;
  const call = { path: op.path, authorization: Daemon.authorization, request: encoded(op, row.named), connections: CONNECTIONS };
  const grpc = await costOf(daemon, () => callsPerSecond({ ...call, port, seconds: SECONDS }));
  const jsonRpc = await costOf(daemon, () => http(`POST / HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`));
  const rest = await costOf(daemon, () => http(`GET ${row.url} HTTP/1.1\r\n${head}\r\n`));
  const costs = [grpc, jsonRpc, rest];
  const rates = costs.map(({ rate }) => Math.round(rate));
  return `| ${[row.name, ...rates, ...costs.map(({ micros }) => micros.toFixed(0)), (jsonRpc.micros / grpc.micros).toFixed(2)].join(' | ')} |`;
}

function encoded(op: Operation, named: object): Uint8Array {
  const method = serviceDefinitions.flatMap((service) => Object.values(service)).find(({ path }) => path === op.path);
  if (!method) throw new Error(`no method for ${op.name}`);
  return method.requestSerialize(bindJson(op, parseJson(JSON.stringify(named)) as JsonObject, { textual: false }));
}

async function costOf(daemon: Daemon, load: () => Promise<number>): Promise<Cost> {
  const before = cpuMicros(daemon);
  const from = performance.now();
  const rate = await load();
  const calls = (rate * (performance.now() - from)) / 1000;
  return { rate, micros: (cpuMicros(daemon) - before) / calls };
}

/** Processor time that the daemon has used. Linux counts it in hundredths of a second. */
function cpuMicros({ process: child }: Daemon): number {
  const fields = readFileSync(`/proc/${child?.pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}
