import { credentials, Metadata } from '@grpc/grpc-js';
import { BlockchainServiceClient } from '../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { AUTHORIZATION, measure, median, type Round, type Server, serve } from './http/compare.js';

const ROUNDS = 7;
const SECONDS = 1;
const CONNECTIONS = 8;
const WIDTH = 32;

const SERVERS = [
  { argument: 'grpc-echo', label: 'bare @grpc/grpc-js server' },
  { argument: 'grpc', label: 'gRPC GetBlockCount' },
] as const;

/**
 * Minimum cost of a call over gRPC, compared with a bare server of the same library with the same method. The library's client takes
 * more time than either server, so the result is the CPU time of the server.
 */
export async function run(): Promise<void> {
  const servers: Server[] = [];
  try {
    for (const { argument } of SERVERS) servers.push(await serve('server.ts', argument, callsPerSecond));
    const rounds = SERVERS.map((): Round[] => []);
    for (let i = 0; i < ROUNDS; i++) for (const [at, server] of servers.entries()) rounds[at]?.push(await measure(server));
    for (const [at, { label }] of SERVERS.entries()) {
      const rate = median((rounds[at] ?? []).map((round) => round.rate));
      const cpu = median((rounds[at] ?? []).map((round) => round.cpu));
      console.log(`${label.padEnd(WIDTH)}${Math.round(rate)} requests/s, ${cpu.toFixed(1)} us of CPU each`);
    }
    const ratios = (rounds[0] ?? []).map((bare, i) => bare.cpu / (rounds[1]?.[i]?.cpu ?? Number.NaN));
    console.log(`${'ratio by CPU time'.padEnd(WIDTH)}${median(ratios).toFixed(2)} (median of ${ROUNDS} rounds)`);
  } finally {
    for (const { process: child } of servers) child.kill();
  }
}

/** Sequential calls in each of a few loops over one connection, as a client of the library makes them. */
async function callsPerSecond(port: number): Promise<number> {
  const client = new BlockchainServiceClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', AUTHORIZATION);
  const start = performance.now();
  const end = start + SECONDS * 1000;
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
  const seconds = (performance.now() - start) / 1000;
  client.close();
  return answered / seconds;
}
