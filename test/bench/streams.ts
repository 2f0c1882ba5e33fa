import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MAX_STREAMS } from '../../src/gateway/streams.js';
import { path } from '../e2e/event-delivery.js';
import { type EventNode, startEventNode } from '../e2e/event-fixture.js';
import { basic } from '../e2e/gateway-fixture.js';
import { readRecording } from '../shared.js';

/** Streams from which nothing is read; the others keep up. */
const STALLED = 50;
const ROUNDS = 5;
/** Blocks that are disconnected and connected again in a round. */
const DEPTH = 60;
/** Typical length of an event in the stream. */
const EVENT = `id: ${'x'.repeat(64)}\ndata: ${'x'.repeat(400)}\n\n`;
const TARGET = 50_000;

/**
 * As many streams of events as a node serves, some of which read nothing, while blocks come and go: events that arrive per second,
 * processor time for each, and memory. The floor is `node:http`, which writes as many texts to as many connections.
 */
export async function run(): Promise<void> {
  if (!path) return;
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  const recording = readRecording(path);
  const node = await startEventNode(context, recording);
  for (const step of recording.steps) if ('hex' in step) node.submit(step);
  const readers = startReaders();
  try {
    await readers.open(node.port, '/v1/events/stream', MAX_STREAMS - STALLED, STALLED);
    await churn(node, readers);
    const memory = [process.memoryUsage().rss];
    const rates: number[] = [];
    let cpuUs = 0;
    let events = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const measured = await churn(node, readers);
      rates.push(measured.events / measured.seconds);
      cpuUs += measured.cpuUs;
      events += measured.events;
      memory.push(process.memoryUsage().rss);
    }
    const rate = median(rates);
    const each = cpuUs / events;
    const floor = await bareRound(events / ROUNDS / (MAX_STREAMS - STALLED));
    console.log(
      `${MAX_STREAMS} streams of server-sent events, ${STALLED} of which read nothing, ${Math.round(events / 1000)} thousand events`,
    );
    console.log(`  arrived: ${Math.round(rate)} per second, ${(rate / TARGET).toFixed(1)} times the target of ${TARGET}`);
    console.log(`  processor time of the node: ${each.toFixed(1)} µs for each, ${(each / floor).toFixed(2)} times that of bare node:http`);
    console.log(`  memory: ${memory.map((bytes) => Math.round(bytes / 2 ** 20)).join(' ')} MiB after each round`);
  } finally {
    readers.stop();
    for (const end of ends.reverse()) await end();
  }
}

interface Round {
  readonly events: number;
  readonly seconds: number;
  /** Processor time of this process, µs. */
  readonly cpuUs: number;
}

/** Disconnects blocks, connects them again, and waits until all readers have the events. */
async function churn({ chain, modules }: EventNode, readers: Readers): Promise<Round> {
  const [from, cpu, before, sent] = [performance.now(), process.cpuUsage(), await readers.count(), modules.streams.sent];
  const entry = chain.entryAt(chain.tip.height - DEPTH + 1);
  if (!entry) throw new Error('the chain is too short');
  chain.invalidate(entry);
  chain.reconsider(entry);
  const lags = () => [...modules.streams.all()].filter(({ reader }) => reader.lag > 0).length;
  while (lags() > STALLED) await sleep(5);
  // Those of the streams that read nothing are in the buffers of the connections.
  const arrived = await untilStill(readers, modules.streams.sent - sent);
  const { user, system } = process.cpuUsage(cpu);
  return { events: arrived - before, seconds: (performance.now() - from) / 1000, cpuUs: user + system };
}

/** Waits until no more events arrive. @returns their number */
async function untilStill(readers: Readers, atMost: number): Promise<number> {
  let last = await readers.count();
  for (let waited = 0; waited < atMost; waited++) {
    await sleep(10);
    const now = await readers.count();
    if (now === last) break;
    last = now;
  }
  return last;
}

/** @param events texts for each connection @returns processor time for each, µs */
async function bareRound(events: number): Promise<number> {
  const open: ServerResponse[] = [];
  const server = createServer((_, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    open.push(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const readers = startReaders();
  await readers.open((server.address() as AddressInfo).port, '/', MAX_STREAMS - STALLED, 0);
  while (open.length < MAX_STREAMS - STALLED) await sleep(5);
  const cpu = process.cpuUsage();
  for (const res of open) {
    res.cork();
    for (let i = 0; i < events; i++) res.write(EVENT);
    res.uncork();
  }
  await untilStill(readers, events);
  const { user, system } = process.cpuUsage(cpu);
  readers.stop();
  server.close().closeAllConnections();
  return (user + system) / (events * open.length);
}

interface Readers {
  open(port: number, path: string, reading: number, stalled: number): Promise<void>;
  /** Events that have arrived. */
  count(): Promise<number>;
  stop(): void;
}

function startReaders(): Readers {
  const child: ChildProcess = fork(fileURLToPath(new URL('./http/stream-readers.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the readers have ended');
  });
  ended.catch(() => {});
  const ask = async (message: object | string): Promise<unknown> => {
    child.send(message);
    return (await Promise.race([once(child, 'message'), ended]))[0];
  };
  return {
    async open(port, resource, reading, stalled) {
      const request = `GET ${resource} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${basic('user:secret')}\r\n\r\n`;
      await ask({ port, request, reading, stalled });
    },
    count: async () => Number(await ask('count')),
    stop: () => void child.kill(),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
