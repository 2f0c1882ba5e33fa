import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import type { TestContext } from 'node:test';
import { ChannelCredentials, Metadata } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import {
  EventsServiceClient,
  type GetEventsRequest,
  type SubscribeEventsRequest,
  type SubscribeEventsResponse,
} from '../../gen/ts/dfi/events/v1/events.js';
import type { Chain } from '../../src/chain/chain.js';
import type { Target } from '../../src/cli/connection.js';
import { watch } from '../../src/cli/watch.js';
import { EventJournal } from '../../src/events/journal.js';
import { PassingEvents } from '../../src/events/passing.js';
import { GrpcServer } from '../../src/grpc/server.js';
import { parseAmount } from '../../src/primitives/amount.js';
import { LoginThrottle } from '../../src/rpc/login-throttle.js';
import { EventLog } from '../../src/services/events/log.js';
import type { EventsModules } from '../../src/services/events/modules.js';
import { COMPANIONS, OBSERVED_COLUMNS } from '../../src/services/events/sources.js';
import { getEvents, subscribeEvents } from '../../src/services/events/stream.js';
import { StreamTable } from '../../src/services/events/stream-table.js';
import { fromHex } from '../../src/util/bytes.js';
import { JsonNumber, JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { silentLogger } from '../../src/util/logger.js';
import { emptyChain } from '../chains/recorded-chain.js';
import type { Recording } from '../shared.js';
import { basic, catalogue, type FakeHandlers, FakeInvoker, fakeCredentials, startGateway } from './gateway-fixture.js';

const LOGIN = 'user:secret';
const STREAM = '/v1/events/stream';

/** An event as a door delivers it; amounts are texts or satoshis. */
export interface Delivered {
  readonly cursor: string;
  readonly id: string;
  readonly undone?: boolean;
  readonly blockhash?: string;
  readonly block?: { readonly previousblockhash: string };
  readonly balance?: { readonly owner: string; readonly tokenId: number | string; readonly before?: unknown; readonly after?: unknown };
  readonly node?: { readonly text?: string };
  readonly heartbeat?: object;
  readonly gap?: object;
}

/** JSON with numbers as texts. */
export function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof JsonObject) return Object.fromEntries(value.entries.map(([name, member]) => [camel(name), plain(member)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function satoshis(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (value === undefined) return 0n;
  const amount = parseAmount(String(value));
  assert.ok(amount !== undefined, `no amount: ${value}`);
  return amount;
}

/** Text of the event after which a client is done. */
export const END = 'end of the test';

/** A client that knows balances by events alone. */
export class Client {
  readonly balances = new Map<string, bigint>();
  readonly cursors = new Set<string>();
  readonly ids = new Set<string>();
  cursor: string;
  tip: string | undefined;
  isDone = false;

  constructor(
    readonly name: string,
    start: string,
    /** Repeated events are dropped by their ids, as receivers of an at-least-once delivery do. */
    private readonly mayRepeat = false,
  ) {
    this.cursor = start;
  }

  /** @returns false if the client wants no more events */
  apply(event: Delivered): boolean {
    const { cursor, id, heartbeat, gap, node, block, balance, undone } = event;
    if (this.isDone) return false;
    if (heartbeat || gap) return true;
    if (this.mayRepeat && this.ids.has(id)) return true;
    assert.ok(!this.cursors.has(cursor) && !this.ids.has(id), `${this.name}: an event came twice`);
    this.cursors.add(cursor);
    this.ids.add(id);
    this.cursor = cursor;
    if (node?.text === END) this.isDone = true;
    if (block) {
      assert.ok(
        this.tip === undefined || this.tip === (undone ? event.blockhash : block.previousblockhash),
        `${this.name}: a block is missing`,
      );
      this.tip = undone ? block.previousblockhash : event.blockhash;
    }
    if (balance) {
      const key = `${balance.owner} ${balance.tokenId}`;
      assert.equal(this.balances.get(key) ?? 0n, satoshis(balance.before), `${this.name}: ${key}`);
      const after = satoshis(balance.after);
      if (after === 0n) this.balances.delete(key);
      else this.balances.set(key, after);
    }
    return !this.isDone;
  }
}

/** Opens a door at a cursor and delivers events until `apply` returns false. */
export type Door = (cursor: string, apply: (event: Delivered) => boolean) => Promise<void>;

/** A chain with its stream of events, behind all transports. */
export interface EventNode {
  readonly chain: Chain;
  readonly modules: EventsModules;
  readonly doors: Readonly<Record<string, Door>>;
  /** Port of the gateway. */
  readonly port: number;
  submit(step: { readonly hex: string; readonly time: number }): void;
}

export async function startEventNode(t: TestContext, recording: Pick<Recording, 'header'>): Promise<EventNode> {
  const { chain, clock } = emptyChain(recording, new EventJournal(10_000, OBSERVED_COLUMNS, COMPANIONS));
  const parts = { passing: new PassingEvents(), log: new EventLog(chain), streams: new StreamTable() };
  const modules: EventsModules = { chain, ...parts, keepsEvents: true, mayCall: () => true };
  const handlers: FakeHandlers = {
    subscribeevents: (asked: SubscribeEventsRequest, call) => subscribeEvents(modules, asked, call),
    getevents: (asked: GetEventsRequest, call) => getEvents(modules, asked, call),
  };
  const running = await startGateway(t, handlers);
  const server = new GrpcServer(
    { port: 0, bind: ['127.0.0.1'], tls: undefined, graceMs: 200 },
    {
      catalogue: catalogue(),
      invoker: new FakeInvoker(handlers),
      credentials: fakeCredentials,
      throttle: new LoginThrottle({ log: silentLogger }, { delayMs: 20 }),
      isServing: () => true,
      log: silentLogger,
    },
  );
  const grpc = new EventsServiceClient(`127.0.0.1:${await server.start()}`, ChannelCredentials.createInsecure());
  t.after(async () => {
    grpc.close();
    await server.stop();
  });
  const doors = doorsOf({ port: running.port, grpc, login: LOGIN });
  const submit = ({ hex, time }: { readonly hex: string; readonly time: number }): void => {
    clock.set(time);
    chain.submitBlock(fromHex(hex));
  };
  return { chain, modules, doors, port: running.port, submit };
}

/** A node with the stream; its ports may change with a restart. */
export interface StreamingNode {
  readonly port: number;
  readonly grpc: EventsServiceClient;
  /** User and password. */
  readonly login: string;
}

function metadata({ login }: StreamingNode): Metadata {
  const made = new Metadata();
  made.set('authorization', basic(login));
  return made;
}

/** Opens the stream as server-sent events. */
function openStream({ port, login }: StreamingNode, cursor: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A browser that connects again gives the place in this header.
    const headers = { authorization: basic(login), 'last-event-id': cursor };
    request({ host: '127.0.0.1', port, path: STREAM, headers }, resolve).on('error', reject).end();
  });
}

/** Events of server-sent ones. */
async function readEvents(response: IncomingMessage, apply: (event: Delivered) => boolean): Promise<void> {
  let text = '';
  for await (const part of response) {
    text += String(part);
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      // Comments have no data.
      if (data !== undefined && !apply((plain(parseJson(data)) as { event: Delivered }).event)) return;
    }
  }
}

/** All ways to read the stream of a node. */
export function doorsOf(node: StreamingNode): Record<string, Door> {
  const others = { host: '127.0.0.1', path: '/', timeoutMs: 60_000, credentials: () => node.login, confFile: '', headers: {} };
  const target = Object.defineProperty(others as Target, 'port', { get: () => node.port });
  return {
    'server-sent events': async (cursor, apply) => {
      const response = await openStream(node, cursor);
      await readEvents(response, apply);
      response.destroy();
    },
    websocket: (cursor, apply) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${node.port}${STREAM}?cursor=${cursor}`, {
          headers: { authorization: basic(node.login) },
        });
        const leave = (settle: () => void): void => {
          socket
            .removeAllListeners('message')
            .on('error', () => {})
            .terminate();
          settle();
        };
        socket.on('message', (data) => {
          try {
            if (!apply((plain(parseJson(String(data))) as { event: Delivered }).event)) leave(resolve);
          } catch (error) {
            leave(() => reject(error as Error));
          }
        });
        socket.on('close', () => resolve()).on('error', reject);
      }),
    grpc: async (cursor, apply) => {
      const stream = node.grpc.subscribeEvents({ cursor, filter: undefined }, metadata(node));
      for await (const { event } of stream as AsyncIterable<SubscribeEventsResponse>) if (event && !apply(event as Delivered)) break;
      stream.cancel();
    },
    'long poll': async (cursor, apply) => {
      for (let place = cursor, goesOn = true; goesOn; ) {
        const { events, next } = await poll(node, place);
        for (const event of events) if (goesOn) goesOn = apply(event);
        place = next;
      }
    },
    'dfi-cli watch': async (cursor, apply) => {
      const left = new Error('left');
      const print = (line: string): void => {
        if (!apply(plain(parseJson(line)) as Delivered)) throw left;
      };
      await watch({ kinds: '', cursor }, target, print).catch((error: unknown) => {
        if (error !== left) throw error;
      });
    },
  };
}

async function poll({ port, login }: StreamingNode, cursor: string): Promise<{ events: readonly Delivered[]; next: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/events?cursor=${cursor}&limit=50&timeout=10000`, {
    headers: { authorization: basic(login) },
  });
  const answer = plain(parseJson(await response.text())) as { events?: readonly Delivered[]; cursor: string };
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return { events: answer.events ?? [], next: answer.cursor };
}
