import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { requestsPerSecond } from './http/load.js';

const ROUNDS = 5;
const SECONDS = 1;
const CONNECTIONS = 8;
/** A block a second for every so many echoes. */
const ECHOES_PER_BLOCK = 8_000 / 300;
const BODY = JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'getblock', params: ['00'.repeat(32), 2] });
const REQUEST = [
  'POST / HTTP/1.1',
  'Host: 127.0.0.1',
  `Authorization: Basic ${Buffer.from('bench:bench').toString('base64')}`,
  'Content-Type: text/plain',
  `Content-Length: ${BODY.length}`,
  '',
  BODY,
].join('\r\n');

const SERVERS = [
  { name: 'echo', file: 'server.ts', argument: 'echo', label: 'bare node:http echo' },
  { name: 'warm', file: 'getblock-server.ts', argument: 'warm', label: 'the same block again' },
  { name: 'cold', file: 'getblock-server.ts', argument: 'cold', label: 'a block not seen before' },
] as const;

/** JSON-RPC `getblock` with verbosity 2 on a block of 250 transactions, beside a bare echo server, each in a process of its own. */
export async function run(): Promise<void> {
  const servers: { readonly process: ChildProcess; readonly port: number }[] = [];
  const rates = SERVERS.map((): number[] => []);
  try {
    for (const { file, argument } of SERVERS) servers.push(await serve(file, argument));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, { port }] of servers.entries())
        rates[i]?.push(await requestsPerSecond({ port, request: REQUEST, connections: CONNECTIONS, seconds: SECONDS }));
    }
  } finally {
    for (const { process: child } of servers) child.kill();
  }
  const [echo = Number.NaN, ...blocks] = rates.map(median);
  console.log(`${SERVERS[0].label.padEnd(24)}${Math.round(echo)} requests/s`);
  for (const [i, rate] of blocks.entries())
    console.log(
      `${SERVERS[i + 1]?.label.padEnd(24)}${Math.round(rate)} blocks/s, ${((rate * ECHOES_PER_BLOCK) / echo).toFixed(2)} of the target`,
    );
}

async function serve(file: string, argument: string): Promise<{ process: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(new URL(`./http/${file}`, import.meta.url)), [argument], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(child, 'message')) as [number];
  await requestsPerSecond({ port, request: REQUEST, connections: CONNECTIONS, seconds: SECONDS }); // warm
  return { process: child, port };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
