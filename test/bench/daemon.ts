import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { credentials, Metadata } from '@grpc/grpc-js';
import { BlockchainServiceClient } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { Daemon } from '../daemon.js';
import { readRecording, sharedPath } from '../shared.js';
import { requestsPerSecond } from './http/load.js';

const SECONDS = 2;
const CONNECTIONS = 8;
const STARTS = 5;

/** The daemon as it is shipped: cold start, and calls over each transport compared with a bare echo server. */
export async function run(): Promise<void> {
  await coldStart();
  const path = sharedPath('golden', 'load', 'load_10k.jsonl.gz');
  if (!path) return;
  const recording = readRecording(path);
  const daemon = new Daemon(recording.header.flags);
  const echo = fork(fileURLToPath(new URL('./http/server.ts', import.meta.url)), ['echo'], { execArgv: ['--import', 'tsx'] });
  const [echoPort] = (await once(echo, 'message')) as [number];
  try {
    await daemon.start();
    for (const step of recording.steps) {
      if (!('hex' in step)) continue;
      await daemon.ask('setmocktime', step.time);
      await daemon.ask('submitblock', step.hex);
    }
    const block = await largestBlock(daemon);
    const floor = await requestsPerSecond({
      port: echoPort,
      request: request(body('getblockcount')),
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
    const rate = (text: string) =>
      requestsPerSecond({ port: daemon.rpcPort, request: request(text), connections: CONNECTIONS, seconds: SECONDS });
    const count = await rate(body('getblockcount'));
    const full = await rate(body('getblock', block.hash, 2));
    const target = (300 * floor) / 8000;
    console.log(`bare node:http echo        ${Math.round(floor)} requests/s`);
    console.log(`JSON-RPC getblockcount     ${Math.round(count)} requests/s, ratio ${(count / floor).toFixed(2)} (target 0.60)`);
    console.log(
      `JSON-RPC getblock 2        ${Math.round(full)} requests/s of a block of ${block.transactions} transactions (target ${Math.round(target)})`,
    );
    const unary = await grpcPerSecond(daemon);
    console.log(`gRPC GetBlockCount         ${Math.round(unary)} requests/s, ratio ${(unary / floor).toFixed(2)}`);
  } finally {
    echo.kill();
    await daemon.destroy();
  }
}

async function coldStart(): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const daemon = new Daemon();
    times.push(await daemon.start());
    await daemon.destroy();
  }
  times.sort((a, b) => a - b);
  console.log(`cold start to first answer ${Math.round(times[STARTS >> 1] as number)} ms, median of ${STARTS} (target 1500)`);
}

async function largestBlock(daemon: Daemon): Promise<{ readonly hash: string; readonly transactions: number }> {
  let best = { hash: '', transactions: 0 };
  const height = (await daemon.ask('getblockcount')) as number;
  for (let at = 1; at <= height; at++) {
    const hash = (await daemon.ask('getblockhash', at)) as string;
    const { nTx } = (await daemon.ask('getblock', hash)) as { nTx: number };
    if (nTx > best.transactions) best = { hash, transactions: nTx };
  }
  return best;
}

function body(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '1.0', id: 1, method, params });
}

function request(text: string): string {
  return `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${Daemon.authorization}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

async function grpcPerSecond(daemon: Daemon): Promise<number> {
  const client = new BlockchainServiceClient(`127.0.0.1:${daemon.grpcPort}`, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', Daemon.authorization);
  const end = performance.now() + SECONDS * 1000;
  let answered = 0;
  const loop = async () => {
    while (performance.now() < end) {
      await new Promise<void>((resolve, reject) => {
        client.getBlockCount({}, metadata, (error) => (error ? reject(error) : resolve()));
      });
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  client.close();
  return answered / SECONDS;
}
