import { connect, type Socket } from 'node:net';
import { encodeFrame, type Frame, FrameParser } from '../../../src/p2p/wire/envelope.js';
import { wireCodecs } from '../../../src/p2p/wire/messages.js';
import { networkParams } from '../../../src/params/index.js';
import { type Codec, encode } from '../../../src/primitives/codec.js';
import { toHex } from '../../../src/util/bytes.js';

export const params = networkParams({ network: 'regtest' });
export const codecs = wireCodecs(params.txFormat);

/** Time after which a node that neither answers nor disconnects is taken as silent. */
const SILENCE_MS = 10_000;
/** A node may send what follows from a message after its answer to the next one. */
const PINGS = 2;

/** Messages of a node after those of a peer, until it answered a ping. */
export interface Reaction {
  /** Names and payloads in hex. */
  readonly answers: readonly (readonly [command: string, payload: string])[];
  readonly end: 'answered' | 'disconnected' | 'silent';
}

/** A message in its frame. */
export function framed<T>(command: string, codec: Codec<T>, payload: T): Uint8Array {
  return encodeFrame(params.p2pMagic, command, encode(codec, payload));
}

/** A connection to a node that sends frames and collects what comes back. */
export class PeerClient {
  readonly #socket: Socket;
  readonly #received: (readonly [command: string, payload: string])[] = [];
  #closed = false;
  #nonce = 1n;
  #wake: () => void = () => {};

  constructor(port: number) {
    const parser = new FrameParser(params.p2pMagic, () => true);
    const take = (frame: Frame) => {
      if (frame.kind === 'message') this.#received.push([frame.command, toHex(frame.payload)]);
    };
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (bytes) => {
      parser.push(bytes, take);
      this.#wake();
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Sends frames. @returns the messages that came until the pings after them were answered */
  async send(frames: readonly Uint8Array[]): Promise<Reaction> {
    const pongs: string[] = [];
    const pings = Array.from({ length: PINGS }, () => {
      const nonce = { nonce: this.#nonce++ | (0xabcdn << 48n) };
      pongs.push(toHex(encode(codecs.pong, nonce)));
      return framed('ping', codecs.ping, nonce);
    });
    this.#socket.write(Buffer.concat([...frames, ...pings]));
    const isAnswered = () => pongs.every((pong) => this.#received.some(([command, payload]) => command === 'pong' && payload === pong));
    const end = await this.#until(isAnswered);
    return { answers: this.#received.splice(0).filter(([, payload]) => !pongs.includes(payload)), end };
  }

  /** Sends frames. @returns the messages up to one of a name */
  async sendUntil(frames: readonly Uint8Array[], name: string): Promise<Reaction> {
    this.#socket.write(Buffer.concat(frames));
    const end = await this.#until(() => this.#received.some(([command]) => command === name));
    return { answers: this.#received.splice(0), end };
  }

  close(): void {
    this.#socket.destroy();
  }

  async #until(holds: () => boolean): Promise<Reaction['end']> {
    const limit = performance.now() + SILENCE_MS;
    for (;;) {
      if (holds()) return 'answered';
      if (this.#closed) return 'disconnected';
      const left = limit - performance.now();
      if (left <= 0) return 'silent';
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
