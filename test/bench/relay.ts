import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { bytesOf } from '../chains/block-builder.js';
import { NetNode } from '../unit/p2p/net-node.js';
import { until } from '../until.js';

const BLOCKS = 300;
/** Approximate size of a compact block without transactions. */
const MESSAGE = Buffer.alloc(400, 7);
/** Size of `sendcmpct` on the wire. A node that has sent it twice has requested high-bandwidth relay (BIP152). */
const SENDCMPCT_SIZE = 33;

/**
 * Latency of a new block from the first to the last of three nodes in a row, in one process. The floor is the unavoidable work:
 * connecting the block three times, and as many bytes over two bare sockets.
 */
export async function run(): Promise<void> {
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  const [first, middle, last, alone] = await startRow(context);
  const hops = await bareHops(ends);
  const relayed: number[] = [];
  const floors: number[] = [];
  for (let i = 0; i < BLOCKS; i++) {
    const bytes = bytesOf(first.chain, first.make());
    const floorStart = performance.now();
    await hops();
    const hopsMs = performance.now() - floorStart;
    alone.chain.submitBlock(bytes);
    floors.push(hopsMs + 3 * (performance.now() - floorStart - hopsMs));
    const arrived = new Promise<void>((resolve) => {
      const stop = last.chain.on('connected', () => {
        stop();
        resolve();
      });
    });
    const start = performance.now();
    first.chain.submitBlock(bytes);
    await arrived;
    relayed.push(performance.now() - start);
    // Work after a block, such as announcing it to peers that already know it, is not measured.
    await until(() => middle.peers.idle && last.peers.idle && first.peers.idle, 'quiet');
  }
  for (const end of ends.reverse()) await end();
  const floor = median(floors);
  const relay = median(relayed);
  console.log(`new blocks through three nodes, medians of ${BLOCKS}`);
  console.log(`  connecting three times and two bare hops: ${floor.toFixed(2)} ms; relayed: ${relay.toFixed(2)} ms`);
  console.log(`  ratio ${(relay / floor).toFixed(2)}`);
}

/** Three nodes in a row with high-bandwidth block relay, and one with the same chain and no peers. */
async function startRow(context: TestContext): Promise<[NetNode, NetNode, NetNode, NetNode]> {
  const start = () => NetNode.start(context);
  const row: [NetNode, NetNode, NetNode, NetNode] = [await start(), await start(), await start(), await start()];
  const [first, middle, last, alone] = row;
  const early = first.mine(101);
  await middle.connect(first);
  await last.connect(middle);
  await until(() => last.height === 101, 'one chain');
  const [next] = first.mine();
  const asked = ({ peers }: NetNode) =>
    peers.ready().some(({ traffic }) => (traffic.receivedByMessage().sendcmpct ?? 0) > 2 * SENDCMPCT_SIZE);
  await until(() => last.height === 102 && asked(first) && asked(middle), 'the next blocks are wanted at once');
  for (const block of [...early, ...(next ? [next] : [])]) alone.chain.submitBlock(bytesOf(first.chain, block));
  return row;
}

/** @returns a function that sends a message over two sockets, one after the other, and waits for its arrival */
async function bareHops(ends: (() => unknown)[]): Promise<() => Promise<void>> {
  const [toSecond, atSecond] = await socketPair(ends);
  const [toThird, atThird] = await socketPair(ends);
  atSecond.on('data', (bytes) => toThird.write(bytes));
  return async () => {
    toSecond.write(MESSAGE);
    for (let received = 0; received < MESSAGE.length; ) {
      const [bytes] = (await once(atThird, 'data')) as [Buffer];
      received += bytes.length;
    }
  };
}

async function socketPair(ends: (() => unknown)[]): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  server.close();
  for (const end of [client, socket]) {
    end.setNoDelay(true);
    ends.push(() => end.destroy());
  }
  return [client, socket];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
