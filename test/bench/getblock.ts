import { httpLoad, measure, median, type Round, requestOf, type Server, serve } from './http/compare.js';

const ROUNDS = 5;
const CONNECTIONS = 8;
/** Target: one block per second for this many echoes per second. */
const ECHOES_PER_BLOCK = 8_000 / 300;
const REQUEST = requestOf(JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'getblock', params: ['00'.repeat(32), 2] }));
const WIDTH = 40;

const SERVERS = [
  { file: 'server.ts', argument: 'echo', label: 'bare node:http echo' },
  { file: 'getblock-server.ts', argument: 'warm', label: 'the same block again' },
  { file: 'getblock-server.ts', argument: 'cold', label: 'a block not seen before, known scripts' },
  { file: 'getblock-server.ts', argument: 'fresh', label: 'the same, read, with fresh scripts' },
] as const;

/** JSON-RPC `getblock` with verbosity 2 on a block of 250 transactions compared with a bare echo server, each in a process of its own. */
export async function run(): Promise<void> {
  const servers: Server[] = [];
  const rounds = SERVERS.map((): Round[] => []);
  try {
    const load = httpLoad({ request: REQUEST, connections: CONNECTIONS, lengthsVary: true });
    for (const { file, argument } of SERVERS) servers.push(await serve(file, argument, load));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, server] of servers.entries()) rounds[i]?.push(await measure(server));
    }
  } finally {
    for (const { process: child } of servers) child.kill();
  }
  const echo = median((rounds[0] ?? []).map(({ rate }) => rate));
  for (const [i, { label }] of SERVERS.entries()) {
    const rate = median((rounds[i] ?? []).map((round) => round.rate));
    const cpu = median((rounds[i] ?? []).map((round) => round.cpu));
    const ofTarget = i === 0 ? '' : `, ${((rate * ECHOES_PER_BLOCK) / echo).toFixed(2)} of the target`;
    console.log(`${label.padEnd(WIDTH)}${Math.round(rate)} a second, ${(cpu / 1000).toFixed(3)} ms of CPU each${ofTarget}`);
  }
}
