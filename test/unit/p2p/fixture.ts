import { connect, type Socket } from 'node:net';
import type { PeersOptions } from '../../../src/p2p/net/options.js';
import type { Peer } from '../../../src/p2p/net/peer.js';
import { Peers } from '../../../src/p2p/net/peers.js';
import { encodeFrame, type Frame, FrameParser } from '../../../src/p2p/wire/envelope.js';
import { type Command, type WireMessage, wireCodecs } from '../../../src/p2p/wire/messages.js';
import { networkParams } from '../../../src/params/index.js';
import { ByteReader, ByteWriter, type Codec } from '../../../src/primitives/codec.js';
import { fromHex } from '../../../src/util/bytes.js';
import { SystemClock } from '../../../src/util/clock.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';
import { until } from '../../until.js';
import { defaultPeersOptions } from './options.js';

export const params = networkParams({ network: 'regtest' });
export const codecs = wireCodecs(params.txFormat);

export interface TestNode {
  readonly peers: Peers;
  readonly port: number;
  readonly clock: SystemClock;
  /** Offset of `monotonic` from real time, ms; tests set it to advance time. */
  skew: number;
}

/** Starts a node that listens on a port chosen by the system. The caller must stop its `peers`. */
export async function startNode(options: Partial<PeersOptions> = {}, syncing = false, log: Logger = silentLogger): Promise<TestNode> {
  const clock = new SystemClock();
  const chain = { tip: { height: 7 }, isInitialDownload: () => syncing };
  const time = { skew: 0 };
  const peers = new Peers(
    { ...defaultPeersOptions, listen: true, bind: ['127.0.0.1'], ...options },
    { params, chain, clock, log, monotonic: () => performance.now() + time.skew },
  );
  const [port = 0] = await peers.start();
  return {
    peers,
    port,
    clock,
    set skew(ms: number) {
      time.skew = ms;
    },
    get skew() {
      return time.skew;
    },
  };
}

/** Connects `from` to `to` and waits until both are ready. */
export async function link(from: TestNode, to: TestNode): Promise<{ outgoing: Peer; incoming: Peer }> {
  const outgoing = await from.peers.connect(`127.0.0.1:${to.port}`);
  if (!outgoing) throw new Error('no connection');
  const other = () => to.peers.ready().find(({ name }) => name === outgoing.boundTo);
  await until(() => outgoing.ready && other() !== undefined, 'both ready');
  const incoming = other();
  if (!incoming) throw new Error('no incoming peer');
  return { outgoing, incoming };
}

/** A peer that sends the messages of a test. */
export class RawPeer {
  readonly received: { readonly command: string; readonly payload: Uint8Array }[] = [];
  closed = false;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const parser = new FrameParser(params.p2pMagic, () => true);
    socket.on('data', (bytes) => parser.push(bytes, (frame: Frame) => frame.kind === 'message' && this.received.push(frame)));
    socket.on('close', () => {
      this.closed = true;
    });
    socket.on('error', () => {});
  }

  static async connect(port: number): Promise<RawPeer> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawPeer(socket);
  }

  /** Connects and completes the handshake. */
  static async ready(port: number, version: Partial<WireMessage<'version'>['payload']> = {}): Promise<RawPeer> {
    const peer = await RawPeer.connect(port);
    peer.send({ command: 'version', payload: { ...testVersion, ...version } });
    await until(() => peer.has('verack'), 'verack');
    peer.send({ command: 'verack', payload: {} });
    await until(() => peer.has('ping'), 'first ping');
    return peer;
  }

  commands(): string[] {
    return this.received.map(({ command }) => command);
  }

  has(command: Command): boolean {
    return this.commands().includes(command);
  }

  /** Payload of the last message of the given name. */
  last<C extends Command>(command: C): WireMessage<C>['payload'] | undefined {
    const found = this.received.findLast((each) => each.command === command);
    return found && (codecs[command] as Codec<WireMessage<C>['payload']>).read(new ByteReader(found.payload));
  }

  send(message: WireMessage): void {
    const w = new ByteWriter();
    (codecs[message.command] as Codec<unknown>).write(w, message.payload);
    this.sendFrame(message.command, w.finish());
  }

  sendFrame(command: string, payload: Uint8Array): void {
    this.sendBytes(encodeFrame(params.p2pMagic, command, payload));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Waits until a ping after all messages sent so far is answered. */
  async sync(): Promise<void> {
    const nonce = BigInt(Math.floor(Math.random() * 2 ** 48)) + 1n;
    this.send({ command: 'ping', payload: { nonce } });
    await until(() => this.last('pong')?.nonce === nonce || this.closed, 'pong');
    if (this.closed) throw new Error('connection ended');
  }

  async waitClosed(): Promise<void> {
    await until(() => this.closed, 'end of the connection');
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }
}

const nowhere = { services: 0n, ip: new Uint8Array(16), port: 0 };

export const testVersion: WireMessage<'version'>['payload'] = {
  version: 70036,
  services: 9n,
  time: BigInt(Math.floor(Date.now() / 1000)),
  receiver: nowhere,
  sender: nowhere,
  nonce: 0x1122334455667788n,
  userAgent: '/test:0.1/',
  startHeight: 3,
  relay: true,
};

export const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
export const hex = fromHex;
