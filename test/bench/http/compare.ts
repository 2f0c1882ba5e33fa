import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Load, requestsPerSecond } from './load.js';

const ROUNDS = 7;
const SECONDS = 1;
const CONNECTIONS = 16;
const WIDTH = 32;

export interface Subject {
  readonly label: string;
  /** Body of the JSON-RPC request. */
  readonly body: string;
  /** Target: requests per second for each request per second of the echo server. */
  readonly target: number;
}

/** Authorization header that the servers of this folder accept. */
export const AUTHORIZATION = `Basic ${Buffer.from('bench:bench').toString('base64')}`;

/** The HTTP request of a JSON-RPC body. */
export function requestOf(body: string): string {
  return [
    'POST / HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: ${AUTHORIZATION}`,
    'Content-Type: text/plain',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

export interface Server {
  readonly process: ChildProcess;
  readonly port: number;
  /** Loads the server for a while. @returns requests per second */
  readonly load: (port: number) => Promise<number>;
}

export interface Round {
  /** Requests per second. */
  readonly rate: number;
  /** CPU time of the server per request, in microseconds: steadier than the rate on a busy machine. */
  readonly cpu: number;
}

/** JSON-RPC against a bare echo server with the same request, alternating, each in a process of its own. */
export async function compareWithEcho({ label, body, target }: Subject): Promise<void> {
  const request = requestOf(body);
  const labels = { echo: 'bare node:http echo', gateway: label };
  const servers: Server[] = [];
  try {
    for (const name of ['echo', 'gateway']) servers.push(await serve('server.ts', name, httpLoad({ request, connections: CONNECTIONS })));
    const [echo, gateway] = servers as [Server, Server];
    const rounds: { echo: Round; gateway: Round }[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push({ echo: await measure(echo), gateway: await measure(gateway) });
    for (const name of ['echo', 'gateway'] as const) {
      const rate = median(rounds.map((round) => round[name].rate));
      const cpu = median(rounds.map((round) => round[name].cpu));
      console.log(`${labels[name].padEnd(WIDTH)}${Math.round(rate)} requests/s, ${cpu.toFixed(1)} us of CPU each`);
    }
    const ratio = median(rounds.map((round) => round.gateway.rate / round.echo.rate));
    const cpuRatio = median(rounds.map((round) => round.echo.cpu / round.gateway.cpu));
    console.log(
      `${'ratio'.padEnd(WIDTH)}${ratio.toFixed(2)} (target ${target.toFixed(2)}; by CPU time ${cpuRatio.toFixed(2)}; median of ${ROUNDS} rounds)`,
    );
  } finally {
    for (const server of servers) server.process.kill();
  }
}

/** Requests over keep-alive connections. */
export function httpLoad(load: Omit<Load, 'port' | 'seconds'>): Server['load'] {
  return (port) => requestsPerSecond({ ...load, port, seconds: SECONDS });
}

/** Starts a server of this folder in a process of its own, and warms it up. */
export async function serve(file: string, argument: string, load: Server['load']): Promise<Server> {
  const child = fork(fileURLToPath(new URL(`./${file}`, import.meta.url)), [argument], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(child, 'message')) as [number];
  const server = { process: child, port, load };
  await measure(server);
  return server;
}

/** One round of load. */
export async function measure(server: Server): Promise<Round> {
  const before = await cpuMicros(server);
  const from = performance.now();
  const rate = await server.load(server.port);
  const requests = (rate * (performance.now() - from)) / 1000;
  return { rate, cpu: ((await cpuMicros(server)) - before) / requests };
}

async function cpuMicros({ process: child }: Server): Promise<number> {
  child.send('cpu');
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return usage.user + usage.system;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
