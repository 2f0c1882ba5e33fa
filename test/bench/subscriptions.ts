import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseJson } from '../../src/util/json.js';
import { ServingNode } from '../unit/ethereum/serving-node.js';

const CONNECTIONS = 10;
/** The limit of a connection by default. */
const PER_CONNECTION = 100;
const FILTERS = 10_000;
const CALL = { signal: new AbortController().signal };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use after a garbage collection. */
function usedBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Milliseconds of processor time of a step. */
async function cpuMs(step: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const options = (i: number) => ({ address: `0x${i.toString(16).padStart(40, '0')}`, topics: [`0x${'11'.repeat(32)}`] });

/** 1,000 subscriptions on ten connections, and 10,000 filters, of which the last 5,000 are kept. The floor is a block without subscribers. */
export async function run(): Promise<void> {
  const node = new ServingNode('main', { blocks: 1 });
  let received = 0;
  const empty = usedBytes();
  const connections = Array.from({ length: CONNECTIONS }, () => node.rpc.open(() => (received += 1)));
  for (const connection of connections) {
    for (let i = 0; i < PER_CONNECTION; i++) {
      const value = i % 2 === 0 ? ['newHeads'] : ['logs', { address: options(i).address }];
      await connection.call('eth_subscribe', given(value), CALL);
    }
  }
  const subscribed = usedBytes();
  const count = node.rpc.subscriptions;
  console.log(`${count} subscriptions: ${((subscribed - empty) / count / 1024).toFixed(2)} KiB each`);
  const installMs = await cpuMs(async () => {
    for (let i = 0; i < FILTERS; i++) await node.rpc.call('eth_newFilter', given([options(i)]), CALL);
  });
  const kept = node.filters.size;
  console.log(
    `${FILTERS} filters, ${kept} kept: ${((usedBytes() - subscribed) / kept / 1024).toFixed(2)} KiB each, ${((installMs / FILTERS) * 1000).toFixed(0)} µs to install one`,
  );
  const bare = new ServingNode('main', { blocks: 1 });
  const floor = await cpuMs(() => bare.connect());
  const ms = await cpuMs(async () => {
    node.connect();
    while (received < count / 2) await new Promise((resolve) => setImmediate(resolve));
  });
  console.log(`a block to ${count} subscribers: ${ms.toFixed(1)} ms, ${(ms / floor).toFixed(2)} times one without subscribers`);
  for (const connection of connections) connection.close();
  console.log(`after the connections ended: ${node.rpc.subscriptions} subscriptions`);
}

function given(value: readonly unknown[]) {
  return { value: parseJson(JSON.stringify(value)), text: () => JSON.stringify(value) };
}
